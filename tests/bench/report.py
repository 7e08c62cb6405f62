# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Figures of each pair (generator, server), comparisons of pairs, and how they are shown: as text and as a chart."""

import statistics
import sys
import textwrap

from program import ROOT, BenchError, aligned, ratio, shown, spread

# All figures of dnsgauge look alike.
sys.path.append(str(ROOT / "tools" / "report"))
from dnsgauge_report import drawing  # noqa: E402
from dnsgauge_report.errors import ReportError  # noqa: E402

OWN_GENERATOR = "dnsgauge"
OWN_SERVER = "fakedns"  # the names of its kinds begin so
QUIET = 0.05  # CPUs that other processes may take in the median trial
RATES = ("lossless", "answered", "sent")
FIGURES = {"lossless": "Lossless: every query answered", "answered": "Answered, at any rate",
           "sent": "Sent, answered or not", "generator_us": "Generator's CPU time a query sent",
           "server_us": "Server's CPU time a reply"}
COLOURS = {"dnsgauge": drawing.BLUE, "kxdpgun": drawing.ORANGE, "dnsperf": drawing.GREY}
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


def figures_of(turns):
    """Returns {pair: {figure: {round: value}}}, by server. A round in which no lossless rate was found has no value
    for that figure."""
    figures, start_costs = {}, {}
    for turn in turns:
        pair, number = (turn["generator"], turn["server"]), turn["round"]
        values = figures.setdefault(pair, {name: {} for name in FIGURES})
        start_costs |= {pair: trial["generator_cpu"] for trial in turn["trials"] if trial["purpose"] == "start"}
        trials = [trial for trial in turn["trials"] if trial["purpose"] != "start"]
        values["answered"][number] = max(trial["answered_rate"] for trial in trials)
        values["sent"][number] = max(trial["sent_rate"] for trial in trials)
        flood = [trial for trial in trials if trial["purpose"] == "flood"][-1]
        if flood["sent"]:
            spent = max(flood["generator_cpu"] - start_costs[pair], 0.0)
            values["generator_us"][number] = 1e6 * spent / flood["sent"]
        if turn["found"] is not None:
            values["lossless"][number] = turn["found"]
            confirmed = [turn["trials"][i] for i in turn["found_trials"]]
            spent = sum(trial["server_cpu"] + trial["napi_cpu"] for trial in confirmed)
            values["server_us"][number] = 1e6 * spent / sum(trial["replies"] for trial in confirmed)
    servers = list(dict.fromkeys(server for _, server in figures))
    return dict(sorted(figures.items(), key=lambda one: servers.index(one[0][1])))


def best(figures, figure, is_wanted):
    """Returns the wanted pair with the highest median of a figure, or None."""
    medians = {pair: statistics.median(values[figure].values())
               for pair, values in figures.items() if values[figure] and is_wanted(pair)}
    return max(medians, key=medians.get, default=None)


def best_own(figures):
    return best(figures, "lossless", lambda pair: pair[0] == OWN_GENERATOR)


def is_of_others(pair):
    """Are both programs other projects'?"""
    return pair[0] != OWN_GENERATOR and not pair[1].startswith(OWN_SERVER)


def comparisons(figures):
    """Returns [(pair, title, {figure: (rival, ratio)})]: at each server this project's generator against the best
    other one, then the best own pair against the best other pair, and against the best pair of others' programs."""
    own = best_own(figures)
    rows = [((OWN_GENERATOR, server), "other generators",
             lambda pair, server=server: pair[1] == server and pair[0] != OWN_GENERATOR)
            for server in dict.fromkeys(server for _, server in figures)]
    rows += [(own, "all other pairs", lambda pair: pair[0] != OWN_GENERATOR), (own, "others' programs", is_of_others)]
    result = []
    for pair, title, is_rival in rows:
        rivals = {figure: best(figures, figure, is_rival) for figure in (RATES if pair in figures else ())}
        against = {figure: (rival, ratio(figures[pair][figure], figures[rival][figure]))
                   for figure, rival in rivals.items() if rival}
        against = {figure: found for figure, found in against.items() if found[1]}
        if against:
            result.append((pair, title, against))
    return result


def link_share(figures, link):
    """Returns (own pair with the highest lossless rate, rates at which a minimal sender fills the link, spread of the
    pair's lossless rates over these, round by round); None where the run has no such rates, or found none."""
    own = best_own(figures)
    fills = {one["round"]: one["sent_rate"] for one in link}
    share = own and ratio(figures[own]["lossless"], fills)
    return (own, list(fills.values()), share) if share else None


def disturbance(turns):
    """Returns the shares of the machine's CPU time during trials that other processes and the hypervisor took, of
    each trial."""
    trials = [trial for turn in turns for trial in turn["trials"]]
    return tuple([trial[name] / trial["wall"] for trial in trials] for name in ("other_cpu", "stolen_cpu"))


def rounds_of(turns):
    return max(turn["round"] for turn in turns)


def caption(run):
    """Returns the reasons not to trust the figures, and two lines that say where, when and how."""
    machine, options, turns, lines = run["machine"], run["options"], run["turns"], []
    if not run["complete"]:
        lines.append(f"INCOMPLETE: it ended in round {rounds_of(turns)} of {options['rounds']}")
    if any(statistics.median(shares) > QUIET for shares in disturbance(turns)):
        lines.append("DISTURBED: something else kept this machine busy; measure again when it is quiet")
    programs = ", ".join(f"{name} {version}" for name, version in machine["programs"].items())
    return [*lines, f"{machine['cpu']}, {machine['cpus']} CPUs, Linux {machine['kernel']}, {run['date']}; "
            "one veth pair, native XDP, AF_XDP in copy mode",
            f"{options['rounds']} round{'s' * (options['rounds'] > 1)}, trials of {options['duration']:g} s, timeout "
            f"{options['timeout']:g} s, {options['qtype']} of {options['names']}; {programs}"]


