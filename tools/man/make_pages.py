#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes the manual pages and the shells' completions from what the programs say of themselves.

    tools/man/make_pages.py DIRECTORY VERSION PROGRAM...

writes DIRECTORY/man/NAME.1 for each program and each subcommand, and a file for each program in
DIRECTORY/bash, DIRECTORY/zsh and DIRECTORY/fish. "PROGRAM options" prints the program's table of options,
as JSON.

tools/man/NAME.txt holds what no table says: the description, and sections of their own. A line of
capitals begins a section. Lines that are indented by four blanks are shown as they are. A paragraph
that begins with "- TERM: " is an entry of a list. A paragraph begins anew after an empty line.

SOURCE_DATE_EPOCH in the environment is the date that the pages carry; otherwise it is today.

Exit status: 0; 2 when a program does not run, its words cannot be read, or a text has no page.
"""

import json
import os
import re
import subprocess
import sys
import textwrap
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
HEADING = re.compile(r"^[A-Z][A-Z /-]+$")
# Pages made elsewhere, which belong to the same family.
WRITTEN_PAGES = ["dnsgauge-demo", "dnsgauge-lab", "dnsgauge-mpi"]
# Sections of a page that are no options.
OWN_SECTIONS = {"Commands", "Exit status"}


def page_date():
    return time.strftime("%Y-%m-%d", time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))))


def fail(message):
    print(f"make_pages: {message}", file=sys.stderr)
    raise SystemExit(2)


def read_program(program):
    """Returns the table of a program, and the tables of its subcommands, by name. Each also has
    sections: lists of entries by title. An entry is an option, a word or a subcommand ("--rate QPS",
    "FILE...", "trial"), and what is said of it."""
    try:
        run = subprocess.run([program, "options"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        fail(f"{program} options does not work: {error}")
    table = json.loads(run.stdout)
    commands = {one["name"]: one | {"sections": sections_of(one)} for one in table["commands"]}
    # A program that does something without a subcommand has a command without a name.
    top = commands.pop("", None) or table | {
        "usage": f"{table['program']} COMMAND [OPTIONS]", "sections": statuses_of(table), "remarks": "", "examples": []}
    top["sections"] |= {
        "Commands": [(name, told["summary"]) for name, told in commands.items()],
        "Options": [("--help", "This text; after a command, the command's options"),
                    ("--version", "The program's version")]}
    return top, commands


def statuses_of(told):
    """Returns the section of the exit statuses of a program or a command, if it has any."""
    return {"Exit status": list(told["exit_status"].items())} if told["exit_status"] else {}


def sections_of(command):
    """Returns the sections of a command's page: required options, others by group, exit status."""
    sections = {}
    for option in sorted(command["options"], key=lambda row: not row["required"]):
        name = option["name"] if option["positional"] else f"--{option['name']}"
        if option["positional"]:
            name += "..." if option["repeatable"] else ""
        elif option["type"]:
            name += f" {option['type']}"
        usual = f"default: {option['default']}" if option["default"] else None
        more = "; ".join(filter(None, (option["range"], usual)))
        title = "Required" if option["required"] else option["group"]
        sections.setdefault(title, []).append((name, option["help"] + (f" ({more})" if more else "")))
    return sections | statuses_of(command)


def roff(text):
    """Returns the text with what troff would read otherwise escaped."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    text = re.sub(r"[^\x00-\x7f]", lambda match: f"\\[u{ord(match[0]):04X}]", text)
    return re.sub(r"^\.", "\\&.", text, flags=re.M)


def filled(text):
    """Returns lines of troff's language that fill with the text."""
    return [roff(line) for line in textwrap.wrap(" ".join(text.split()), 72, break_long_words=False,
                                                 break_on_hyphens=False)]


def display(lines):
    """Returns lines of troff's language that show lines as they are."""
    return [".RS 4", ".nf", *map(roff, lines), ".fi", ".RE"]


def paragraphs(text):
    """Returns the lines of troff's language for the paragraphs of a section of NAME.txt."""
    lines = []
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        rows = block.splitlines()
        told = [row for row in rows if not row.startswith("    ")]
        shown = [row[4:] for row in rows if row.startswith("    ")]
        if shown:
            lines += [".PP", *filled(" ".join(told)), *display(shown)]
        elif match := re.match(r"- (.+?): (.*)", " ".join(row.strip() for row in rows)):
            lines += [".TP", f".B {roff(match[1])}", *filled(match[2])]
        else:
            lines += [".PP", *filled(block)]
    return lines[1:] if lines[:1] == [".PP"] else lines


def written(name):
    """Returns the sections of NAME.txt by title; what comes before the first is DESCRIPTION."""
    file, title, sections = HERE / f"{name}.txt", "DESCRIPTION", {"DESCRIPTION": ""}
    for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
        if HEADING.match(line):
            title = line
            sections[title] = ""
        elif not line.startswith("# SPDX"):
            sections[title] += line + "\n"
    return sections


