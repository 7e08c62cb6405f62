# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Prints a run's results as text."""

from summary import RATES, comparisons, disturbance, figures_of, is_disturbed, link_share, spread

NOTES = """\
lossless  highest rate at which every query was answered in two trials and no other trial of that rate
          failed; for dnsgauge every reply was also right. To {resolution:.0f} %, where something is
          lost at full speed
answered  most replies per second at any rate; for dnsgauge right ones in time
sent      most queries per second, answered or not
CPU       generator: its process and ksoftirqd of its CPU, per query sent at full speed, its start left
          out; server: its processes, the threads that poll its interface and ksoftirqd of its CPU,
          per reply at the lossless rate. They also bring the replies to the Tester's end; but queries
          to a server without XDP are received on the generator's CPU, and count as its
dnsperf   has at most 100 queries open (its default), so it slows down where others lose; against
          servers that answer by XDP it has a program on g0 that passes everything: veth would not
          deliver the answers without
kxdpgun   and dnsperf count replies; they do not look at the data\
"""


def thousands(value):
    return f"{value / 1000:.1f}"


def show_spread(found):
    middle, low, high = map(thousands, found)
    return f"{middle} ({low}..{high})"


def show_rate(values, rounds):
    found = spread(values.values())
    if found is None:
        return "none found"
    text = show_spread(found)
    return text if len(values) == rounds else f"{text} {len(values)}/{rounds}"


def show_cost(values):
    found = spread(values.values())
    return "-" if found is None else f"{found[0]:.2f}"


def layout(rows):
    """Aligns columns, the first two to the left and the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [("  ".join(cell.ljust(width) if i < 2 else cell.rjust(width)
                       for i, (cell, width) in enumerate(zip(row, widths)))).rstrip()
            for row in rows]


def caption(run):
    """Returns two lines that say where, when and how."""
    machine, options = run["machine"], run["options"]
    programs = ", ".join(f"{name} {version}" for name, version in machine["programs"].items())
    return [f"{machine['cpu']}, {machine['cpus']} CPUs, Linux {machine['kernel']}, {run['date']}; "
            "one veth pair, native XDP, AF_XDP in copy mode",
            f"{options['rounds']} round{'s' * (options['rounds'] > 1)}, trials of {options['duration']:g} s, timeout "
            f"{options['timeout']:g} s, {options['qtype']} of {options['names']}; {programs}"]


def warnings(run):
    """Returns the reasons not to trust the figures, a line each."""
    turns, lines = run["turns"], []
    if not run["complete"]:
        lines.append(f"INCOMPLETE: it ended in round {rounds_of(turns)} of {run['options']['rounds']}")
    if is_disturbed(turns):
        lines.append("DISTURBED: something else kept this machine busy; measure again when it is quiet")
    return lines


def rounds_of(turns):
    return max(turn["round"] for turn in turns)


def table(figures, rounds):
    rows = [("server", "generator", *RATES, "generator", "server")]
    for pair in by_server(figures):
        generator, server = pair
        values = figures[pair]
        rows.append((server, generator, *(show_rate(values[figure], rounds) for figure in RATES),
                     show_cost(values["generator_us"]), show_cost(values["server_us"])))
    return layout(rows)


def by_server(figures):
    """Returns the pairs by server, servers and generators in the order of the turns."""
    servers = list(dict.fromkeys(server for _, server in figures))
    return sorted(figures, key=lambda pair: servers.index(pair[1]))


def show_ratio(entry, pair):
    if entry is None:
        return "-"
    (generator, server), (middle, low, high) = entry
    rival = generator if server == pair[1] else f"{generator}, {server}"
    return f"{middle:.2f} ({low:.2f}..{high:.2f}) {rival}"


def ratios(figures):
    rows = [("pair", "to the best of", *RATES)]
    for pair, title, against in comparisons(figures):
        rows.append((", ".join(pair), title,
                     *(show_ratio(against.get(figure), pair) for figure in RATES)))
    return layout(rows) if len(rows) > 1 else []


def percent(found):
    return f"{100 * found[0]:.1f} % of a CPU ({100 * found[1]:.1f}..{100 * found[2]:.1f})"


def to_text(run):
    turns = run["turns"]
    if not turns:
        return "nothing was measured\n"
    figures = figures_of(turns)
    lines = [*caption(run), *warnings(run)]
    lines += ["", "thousand per second, median (lowest..highest round); microseconds of CPU a query"]
    lines += table(figures, rounds_of(turns))
    compared = ratios(figures)
    if compared:
        lines += ["", "ratios, median of the rounds' (lowest..highest), and to what"]
        lines += compared
    found = link_share(figures, run.get("link", []))
    if found:
        pair, fills, share = found
        lines += ["", f"link: a minimal AF_XDP sender fills XDP_DROP with {show_spread(fills)} thousand/s; "
                      f"{', '.join(pair)}, lossless: {share[0]:.2f} ({share[1]:.2f}..{share[2]:.2f}) of that"]
    others, stolen = disturbance(turns)
    lines += ["", f"besides the pair the machine was busy for {percent(others)}, "
                  f"the hypervisor kept {percent(stolen)}", ""]
    lines.append(NOTES.format(resolution=100 * (run["options"]["step"] - 1)))
    return "\n".join(lines) + "\n"