def show_rate(values, rounds):
    if not values:
        return "none found"
    return shown(values.values(), unit=1000) + (f" {len(values)}/{rounds}" if len(values) < rounds else "")


def show_ratio(entry, pair):
    if entry is None:
        return "-"
    (generator, server), (middle, low, high) = entry
    rival = generator if server == pair[1] else f"{generator}, {server}"
    return f"{middle:.2f} ({low:.2f}..{high:.2f}) {rival}"


def to_text(run):
    turns = run["turns"]
    if not turns:
        return "nothing was measured\n"
    figures, rounds = figures_of(turns), rounds_of(turns)
    rows = [("server", "generator", *RATES, "generator", "server")]
    for (generator, server), values in figures.items():
        costs = (f"{statistics.median(values[name].values()):.2f}" if values[name] else "-"
                 for name in ("generator_us", "server_us"))
        rows.append((server, generator, *(show_rate(values[figure], rounds) for figure in RATES), *costs))
    lines = [*caption(run), "",
             "thousand per second, median (lowest..highest round); microseconds of CPU a query", *aligned(rows, 2)]
    compared = [(", ".join(pair), title, *(show_ratio(against.get(figure), pair) for figure in RATES))
                for pair, title, against in comparisons(figures)]
    if compared:
        lines += ["", "ratios, median of the rounds' (lowest..highest), and to what",
                  *aligned([("pair", "to the best of", *RATES), *compared], 2)]
    share = link_share(figures, run.get("link", []))
    if share:
        pair, fills, (middle, low, high) = share
        lines += ["", f"link: a minimal AF_XDP sender fills XDP_DROP with {shown(fills, unit=1000)} thousand/s; "
                      f"{', '.join(pair)}, lossless: {middle:.2f} ({low:.2f}..{high:.2f}) of that"]
    others, stolen = (shown(shares, unit=0.01).replace(" ", " % of a CPU ", 1) for shares in disturbance(turns))
    return "\n".join([*lines, "", f"besides the pair the machine was busy for {others}, the hypervisor kept {stolen}",
                      "", NOTES.format(resolution=100 * (run["options"]["step"] - 1)), ""])


def load_matplotlib():
    """Throws BenchError where matplotlib is not installed."""
    try:
        drawing.load_matplotlib()
    except ReportError as error:
        raise BenchError(str(error)) from error


def draw(run, path):
    """Writes the chart of a run: a panel for each rate and cost, and one for the key."""
    load_matplotlib()
    figures = figures_of(run["turns"])
    if not figures:
        raise BenchError("there is nothing to draw: no turn was measured")
    servers = list(dict.fromkeys(server for _, server in figures))
    generators = list(dict.fromkeys(generator for generator, _ in figures))
    with drawing.style("bench") as matplotlib:
        sheet = matplotlib.figure.Figure(figsize=(13, 3 + 1.1 * len(servers)), layout="tight")
        *panels, key = sheet.subplots(2, 3, sharey=True).flat
        for axes, (figure, title) in zip(panels, FIGURES.items()):
            draw_panel(axes, figure, figures, servers, generators)
            axes.set_title(title, fontsize=10, loc="left")
        # Panels with the same unit have the same scale.
        for same in (panels[:len(RATES)], panels[len(RATES):]):
            for axes in same:
                axes.set_xlim(0, 1.15 * max(other.dataLim.xmax for other in same) or 1)
        key.axis("off")
        key.legend(handles=[matplotlib.patches.Patch(color=COLOURS.get(name, drawing.INK), label=name)
                            for name in generators], loc="upper left", borderaxespad=0)
        lines = ["Bars: medians over rounds; lines: lowest to highest round.",
                 "dnsgauge checks every reply's data, the others count replies.", *caption(run)]
        key.text(0, 0.68, "\n".join(textwrap.fill(line, 62) for line in lines), va="top", linespacing=1.4,
                 color=drawing.FAINT, transform=key.transAxes)
        sheet.suptitle("DNS generators against DNS servers, generator on one CPU, server on another", x=0.012,
                       ha="left", fontsize=12)
        try:
            sheet.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)
        except (OSError, ValueError) as error:
            raise BenchError(f"cannot write the chart to {path}: {error}") from error


def draw_panel(axes, figure, figures, servers, generators):
    """Draws a bar for each pair, a group for each server."""
    unit, form = (1000, ",.0f") if figure in RATES else (1, ".2f")
    for row, generator in enumerate(generators):
        for number, server in enumerate(servers):
            if (generator, server) not in figures:
                continue
            values = figures[generator, server][figure]
            place = -(number * (len(generators) + 1) + row)
            middle, low, high = (value / unit for value in spread(values.values()) or (0, 0, 0))
            axes.barh(place, middle, height=0.85, color=COLOURS.get(generator, drawing.INK))
            axes.plot([low, high], [place, place], color=drawing.INK, linewidth=1)
            axes.text(high, place, f" {middle:{form}}" if values else " none found", va="center", fontsize=7.5)
    axes.set_xlabel("thousand per second" if figure in RATES else "microseconds")
    axes.set_yticks([-number * (len(generators) + 1) - (len(generators) - 1) / 2 for number in range(len(servers))],
                    servers)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.spines["left"].set_visible(False)
