#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes the manual pages and the shells' completions from what the programs' --help says.

    tools/man/make_pages.py DIRECTORY VERSION PROGRAM...

writes DIRECTORY/man/NAME.1 for each program and each subcommand, and a file for each program in
DIRECTORY/bash, DIRECTORY/zsh and DIRECTORY/fish. Descriptions and examples come from
tools/man/NAME.txt where that file exists: paragraphs, then a line "EXAMPLES", then the examples.

Exit status: 0; 2 when a program does not run or its help cannot be read.
"""

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ENTRY = re.compile(r"^  (?P<name>\S.*?)(?:\s{2,}(?P<text>\S.*))?$")
CONTINUATION = re.compile(r"^\s{4,}(?P<text>\S.*)$")


@dataclass
class Entry:
    """An option or a subcommand: the words left of its description, and the description."""

    name: str
    text: str = ""

    def options(self):
        """Returns the spellings of the option, without its value."""
        return re.findall(r"(?:^|,)(--?[A-Za-z0-9][-A-Za-z0-9]*)", self.name.split(" ")[0])


@dataclass
class Help:
    """What one --help says."""

    summary: str = ""
    usage: str = ""
    sections: dict[str, list[Entry]] = field(default_factory=dict)
    closing: list[str] = field(default_factory=list)
    examples: list[str] = field(default_factory=list)

    def subcommands(self):
        """Returns the subcommands, of every section that lists some."""
        return [entry for title, entries in self.sections.items() if "command" in title.lower()
                for entry in entries]

    def options(self):
        """Returns the entries that are options."""
        return [entry for entries in self.sections.values() for entry in entries
                if entry.name.startswith("-")]


def fail(message):
    """Ends the program with status 2."""
    print(f"make_pages: {message}", file=sys.stderr)
    raise SystemExit(2)


def read_help(command):
    """Returns the Help of a command, a list of words. Ends the program when there is none."""
    try:
        run = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        fail(f"{' '.join(command)} --help does not work: {error}")
    return parse_help(run.stdout)


def parse_help(text):
    """Returns the Help that a text says."""
    told = Help()
    section = None
    for line in text.splitlines():
        if line.lower().startswith("usage:"):
            told.usage = line.split(":", 1)[1].strip()
        elif line == "Examples:":
            section = told.examples
        elif section is told.examples and line.startswith("  "):
            told.examples.append(line[2:])
        elif re.fullmatch(r"[A-Z][^:]*:", line):
            section = told.sections.setdefault(line[:-1], [])
        elif not line.strip():
            if section:
                section = None
        elif section is not None and (match := CONTINUATION.match(line)) and section:
            section[-1].text = f"{section[-1].text} {match['text']}".strip()
        elif section is not None and (match := ENTRY.match(line)):
            section.append(Entry(match["name"], match["text"] or ""))
        elif not told.sections:
            told.summary = f"{told.summary} {line.strip()}".strip()
        else:
            section = None
            told.closing.append(line.strip())
    return told


def roff(text):
    """Returns the text with what troff would read otherwise escaped."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return re.sub(r"^\.", "\\&.", text, flags=re.M)


def written(name):
    """Returns the paragraphs and the examples of NAME.txt, empty when there is none."""
    file = HERE / f"{name}.txt"
    if not file.exists():
        return "", ""
    text = "\n".join(line for line in file.read_text(encoding="utf-8").splitlines()
                     if not line.startswith("# SPDX"))
    description, _, examples = text.partition("\nEXAMPLES\n")
    return description.strip(), examples.strip("\n")


def page(name, told, version, others):
    """Returns the manual page of a command in troff's language."""
    description, examples = written(name)
    summary = told.summary.rstrip(".")
    usage = re.sub(r"^\S*/", "", told.usage) or f"{name} [OPTIONS]"
    lines = [f'.TH {name.upper()} 1 "" "dnsgauge {version}" "User Commands"', ".SH NAME",
             f"{roff(name)} \\- {roff(summary)}", ".SH SYNOPSIS", f".B {roff(usage)}"]
    lines.append(".SH DESCRIPTION")
    for paragraph in (description or f"{summary}.").split("\n\n"):
        lines += [".PP", roff(paragraph.strip())]
    for title, entries in told.sections.items():
        lines.append(f".SH {roff(title.upper())}")
        for entry in entries:
            lines += [".TP", f".B {roff(entry.name)}", roff(entry.text or " ")]
    if examples and not told.examples:
        lines += [".SH EXAMPLES"]
        for block in examples.split("\n\n"):
            text = [line for line in block.splitlines() if not line.startswith("    ")]
            code = [line[4:] for line in block.splitlines() if line.startswith("    ")]
            lines += [".PP", *map(roff, text)]
            if code:
                lines += [".PP", ".nf", ".RS", *map(roff, code), ".RE", ".fi"]
    if told.examples:
        lines += [".SH EXAMPLES", ".nf", *map(roff, told.examples), ".fi"]
    if told.closing:
        text = " ".join(told.closing)
        title = "EXIT STATUS" if text.startswith("Exit status: ") else "NOTES"
        lines += [f".SH {title}", roff(text.removeprefix("Exit status: "))]
    seen = [other for other in others if other != name]
    if seen:
        lines += [".SH SEE ALSO", ",\n".join(f".BR {roff(other)} (1)" for other in seen)]
    return "\n".join(lines) + "\n"