def page(name, told, version, others):
    texts = written(name)
    # A comma may stand in a list of what the command does.
    summary = re.split(r"[:(]", told["summary"])[0].strip().rstrip(".")
    lines = [f'.TH {roff(name.upper())} 1 {page_date()} "dnsgauge {version}" "User Commands"', ".SH NAME",
             *filled(f"{name} - {summary[0].lower()}{summary[1:]}"), ".SH SYNOPSIS",
             *synopsis(name, told), ".SH DESCRIPTION"]
    lines += paragraphs(texts.pop("DESCRIPTION") or f"{told['summary'].rstrip('.')}.")
    if told["remarks"]:
        lines += [".PP", *filled(told["remarks"])]
    for title, entries in told["sections"].items():
        if title in OWN_SECTIONS:
            continue
        if ".SH OPTIONS" not in lines:
            lines.append(".SH OPTIONS")
        if title != "Options" or lines[-1] != ".SH OPTIONS":
            lines.append(f".SS {roff(title)}")
        lines += entries_of(entries)
    statuses = texts.pop("EXIT STATUS", "")
    examples = texts.pop("EXAMPLES", "")
    for title in sorted(OWN_SECTIONS & set(told["sections"])):
        lines += [f".SH {roff(title.upper())}", *entries_of(told["sections"][title])]
    if statuses:
        lines += [".SH EXIT STATUS", *paragraphs(statuses)]
    for title, text in texts.items():
        lines += [f".SH {title}", *paragraphs(text)]
    if examples or told["examples"]:
        lines.append(".SH EXAMPLES")
        lines += paragraphs(examples) if examples else display(told["examples"])
    seen = sorted(other for other in others if other != name)
    lines += [".SH SEE ALSO", *(f".BR {roff(other)} (1)," for other in seen)]
    lines[-1] = lines[-1].rstrip(",")
    return "\n".join(lines) + "\n"


def synopsis(name, told):
    """Returns the lines of the synopsis: the required options stand before the others."""
    command, _, rest = told["usage"].partition(" [OPTIONS]")
    if not command:
        fail(f"{name}: its --help has no usage")
    command = re.sub(r"^\S*/", "", command)
    required = told["sections"].get("Required", ())
    options = (with_value(name) for name, _ in required if name.startswith("-"))
    return [f".B {roff(command)}", *options, "[\\fIOPTIONS\\fR]",
            *([f"\\fI{roff(rest.strip())}\\fR"] if rest.strip() else [])]


def with_value(name):
    """Returns "--rate QPS" with the option in bold and the value in italics."""
    option, _, value = name.partition(" ")
    return f"\\fB{roff(option)}\\fR" + (f" \\fI{roff(value)}\\fR" if value else "")


def entries_of(entries):
    return [line for name, text in entries for line in (".TP", with_value(name), *(filled(text) or ["\\&"]))]


def completed(told):
    """Returns each option of a command, and what is said of it."""
    entries = [entry for those in told["sections"].values() for entry in those]
    return [(name.split()[0], text) for name, text in entries if name.startswith("--")]


def shell_text(text):
    """Returns the first sentence of a text, fit for single quotes."""
    return re.split(r"[.;:(]", text)[0].strip().replace("'", "").replace("[", "(").replace("]", ")")


def bash_completion(name, top, subs):
    function = "_" + name.replace("-", "_")
    cases = "".join(f"        {sub}) words='{' '.join(option for option, _ in completed(told))}' ;;\n"
                    for sub, told in subs.items())
    first = " ".join([*subs, *(option for option, _ in completed(top))])
    return (f"# bash completion for {name}\n{function}()\n{{\n"
            "    local current=${COMP_WORDS[COMP_CWORD]} words\n"
            "    case ${COMP_WORDS[1]-} in\n"
            f"{cases}        *) words='{first}' ;;\n    esac\n"
            f"    [ \"$COMP_CWORD\" -gt 1 ] || words='{first}'\n"
            "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
            f"}}\ncomplete -o default -F {function} {name}\n")


def zsh_completion(name, top, subs):
    def specs(told):
        return " ".join(f"'{option}[{shell_text(text)}]'" for option, text in completed(told))

    lines = [f"#compdef {name}", ""]
    if not subs:
        return "\n".join([*lines, f"_arguments {specs(top)} '*:file:_files'"]) + "\n"
    lines += ["if ((CURRENT == 2)); then", "    local -a commands=("]
    lines += [f"        '{sub}:{shell_text(text)}'" for sub, text in top["sections"]["Commands"]]
    lines += ["    )", "    _describe command commands", f"    _arguments {specs(top)}",
              "    return", "fi", "case $words[2] in"]
    lines += [f"    {sub}) _arguments {specs(told)} '*:file:_files' ;;" for sub, told in subs.items()]
    return "\n".join([*lines, f"    *) _arguments {specs(top)} '*:file:_files' ;;", "esac"]) + "\n"


def fish_completion(name, top, subs):
    lines = [f"# fish completion for {name}"]
    lines += [f"complete -c {name} -n __fish_use_subcommand -a {sub} -d '{shell_text(text)}'"
              for sub, text in top["sections"]["Commands"]]
    for sub, told in {"": top, **subs}.items():
        where = f"-n '__fish_seen_subcommand_from {sub}' " if sub else ""
        if not sub and subs:
            where = "-n __fish_use_subcommand "
        lines += [f"complete -c {name} {where}-l {option[2:]} -d '{shell_text(text)}'"
                  for option, text in completed(told)]
    return "\n".join(lines) + "\n"


def main(directory, version, programs):
    told = {program.name: read_program(program) for program in map(Path, programs)}
    pages = {name: top for name, (top, _) in told.items()}
    pages.update({f"{name}-{sub}": said for name, (_, subs) in told.items()
                  for sub, said in subs.items()})
    for text in HERE.glob("*.txt"):
        if text.stem not in pages:
            fail(f"{text.name} has no page: there is no such command")
    made = {}
    for title, said in pages.items():
        others = [other for other in [*pages, *WRITTEN_PAGES]
                  if "-" not in other or other.split("-")[0] == title.split("-")[0]]
        made[f"man/{title}.1"] = page(title, said, version, others)
    for name, of in told.items():
        made |= {f"bash/{name}": bash_completion(name, *of), f"zsh/_{name}": zsh_completion(name, *of),
                 f"fish/{name}.fish": fish_completion(name, *of)}
    for name, text in made.items():
        path = Path(directory, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        fail("usage: make_pages.py DIRECTORY VERSION PROGRAM...")
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
