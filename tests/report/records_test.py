#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests pages of captures' counts, of floods against the models of the echo, of gates, and of what
tells of a machine: doctor and placement."""

import unittest

import made_up
from support import FiguresTest, findings


class RecordsTest(FiguresTest):
    def test_a_capture(self):
        page = self.drawn(made_up.capture())
        told = findings(page)
        self.assertIn("day.pcap has 1,000 queries and 980 answers of 9.9 s", told)
        self.assertIn("ask for 300 names and come from 40 clients", told)
        self.assertIn("70 % of them ask for A.", told)
        above = page[: page.index("<main")]
        self.assertIn("12 TCP segments were left out.", above)
        self.assertEqual([row["queries"] for row in self.data("messages")][:2], ["100", "100"])
        self.assertEqual(self.data("messages")[-1]["covered_s"], "0.9")
        self.assertEqual(self.data("rcodes")[1], {"kind": "NXDOMAIN", "answers": "80"})
        self.assertIn("www.example.", page)

    def test_a_capture_without_messages(self):
        made = made_up.capture(
            queries=0, answers=0, types={}, rcodes={}, over_time=[], rate=None, since_ns=None
        )
        self.assertIn("has 0 queries and 0 answers", findings(self.page(made)))

    def test_a_capture_that_was_changed_is_refused(self):
        self.assertIn("over_time has 1000 queries", self.refused(made_up.capture(queries=9)))

    def test_floods_of_the_echo(self):
        page = self.drawn(made_up.echo_bench())
        highest = "The highest answered rate is 500,000/s, by dnsgauge and fakedns, XDP."
        self.assertIn(highest, findings(page))
        row = self.data("answered")[0]
        self.assertEqual(
            (row["median"], row["lowest"], row["results"]), ("500000.0", "490000.0", "3")
        )
        self.assertNotIn("Lossless", page.partition("<main")[2])

    def test_a_record_of_floods_that_is_damaged_is_refused(self):
        for rounds, complaint in (
            (None, "rounds is null, not a list of one flood at least"),
            ([], "rounds is an empty list, not a list of one flood at least"),
            ([{}], "one flood at least"),
            ([{"echo poll": [1]}], "two rates"),
            ([{"echo poll": [1, "x"]}], "is the text 'x', not a number"),
        ):
            with self.subTest(rounds=rounds):
                self.assertIn(complaint, self.refused(made_up.echo_bench(rounds=rounds)))


class GateTest(FiguresTest):
    def test_a_gate(self):
        page = self.drawn(made_up.gate(invalid_trials=1, doubts=["the server was busy"]))
        self.assertIn("is slower: p50 at least 10 % worse, 5 % allowed.", findings(page))
        self.assertIn("It took 8 rounds in 32 s; a verdict is wrong in 5 %", findings(page))
        above, _, below = page.partition("<main")
        self.assertIn("The server was busy.", above)
        self.assertIn("1 trial was invalid: their rounds were made again.", above)
        self.assertIn("114 ns", below)
        self.assertIn("old/server", below)
        row = self.data("p50")[7]
        self.assertEqual((row["difference"], row["low"], row["high"]), ("17.0", "10.0", "17.0"))

    def test_a_gate_with_a_probe(self):
        difference = {"median_difference": 50.0, "low": 48.25, "high": 53.0, "rounds": []}
        probe = {"baseline": 9000, "candidate": 9000}
        times = {"stage": "server", "baseline_ns": 12000.0, "candidate_ns": 18000.0}
        probe["stages"] = [times | difference]
        lost = {"fate": "dropped before the server", "baseline": 0, "candidate": 4500}
        probe["fates"] = [lost | difference | {"low": None}]
        page = self.page(made_up.gate(probe=probe))
        cells = ("12.0 µs", "18.0 µs", "50", "48.25", "53")
        row = "</th>" + "".join(f'<td class="number">{cell}</td>' for cell in cells)
        self.assertIn(row, page)
        self.assertIn('<td class="number">4,500</td>', page)
        self.assertNotIn("A probe saw", self.page(made_up.gate()))

    def test_a_gate_without_a_round(self):
        figure = made_up.gate()["figures"][0] | {"rounds": [], "decided_in": 0}
        figure |= {"verdict": "cannot tell", "low": None, "high": None, "median_difference": None}
        said = {"verdict": "cannot tell", "why": "interrupted", "figures": [figure], "first": []}
        self.assertIn("cannot tell whether", findings(self.page(made_up.gate(**said))))


class MachineTest(FiguresTest):
    def test_findings_of_doctor(self):
        page = self.page(made_up.doctor())
        self.assertIn("No benchmark is possible through g0 as it is.", findings(page))
        self.assertIn("4 findings: 1 fail, 1 warn, 1 note and 1 ok.", findings(page))
        above, _, below = page.partition("<main")
        self.assertIn("g0, af-xdp: not supported. Queries are sent through AF_XDP.", above)
        self.assertIn("g0, qdisc: noqueue. A full veth ring drops.", above)
        self.assertNotIn("rings", above)
        self.assertIn("tc qdisc replace dev g0 root pfifo", below)
        self.assertLess(below.index(">af-xdp<"), below.index(">link<"))

    def test_doctor_stands_behind_results(self):
        page = self.page(made_up.doctor(), made_up.trial())
        self.assertLess(page.index("Trial result2:"), page.index("Doctor result1:"))
        self.assertIn("198.18.0.2 passed a trial", findings(page))
        self.assertIn('A full veth ring drops. <span class="whose">(result1)</span>', page)

    def test_a_placement(self):
        page = self.page(made_up.placement())
        self.assertIn("The machine of eth1 has 2 CPUs in 2 sockets.", findings(page))
        self.assertNotIn("memory node", findings(page))
        self.assertIn("These of its 2 queues have handled packets: rx-0.", findings(page))
        above, _, below = page.partition("<main")
        self.assertIn("smp_affinity_list is changed from 0-1 to 1 until dnsgauge placement", above)
        self.assertIn('rx-0</th><td class="number">9,000</td><td class="number">100 %</td>', below)
        self.assertIn("eth1-rx-0", below)

    def test_the_memory_node_of_a_card(self):
        made = made_up.placement(card_node=1)
        self.assertIn("The card of eth1 is next to memory node 1.", findings(self.page(made)))
        made["topology"][1]["node"] = 1
        told = "The card of eth1 is next to memory node 1, as are these CPUs: CPU 1."
        self.assertIn(told, findings(self.page(made)))


if __name__ == "__main__":
    unittest.main()