def words(entries):
    """Returns the long options of the entries, in their order."""
    return [option for entry in entries for option in entry.options() if option.startswith("--")]


def shell_text(text):
    """Returns the first sentence of a text, fit for single quotes."""
    return re.split(r"[.;:(]", text)[0].strip().replace("'", "").replace("[", "(").replace("]", ")")


def bash_completion(name, top, subs):
    """Returns the completion of a program for bash."""
    function = "_" + name.replace("-", "_")
    cases = "".join(f"        {sub}) words='{' '.join(words(told.options()))}' ;;\n"
                    for sub, told in subs.items())
    first = " ".join([*subs, *words(top.options())])
    return (f"# bash completion for {name}\n{function}()\n{{\n"
            "    local current=${COMP_WORDS[COMP_CWORD]} words\n"
            "    case ${COMP_WORDS[1]-} in\n"
            f"{cases}        *) words='{first}' ;;\n    esac\n"
            f"    [ \"$COMP_CWORD\" -gt 1 ] || words='{first}'\n"
            "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
            f"}}\ncomplete -o default -F {function} {name}\n")


def zsh_completion(name, top, subs):
    """Returns the completion of a program for zsh."""

    def specs(told):
        return " ".join(f"'{option}[{shell_text(entry.text)}]'" for entry in told.options()
                        for option in entry.options() if option.startswith("--"))

    lines = [f"#compdef {name}", ""]
    if not subs:
        return "\n".join([*lines, f"_arguments {specs(top)} '*:file:_files'"]) + "\n"
    lines += ["if ((CURRENT == 2)); then", "    local -a commands=("]
    lines += [f"        '{entry.name.split()[0]}:{shell_text(entry.text)}'"
              for entry in top.subcommands()]
    lines += ["    )", "    _describe command commands", f"    _arguments {specs(top)}",
              "    return", "fi", "case $words[2] in"]
    lines += [f"    {sub}) _arguments {specs(told)} '*:file:_files' ;;" for sub, told in subs.items()]
    return "\n".join([*lines, f"    *) _arguments {specs(top)} '*:file:_files' ;;", "esac"]) + "\n"


def fish_completion(name, top, subs):
    """Returns the completion of a program for fish."""
    lines = [f"# fish completion for {name}"]
    for entry in top.subcommands():
        lines.append(f"complete -c {name} -n __fish_use_subcommand -a {entry.name.split()[0]} "
                     f"-d '{shell_text(entry.text)}'")
    for sub, told in {"": top, **subs}.items():
        where = f"-n '__fish_seen_subcommand_from {sub}' " if sub else ""
        if not sub and subs:
            where = "-n __fish_use_subcommand "
        for entry in told.options():
            for option in entry.options():
                if option.startswith("--"):
                    lines.append(f"complete -c {name} {where}-l {option[2:]} "
                                 f"-d '{shell_text(entry.text)}'")
    return "\n".join(lines) + "\n"


def main(directory, version, programs):
    """Writes all pages and completions of the programs."""
    directory = Path(directory)
    helps = {}
    for program in map(Path, programs):
        top = read_help([program])
        subs = {entry.name.split()[0]: read_help([program, entry.name.split()[0]])
                for entry in top.subcommands()}
        helps[program.name] = (top, subs)
    for folder in ("man", "bash", "zsh", "fish"):
        (directory / folder).mkdir(parents=True, exist_ok=True)
    for name, (top, subs) in helps.items():
        family = [name, *(f"{name}-{sub}" for sub in subs)]
        others = [*family, *(other for other in helps if other != name)]
        pages = {name: top, **{f"{name}-{sub}": told for sub, told in subs.items()}}
        for title, told in pages.items():
            (directory / "man" / f"{title}.1").write_text(page(title, told, version, others),
                                                          encoding="utf-8")
        (directory / "bash" / name).write_text(bash_completion(name, top, subs), encoding="utf-8")
        (directory / "zsh" / f"_{name}").write_text(zsh_completion(name, top, subs), encoding="utf-8")
        (directory / "fish" / f"{name}.fish").write_text(fish_completion(name, top, subs),
                                                         encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        fail("usage: make_pages.py DIRECTORY VERSION PROGRAM...")
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
