#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests pages of every other kind of result, and of several together."""

import csv
import re
import subprocess
import sys
import unittest
from pathlib import Path

import made_up
import made_up_sets
from support import TOP, ReportTest, findings

from dnsgauge_report.fields import Fields
from dnsgauge_report.kinds import bench
from dnsgauge_report.page import column_texts
from dnsgauge_report.schemas import load

sys.path.insert(0, str(TOP / "tests" / "bench"))
import made_up_run  # noqa: E402


class SearchTest(ReportTest):
    draws = False

    def test_a_search(self):
        page = self.page(made_up.search())
        self.assertIn("198.18.0.2 keeps 20,128.5/s with every query answered", findings(page))
        self.assertIn("lie between 18,976/s and 20,820/s, a dispersion of 9.2 %", findings(page))
        for doubt in (
            "No self-test covers the result: there was none.",
            "trials of 0.5 s, not 60 s",
        ):
            self.assertIn(doubt, page[: page.index("<main")])
        self.assertIn("N = 36 trials, 840,790 queries.", page)
        for figure in (
            "The search, trial by trial",
            "Distribution of the results",
            "Response rate",
        ):
            self.assertIn(f"<h3>{figure}</h3>", page)

    def test_the_data_of_a_figure_is_what_was_measured(self):
        self.page(made_up.search(), words=("--figures", self.folder / "f", "--formats", "svg"))
        with open(self.folder / "f" / "trials.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        trials = made_up.search()["trials"]
        self.assertEqual([float(row["rate"]) for row in rows], [one["rate"] for one in trials])
        self.assertEqual([row["verdict"] for row in rows], [one["verdict"] for one in trials])

    def test_what_ended_early_says_so(self):
        page = self.page(
            made_up.search(end="interrupted", repeat=20, why="SIGINT", invalid_trials=2)
        )
        self.assertIn("2 invalid trials had to be made again.", page)
        self.assertIn("did not come to its end (interrupted): 4 of 20 repetitions", page)
        none = made_up.search(rates=[], repetitions=[], trials=[], statistics=None, at_least=60000)
        self.assertIn("keeps 60,000/s or more", self.page(none))

    def test_a_search_that_was_cut_short_tells_its_bounds(self):
        trials = [made_up.searched(rate, 30000) for rate in (1000, 60000, 28750, 31718)]
        cut = {"rate": None, "at_least": None, "highest_passed": 28750, "lowest_failed": 31718}
        cut["capped"] = None
        made = made_up.search(
            rates=[], repetitions=[cut], trials=trials, statistics=None, repeat=20,
            end="invalid trial", why="late",
        )  # fmt: skip
        page = self.page(made)
        self.assertIn("passed so far is 28,750/s, and 31,718/s failed", findings(page))
        self.assertEqual(page.count("28,750/s to 31,718/s"), 2)
        short = made_up.journal(limits=(30000,), cut=2500)
        self.assertIn(" failed", findings(self.page(short)))
        cut |= {"lowest_failed": None, "highest_passed": 1000}
        begun = made | {"repetitions": [cut], "trials": trials[:1]}
        self.assertIn("1,000/s or more", self.page(begun))

    def test_the_testers_limit_is_told(self):
        page = self.page(made_up.search(tester_limit="rates above 30000 were not allowed"))
        self.assertIn("The Tester was the limit: rates above 30000 were not allowed.", page)

    def test_results_that_were_changed_are_refused(self):
        self.assertIn("do not fit the repetitions", self.refused(made_up.search(rates=[1, 2])))
        changed = made_up.search(statistics={"count": 4, "median": 99999})
        self.assertIn("do not fit the rates", self.refused(changed))

    def test_a_journal(self):
        page = self.page(made_up.journal())
        self.assertIn("198.18.0.2 keeps 20,359/s", findings(page))
        self.assertIn("RTT by percentile", page)
        self.assertIn("This is a journal", page[: page.index("<main")])

    def test_a_journal_that_is_just_written(self):
        page = self.page(made_up.journal(cut=700))
        self.assertIn("Repetition 2 has not ended.", findings(page))
        begun = made_up.journal().splitlines(keepends=True)
        self.assertIn("no rate has passed so far", self.page(begun[0]))

    def test_a_journal_with_a_broken_line_is_refused(self):
        lines = made_up.journal().splitlines(keepends=True)
        self.assertIn("line 3: no JSON", self.refused("".join([*lines[:2], "{\n", *lines[3:]])))
        newer = lines[0].replace("series-journal/1", "series-journal/2")
        self.assertIn("this program knows dnsgauge/series-journal/1", self.refused(newer))
        unknown = [*lines[:2], '{"record": "verdict"}\n', *lines[2:]]
        self.assertIn("line 3: record is 'verdict'", self.refused("".join(unknown)))
        twice = [*lines[:2], *lines[1:]]
        self.assertIn("line 3: number is 1 for the second time", self.refused("".join(twice)))


class OtherKindsTest(ReportTest):
    draws = False

    def test_a_selftest(self):
        page = self.page(made_up.selftest())
        self.assertIn(
            "may be used at up to 15,000/s: it kept 33,000/s, 2.2 times as many", findings(page)
        )

    def test_placements_of_a_selftest(self):
        made = made_up.selftest(placements=made_up.placements())
        page = self.page(made, words=("--figures", self.folder / "f", "--formats", "svg"))
        for told in (
            "CPU 1 is best, 45 % above CPU 0.",
            "<h3>Rates by placement of the sender</h3>",
            "Placements of the receiving queues",
            "Veth has no interrupts.",
        ):
            self.assertIn(told, page)
        with open(self.folder / "f" / "placements-1.csv", encoding="utf-8", newline="") as file:
            rows = [(row["what"], row["median"]) for row in csv.DictReader(file)]
        self.assertEqual(rows, [("CPU 0", "11000.0"), ("CPU 1 (best)", "16000.0")])
        made["placements"]["stages"][0]["best"] = 3
        self.assertIn("the place of a placement that was walked", self.refused(made))

    def test_what_queues_and_cpus_of_the_tester_handled(self):
        told = {"card_node": 1, "interrupts": "", "handled": made_up.handled(), "topology": []}
        told["notes"] = ["1 of 2 queues got packets"]
        for made in (made_up.trial(placement=told), made_up.search(placement=told)):
            with self.subTest(made["schema"]):
                page = self.page(made)
                self.assertIn("1 of 2 queues got packets.", page[: page.index("<main")])
                self.assertIn("Packets by queue on the Tester&#39;s machine", page)

    def test_a_selftest_that_ended_early_decides_nothing(self):
        page = self.page(made_up.selftest(end="interrupted", allowed_rate=None, passed_rate=None))
        self.assertIn("ended early (interrupted), and decides nothing", findings(page))

    def test_a_calibration(self):
        page = self.page(made_up.calibration())
        self.assertIn("Nothing is in doubt", findings(page))
        self.assertIn("The bias of the RTTs is 41.0 µs at most, at 5 known delays.", findings(page))
        self.assertIn("laxer than by default", page[: page.index("<main")])
        self.assertIn("Bias and spread of the RTT", page)
        self.assertIn("The floor is 2.5 µs: no trial on this set-up sees an RTT below", page)
        # The bias that the chart shows is the result's own.
        self.assertIn("shortest delay has beyond it (25.0 µs)", page)

    def test_a_calibration_of_an_earlier_version_has_no_floor(self):
        rtt = made_up.calibration()["rtt"]
        for name in ("floor_ns", "bound_ns", "at_once"):
            del rtt[name]
        page = self.page(made_up.calibration(rtt=rtt | {"floor": made_up.delay(None, 17600)}))
        self.assertIn("RTT", findings(page))
        self.assertNotIn("The floor is", page)
        self.assertIn("20.1 µs", page)

    def test_a_calibration_that_leaves_doubts(self):
        doubts = [{"figure": "rtt_ns", "why": "the bias is 2 ms"}]
        page = self.page(made_up.calibration(trusted=False, doubts=doubts, rtt=None))
        self.assertIn("Not to be trusted: rtt_ns.", findings(page))
        self.assertIn("rtt_ns is not to be trusted: the bias is 2 ms.", page[: page.index("<main")])
        self.assertIn("Not everything was checked: RTTs.", page)

    def test_an_experiment(self):
        self.draws = True
        page = self.page(made_up.experiment())
        self.assertIn("nsd, CPUs: 2 keeps most", findings(page))
        above = page[: page.index("<main")]
        self.assertIn("knot-2: The Tester was the limit: the self-test allows no more.", above)
        self.assertIn("All cells: No self-test covers the result: there was none.", above)
        self.assertIn("Hatched: the Tester was the limit", page)
        for cell in ("knot, CPUs: 1", "bind, CPUs: 2", ">Server, Cores<"):
            self.assertIn(cell, page)

    def test_the_figures_of_a_column_have_as_many_decimals(self):
        for column, texts in (
            ([90.7193, 93.3962, None, 370.712], ["90.719", "93.396", "–", "370.712"]),
            ([2986.0, 2979.6, 12], ["2,986.0", "2,979.6", "12.0"]),
            ([5.0, 7.0], ["5", "7"]),
            ([1e-9, 3.0], ["1e-09", "3"]),
            ([12, 1500], ["12", "1,500"]),
            (["100 %", "35.5 %", None], ["100.0 %", "35.5 %", "–"]),
            (["just under 100 %", "99.25 %"], ["just under 100 %", "99.25 %"]),
            (["a", 1.5, 10.25], ["a", "1.5", "10.25"]),
            ([], []),
        ):
            with self.subTest(column=column):
                self.assertEqual(column_texts(column), texts)

    def test_nobody_reads_nanoseconds(self):
        made = made_up.trial()
        made["circumstances"] |= {"timer_ns": 149946367, "began_ns": 1763724329000000000}
        page = self.page(made)
        self.assertIn("149.95 ms", page)
        self.assertIn("2025-11-21T11:25:29.000Z", page)
        self.assertNotRegex(page, "149946367|149,946,367|1763724329000")

    def test_of_many_servers_the_last_is_drawn_too(self):
        for setting, chart in (
            ("cores", "medians-1"),
            ("queries-per-connection", "queries-per-connection"),
        ):
            cells = [
                ({"server": f"server{server}", setting: count}, [1000 * server, 1100 * server])
                for server in range(1, 17)
                for count in "12"
            ]
            made = made_up_sets.experiment(cells)
            page = self.page(made, words=("--figures", self.folder / "f", "--formats", "svg"))
            with self.subTest(setting=setting):
                self.assertRegex(page, "6 of 16 (servers|curves) are drawn")
                with open(self.folder / "f" / f"{chart}.csv", encoding="utf-8", newline="") as file:
                    drawn = {row["server"].split(",")[0] for row in csv.DictReader(file)}
                self.assertEqual(len(drawn), 6)
                self.assertTrue({"server1", "server16"} <= drawn, drawn)

    def test_rates_over_connections_are_told_beside_udp(self):
        cells = [
            ({"server": "nsd", "transport": "udp", "queries-per-connection": ""}, [1000]),
            ({"server": "nsd", "transport": "tcp", "queries-per-connection": "1"}, [250]),
            ({"server": "nsd", "transport": "tcp", "queries-per-connection": "10"}, [500]),
        ]
        made = made_up_sets.experiment(cells)
        limit = "the server answers at least 500/s; the Tester is the limit at 510/s"
        made["cells"][2]["search"] = made_up_sets.search(
            [], at_least=500, not_offered=510, tester_limit=limit, end="not offered"
        )
        page = self.page(made, words=("--figures", self.folder / "f", "--formats", "svg"))
        self.assertIn("Hollow: the Tester was the limit", page)
        with open(self.folder / "f" / "shares-of-udp.csv", encoding="utf-8", newline="") as file:
            rows = [tuple(row.values()) for row in csv.DictReader(file)]
        self.assertEqual(
            rows,
            [
                ("1", "tcp", "25.0", "25.0", "25.0", "1", "0"),
                ("10", "tcp", "50.0", "50.0", "50.0", "1", "1"),
            ],
        )

    def test_the_testers_limit_is_no_capacity_of_the_server(self):
        made = made_up.search(
            rates=[], repetitions=[], trials=[], statistics=None, at_least=500, not_offered=510,
            tester_limit="the Tester is the limit at 510/s", end="not offered",
        )  # fmt: skip
        page = self.page(made)
        self.assertIn("answers at least 500/s; the Tester is the limit at 510/s", findings(page))
        self.assertNotIn("did not come to its end", page)

    def test_a_grid_of_shares(self):
        page = self.page(made_up.grid(), words=("--figures", self.folder / "f", "--formats", "svg"))
        self.assertIn("An empty cell was not measured.", page)
        with open(self.folder / "f" / "grid-1.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.reader(file))[1:]
        self.assertEqual(len(rows), 13)

    def test_a_cell_without_a_result(self):
        cells = made_up.experiment()["cells"]
        cells[0] |= {"search": None, "failure": "below the range"}
        page = self.page(made_up.experiment(cells=cells, complete=False))
        self.assertIn("knot-1 has no result: below the range.", page)
        self.assertIn("5 of 6 cells have results.", page)

    def test_a_bench(self):
        page = self.page(made_up_run.run())
        self.assertIn("lossless rate is 1,000,000/s, by dnsgauge and fakedns-xdp", findings(page))
        self.assertIn(
            "fills the link with 1,250,000 (1,000,000 to 1,500,000) queries a second; dnsgauge and"
            " fakedns-xdp keep 0.80 (0.50 to 1.00) of that.",
            findings(page),
        )
        # Runs of earlier versions do not tell it.
        self.assertNotIn("fills the link", self.page({**made_up_run.run(), "link": []}))

    def test_figures_of_a_bench(self):
        made = bench.Bench(Fields(made_up_run.run(), "run", schema=load("bench")), "run")
        of_pair = made.figures["dnsgauge", "fakedns-xdp"]
        self.assertEqual(of_pair["lossless"], {1: 1e6, 2: 5e5, 3: 1.5e6})
        self.assertEqual(of_pair["sent"], {1: 2e6, 2: 1e6, 3: 3e6})
        self.assertEqual(of_pair["answered"], {1: 1.8e6, 2: 9e5, 3: 2.7e6})
        # 2 s for 4,000,000 queries, the start left out; 2 s in each lossless trial, for
        # 2,000,000 replies.
        self.assertAlmostEqual(of_pair["generator_us"][1], 0.5)
        self.assertAlmostEqual(of_pair["server_us"][1], 1.0)
        # A round in which none was found has none.
        self.assertEqual(set(made.figures["dnsperf", "nsd"]["lossless"]), {1, 3})
        self.assertEqual(set(made.figures["dnsperf", "nsd"]["sent"]), {1, 2, 3})
        rows = {row[:2]: row[2] for row in bench.comparisons(made.figures).rows}
        own = "dnsgauge and fakedns-xdp"
        for title, told in (
            ("other generators", "2.00 (2.00 to 2.00) kxdpgun and fakedns-xdp"),
            ("all other pairs", "2.00 (2.00 to 2.00) kxdpgun and fakedns-xdp"),
            ("others' programs", "10.00 (10.00 to 10.00) kxdpgun and nsd"),
        ):
            self.assertEqual(rows[own, title], told)

    def test_what_makes_a_bench_doubtful(self):
        made = made_up_run.run() | {"complete": False}
        for one in made["turns"]:
            for of_turn in one["trials"]:
                of_turn["stolen_cpu"] = 0.3
        page = self.page(made)
        self.assertIn("The run ended early.", page)
        self.assertIn("The hypervisor took 10.0 % of a CPU", page)

    def test_a_bench_of_a_pair_and_one_of_none(self):
        made = made_up_run.run()
        made["turns"] = [one for one in made["turns"] if one["generator"] == "dnsperf"]
        self.assertNotIn("Ratios", self.page(made))
        self.page(made | {"turns": []})

    def test_all_kinds_on_one_page(self):
        self.draws = True
        page = self.page(
            made_up.trial(), made_up.search(), made_up.search((30000,)), made_up.queries(200)
        )
        self.assertIn("result3 has the highest median of 2 searches", findings(page))
        self.assertIn("Doubts about 4 of them stand below.", findings(page))
        names = re.findall(r' id="([^"]*)"', page)
        self.assertEqual(len(names), len(set(names)), "identifiers are unique")


def placed(places, **changes):
    """Returns an experiment of (settings, rates) cells on a server of four CPUs in two sockets."""
    made = made_up_sets.experiment(places, **changes)
    made["server_topology"] = [
        {"cpu": cpu, "socket": cpu % 2, "core": cpu, "l2": cpu % 2, "l3": None, "node": None}
        for cpu in range(4)
    ]
    for cell in made["cells"]:
        cell["placement"] = {
            "card_node": 1,
            "interrupts": "",
            "handled": made_up.handled(),
            "notes": [],
        }
    return made


class PlacementTest(ReportTest):
    def test_processes(self):
        rates = {1: [90, 100, 110], 2: [180, 200, 220], 4: [185, 195, 205]}
        made = placed([({"server": "echo", "processes": str(n)}, r) for n, r in rates.items()])
        page = self.page(made, words=("--figures", self.folder / "f", "--formats", "svg"))
        self.assertIn("<h3>Rates by server processes</h3>", page)
        with open(self.folder / "f" / "processes.csv", encoding="utf-8", newline="") as file:
            rows = [
                [float(row[key]) for key in ("mean", "minimum", "maximum")]
                for row in csv.DictReader(file)
            ]
        self.assertEqual(rows, [[100, 90, 110], [200, 180, 220], [195, 185, 205]])

    def test_pairs_lie_on_the_topology(self):
        pairs = [f"{one},{other}" for one in range(4) for other in range(one + 1, 4)]
        made = placed(
            [({"server-cpus": cpus}, [100, 120]) for cpus in [*map(str, range(4)), *pairs[:-1]]]
            + [({"server-cpus": pairs[-1]}, [150, 180])]
        )
        made["cells"][0]["placement"]["notes"] = ["3 of 8 receive queues got packets"]
        page = self.page(made)
        for figure in ("Rates on single CPUs", "Rates on pairs of CPUs"):
            self.assertIn(f"<h3>{figure}</h3>", page)
        self.assertIn("CPUs 2 and 3 are 50 % above the slowest. A thick line separates", page)
        self.assertIn("N = 2 results each.", page)
        self.assertIn("3 of 8 receive queues got packets.", page[: page.index("<main")])
        self.assertIn("Packets of the server&#39;s machine in each cell, by queue", page)

    def test_without_a_topology(self):
        made = placed([({"server-cpus": cpus}, [100, 120]) for cpus in ("0,1", "0,2", "1,2")])
        made["server_topology"] = None
        page = self.page(made)
        self.assertIn("<h3>Rates on pairs of CPUs</h3>", page)
        self.assertNotIn("separates sockets", page)


class PerQueryTest(ReportTest):
    draws = False

    def test_queries(self):
        page = self.page(made_up.queries(2000))
        lost = made_up.queries(2000).count(";lost;")
        self.assertIn(f"The others: {lost} lost.", findings(page))
        self.assertIn("RTT over time", page)

    def test_a_line_that_is_cut_off(self):
        text = made_up.queries(100)
        page = self.page(text[:-3])
        self.assertIn("99 queries", findings(page))
        self.assertIn("The last line is cut off", page)

    def test_a_line_that_is_no_query_is_named(self):
        lines = made_up.queries(100).splitlines(keepends=True)
        good = lines[50]
        for wrong in (
            "",
            "x",
            good.replace(";valid;", ";perhaps;"),
            good.replace(";valid;", ";valid;-"),
            re.sub(r";[0-9]+$", ";", good.strip()),
            re.sub(r";[0-9]+$", ";inf", good.strip()),
            re.sub(r";[0-9]+$", ";nan", good.strip()),
            re.sub(r";[0-9]+$", ";9" + "9" * 40, good.strip()),
        ):
            with self.subTest(wrong=wrong):
                text = "".join([*lines[:50], wrong.rstrip("\n") + "\n", *lines[51:]])
                self.assertIn("line 51: it is no query", self.refused(text))

    def test_a_file_without_queries(self):
        self.assertIn("holds no query", self.refused("number;query;sender;sent_ns;class;rtt_ns\n"))


class WatchTest(ReportTest):
    draws = False

    def test_a_search_that_has_ended(self):
        path = self.write(made_up.journal(), "search.jsonl")
        output = self.folder / "page.html"
        status, told, errors = self.run_program("watch", path, "-o", output)
        self.assertEqual((status, told), (0, ""), errors)
        page = output.read_text(encoding="utf-8")
        self.assertIn("keeps 20,359/s", page)
        self.assertNotIn('http-equiv="refresh"', page)

    def test_a_search_that_goes_on(self):
        lines = made_up.journal().splitlines(keepends=True)
        path = Path(self.write("".join(lines[:3]), "search.jsonl"))
        output = self.folder / "page.html"
        # As a search does, this process holds the journal's lock for as long as its input is open.
        hold = (
            "import fcntl, sys; f = open(sys.argv[1]); fcntl.flock(f, 2); print(flush=True);"
            " input()"
        )
        search = subprocess.Popen(
            [sys.executable, "-c", hold, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self.addCleanup(search.stdout.close)
        search.stdout.readline()
        program = TOP / "tools" / "report" / "dnsgauge-report"
        words = [program, "watch", path, "-o", output, "--every", "0.1"]
        watch = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
        self.addCleanup(watch.stderr.close)
        self.assertIn("2 trials", watch.stderr.readline())
        self.assertIn('http-equiv="refresh"', output.read_text(encoding="utf-8"))
        path.write_text("".join(lines[:4]), encoding="utf-8")
        self.assertIn("3 trials", watch.stderr.readline())
        search.stdin.close()
        search.wait()
        self.assertEqual(watch.wait(), 0)
        self.assertNotIn('http-equiv="refresh"', output.read_text(encoding="utf-8"))

    def test_what_is_no_journal_is_refused(self):
        path = self.write(made_up.search())
        status, _, errors = self.run_program("watch", path, "-o", self.folder / "page.html")
        self.assertEqual(status, 2)
        self.assertIn("no journal of a search", errors)


if __name__ == "__main__":
    unittest.main()
