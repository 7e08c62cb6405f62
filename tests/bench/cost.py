#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures what packets, queries and answers cost where no link takes part, and prints it beside the committed figures.

kernel     each kernel program: ns a packet over an empty one, and the verifier's instruction count; and ns of steps
           that the kernel takes for a packet (program_cost)
wire       instructions of bpf/wire for a packet by steps, compiled for this CPU, without maps and helpers (user_cost)
senders    instructions of the Tester's senders for a query, without the driver's (sender_rate)
functions  the same by function, without the functions that it calls
lanes      ns of CPU time of the senders for a query, by lanes
echo       an answer of "fakedns echo --io af_xdp", whose system calls reach a driver (answer_rate)
internet   an answer of "fakedns --internet", without receiving and sending (user_cost)

Instructions are counts of valgrind's callgrind: nearly the same on every machine. Needs root, and a build of the
program in parentheses. Exit status: 0, whatever the figures are: time varies, and a person judges the table; 2 when
something could not be measured.
"""

import json
import re
import subprocess
from pathlib import Path

from program import TESTS, BenchError, aligned, describe_machine, instructions_each, instructions_in, on_link, run, \
    spread, start, take_turns

COMMITTED = Path(__file__).with_name("cost.json")
NOISY = 5  # percent by which the time of twice the turns may differ from twice the time
NOTABLE = 10  # percent of change that marks a line
STEPS = {"fakedns": ("read", "plan", "write", "turn"), "reply_clock": ("read", "checksum", "judge")}
SOURCES = ("names", "random-names", "list", "capture", "mix", "random-mix")
ROWS = {f"{source}{', per-query log' if logs else ''}": (source, *logs)
        for source in SOURCES for logs in ((), ("log",))}
WINDOWS = {f"{source}, window of {window}": (source, f"window={window}")
           for source in ("names", "list") for window in (1, 10, 100, 1000)}
# Constant rates, with as many queries a kick as those windows have.
BATCHES = {f"{source}, batches of {batch}": (source, f"batch={batch}")
           for source in ("names", "list") for batch in (1, 4, 11)}
COUNTED = 500_000  # queries whose instructions are counted
# What callgrind counts begins and ends with the sender's loop, and leaves out the stand-ins for kicks and the clock.
SENDING = ("dnsgauge::SenderOf<*>::run(long, std::atomic<bool> const&)", "sendto", "clock_gettime")
FEW, MANY = 4096, 20480  # turns of two runs, whose difference counts: what starts and ends a program cancels


def timed(rounds, cases, measure):
    """Returns {case: (median, "lowest..highest")} of the rounds; measure() returns a list of figures."""
    found = take_turns(rounds, cases, measure)
    spreads = {case: spread(one for some in made for one in some) for case, made in found.items()}
    return {case: (median, f"{low:.1f}..{high:.1f}") for case, (median, low, high) in spreads.items()}


def kernel(_):
    told = json.loads(run(TESTS / "program_cost"))
    verified = {}
    for what, one in told["programs"].items():
        program = what.split()[0]
        verified[program] = max(verified.get(program, (0, "")), (one["verified"], ""))
    yield "ns a packet, over an empty program", {
        what: (one["ns"], f"{one['spread_ns']:.1f}" + (
            f", noisy: {one['disproportion_percent']:+.0f} %" if abs(one["disproportion_percent"]) > NOISY else ""))
        for what, one in told["programs"].items()}
    yield "instructions the verifier looked at", verified
    yield "ns a step that the kernel takes", {what: (ns, "") for what, ns in told["steps"].items()}


def wire(_):
    figures = {}
    for program, steps in STEPS.items():
        for family in (4, 6):
            sums = [instructions_each(FEW, MANY, TESTS / "user_cost", program, done, family)
                    for done in range(len(steps) + 1)]
            figures |= {f"{program} IPv{family}: {step}": (after - before, "")
                        for step, before, after in zip(steps, sums, sums[1:])}
            figures[f"{program} IPv{family}: all"] = (sums[-1] - sums[0], "")
    yield "instructions a packet of bpf/wire", figures


def sent(row, lanes, queries, **how):
    source, *how_to_send = (ROWS | WINDOWS | BATCHES)[row]
    return on_link("sender_rate", source, lanes, queries, *how_to_send, **how)


def senders(_):
    counts = {row: sent(row, 1, COUNTED, toggles=SENDING, read=instructions_in)
              for row in ROWS | WINDOWS | BATCHES}
    yield "instructions a query, user space", {
        row: (count / printed["queries"], "") for row, (count, printed) in counts.items()}


def by_function(file):
    """Returns {function: instructions}, without the instructions of the functions that it calls."""
    told = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", file], capture_output=True, text=True,
                          check=True).stdout
    parts = {}
    for count, function in re.findall(r"^ *([\d,]+) \([^)]*\)  [^:]*:(\S.*?) \[", told, re.MULTILINE):
        name = re.sub(r"<.*>", "", function.removeprefix("dnsgauge::").split("(")[0])
        parts[name] = parts.get(name, 0) + int(count.replace(",", ""))
    return parts


def functions(_):
    for source in SOURCES:
        parts, printed = sent(source, 1, COUNTED, toggles=SENDING, read=by_function)
        each = {name: (count / printed["queries"], "") for name, count in parts.items()}
        yield f"instructions a query, {source}", {name: one for name, one in each.items() if one[0] >= 1}


def lanes(options):
    cases = {f"{row}, {count} lane{'s' * (count > 1)}": (row, count)
             for row in ROWS for count in range(1, min(options.lanes, 4) + 1)}
    yield "ns of CPU time a query", timed(options.rounds, cases, lambda case: sent(
        *cases[case], options.queries)["ns_per_query"])


def echo(options):
    def counted(family, answers):
        whole, printed = on_link("answer_rate", family, answers, read=instructions_in)
        drivers, _ = on_link("answer_rate", family, answers, toggles=["*Driver::turn*"], read=instructions_in)
        return whole - drivers, printed["answers"]

    families = {f"echo --io af_xdp, IPv{family}": family for family in (4, 6)}
    yield "ns of CPU time an answer", timed(options.rounds, families, lambda case: [
        on_link("answer_rate", families[case], options.queries)["ns_per_answer"]])
    ends = {case: [counted(family, answers) for answers in (FEW, MANY)] for case, family in families.items()}
    yield "instructions an answer", {case: ((many[0] - few[0]) / (many[1] - few[1]), "")
                                     for case, (few, many) in ends.items()}


def internet(options):
    parts = {f"fakedns --internet, {part}": part for part in ("referral", "nxdomain", "address")}
    program = (TESTS / "user_cost", "internet")
    yield "ns of CPU time an answer of an Internet", timed(options.rounds, parts, lambda case: [
        float(run(*program, parts[case], options.queries // 16))])
    copying = instructions_each(FEW, MANY, *program, "copy")
    yield "instructions an answer of an Internet", {
        case: (instructions_each(FEW, MANY, *program, part) - copying, "") for case, part in parts.items()}


# What measures each part, and with which program.
PARTS = {"kernel": (kernel, "program_cost"), "wire": (wire, "user_cost"), "senders": (senders, "sender_rate"),
         "functions": (functions, "sender_rate"), "lanes": (lanes, "sender_rate"), "echo": (echo, "answer_rate"),
         "internet": (internet, "user_cost")}


def table(title, now, before):
    rows = [(title, "now", "before", "change", "spread")]
    for what, (figure, remark) in now.items():
        was = before.get(what)
        percent = 100 * (figure / was - 1) if was else 0
        change = f"{percent:+.0f} %{' *' if abs(percent) >= NOTABLE else '  '}" if was else "-"
        rows.append((f"  {what}", f"{figure:.1f}", "-" if was is None else f"{was:.1f}", change, remark))
    return rows


def main(options):
    before = json.loads(COMMITTED.read_text())
    print(f"{describe_machine()}\n* changed by {NOTABLE} % or more since tests/bench/cost.json was written; times vary "
          "with the machine, counts do not. noisy: twice the turns took so much more or less than twice the time")
    for name in options.only:
        measure, built = PARTS[name]
        if not (TESTS / built).exists():
            raise BenchError(f"is not built: ninja -C build {built}")
        for title, now in measure(options):
            print("\n".join(aligned(table(title, now, before.get(title, {})))), flush=True)
            before[title] = {what: round(figure, 1) for what, (figure, _) in now.items()}
    if options.write:
        COMMITTED.write_text(json.dumps(before, indent=2) + "\n")


if __name__ == "__main__":
    start(main, needs=["valgrind"], only=(["kernel", "senders"], None, PARTS), rounds=5, lanes=(4, "the most, up to 4"),
          queries=(8_000_000, "of each lane, or answers"),
          write=(False, "make these the committed figures (tests/bench/cost.json)"))
