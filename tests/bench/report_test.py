#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests figures, ratios and text of a made-up run."""

import unittest

import made_up_run
from report import to_text
from summary import comparisons, disturbance, figures_of, is_of_others, link_share, ratio, spread

TESTER = ("dnsgauge", "fakedns-xdp")


class FiguresTest(unittest.TestCase):
    def setUp(self):
        self.run_made_up = made_up_run.run()
        self.figures = figures_of(self.run_made_up["turns"])

    def test_a_value_a_round(self):
        self.assertEqual(self.figures[TESTER]["lossless"], {1: 1e6, 2: 5e5, 3: 1.5e6})
        self.assertEqual(self.figures[TESTER]["sent"], {1: 2e6, 2: 1e6, 3: 3e6})
        self.assertEqual(self.figures[TESTER]["answered"], {1: 1.8e6, 2: 9e5, 3: 2.7e6})

    def test_a_round_in_which_none_was_found_has_none(self):
        self.assertEqual(set(self.figures["dnsperf", "nsd"]["lossless"]), {1, 3})
        self.assertEqual(set(self.figures["dnsperf", "nsd"]["sent"]), {1, 2, 3})

    def test_what_the_start_costs_is_left_out(self):
        # 2 s for 4,000,000 queries in the first round.
        self.assertAlmostEqual(self.figures[TESTER]["generator_us"][1], 0.5)

    def test_servers_cost_is_of_the_lossless_trials(self):
        # 2 s in each, for 2,000,000 replies.
        self.assertAlmostEqual(self.figures[TESTER]["server_us"][1], 1.0)

    def test_spread(self):
        self.assertEqual(spread([3, 1, 2]), (2, 1, 3))
        self.assertIsNone(spread([]))

    def test_ratios_are_taken_round_by_round(self):
        self.assertEqual(ratio({1: 10, 2: 100}, {1: 5, 2: 50}), (2, 2, 2))
        self.assertEqual(ratio({1: 10, 2: 100}, {2: 50, 3: 1}), (2, 2, 2))
        self.assertIsNone(ratio({1: 10}, {2: 5}))
        self.assertIsNone(ratio({1: 10}, {1: 0}))

    def test_others_programs(self):
        self.assertTrue(is_of_others(("kxdpgun", "nsd")))
        self.assertFalse(is_of_others(("kxdpgun", "fakedns-sockets")))
        self.assertFalse(is_of_others(("dnsgauge", "nsd")))

    def test_comparisons(self):
        rows = {(pair, title): against for pair, title, against in comparisons(self.figures)}
        self.assertEqual(rows[TESTER, "other generators"]["lossless"],
                         (("kxdpgun", "fakedns-xdp"), (2, 2, 2)))
        self.assertEqual(rows[TESTER, "all other pairs"]["sent"],
                         (("kxdpgun", "fakedns-xdp"), (2, 2, 2)))
        self.assertEqual(rows[TESTER, "others' programs"]["lossless"],
                         (("kxdpgun", "nsd"), (10, 10, 10)))

    def test_the_link_beside_the_own_pair(self):
        own, fills, share = link_share(self.figures, self.run_made_up["link"])
        self.assertEqual((own, fills), (TESTER, (1.25e6, 1e6, 1.5e6)))
        self.assertEqual(share, (0.8, 0.5, 1.0))
        self.assertIn("fills XDP_DROP with 1250.0 (1000.0..1500.0) thousand/s; dnsgauge, fakedns-xdp, "
                      "lossless: 0.80 (0.50..1.00) of that", to_text(self.run_made_up))
        # Runs of earlier versions do not have it.
        self.assertIsNone(link_share(self.figures, []))
        self.assertNotIn("link:", to_text({**self.run_made_up, "link": []}))

    def test_disturbance_is_a_share_of_a_cpu(self):
        others, stolen = disturbance(self.run_made_up["turns"])
        self.assertAlmostEqual(others[2], 0.1)
        self.assertEqual(stolen, (0, 0, 0))


class TextTest(unittest.TestCase):
    def test_table(self):
        text = to_text(made_up_run.run())
        for expected in ("Abacus, 2 CPUs, Linux 6.1, 2020-02-02", "1000.0 (500.0..1500.0)",
                         "62.5 (50.0..75.0) 2/3", "To 5 %", "10.00 (10.00..10.00) kxdpgun, nsd"):
            self.assertIn(expected, text)
        self.assertNotIn("INCOMPLETE", text)

    def test_servers_stand_together(self):
        lines = to_text(made_up_run.run()).splitlines()
        first = next(i for i, line in enumerate(lines) if line.startswith("server "))
        self.assertEqual([line.split()[:2] for line in lines[first + 1:first + 6]],
                         [["fakedns-xdp", "dnsgauge"], ["fakedns-xdp", "kxdpgun"],
                          ["nsd", "dnsgauge"], ["nsd", "kxdpgun"], ["nsd", "dnsperf"]])

    def test_what_ended_early_says_so(self):
        made_up = made_up_run.run()
        made_up["complete"] = False
        made_up["turns"] = made_up["turns"][:7]
        self.assertIn("INCOMPLETE: it ended in round 2 of 3", to_text(made_up))
        made_up["turns"] = []
        self.assertEqual(to_text(made_up), "nothing was measured\n")

    def test_a_machine_that_is_not_quiet_is_told(self):
        made_up = made_up_run.run()
        self.assertNotIn("DISTURBED", to_text(made_up))
        for turn in made_up["turns"]:
            for trial in turn["trials"]:
                trial["stolen_cpu"] = 0.3
        self.assertIn("DISTURBED", to_text(made_up))

    def test_one_pair_has_nothing_to_compare_with(self):
        made_up = made_up_run.run()
        made_up["turns"] = [turn for turn in made_up["turns"] if turn["generator"] == "dnsperf"]
        self.assertNotIn("ratios", to_text(made_up))


if __name__ == "__main__":
    unittest.main()
