#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests what is shown of the server's kernel: stages, fates, and which stage became slower."""

import json
import unittest
from pathlib import Path

import made_up
import made_up_sets
from support import FiguresTest, findings


def lossy_trial(**changes):
    """Returns a trial that lost 1,000 of 10,000 queries at 20,000/s, whose probe saw 990 of
    these."""
    probe = made_up.probe(
        9990, dropped={"socket_rcvbuff": 900}, unread=50, dropped_replies={"qdisc_drop": 40}
    )
    lossy = made_up_sets.run_at(20000, 0.9)
    return lossy | {"probe": probe} | changes


class TrialTest(FiguresTest):
    def test_stages_and_what_is_left_of_the_rtt(self):
        page = self.drawn(made_up.trial(probe=made_up.probe()))
        (row,) = self.data("stages")
        means = {"stack": 1000, "queue": 5000, "wakeup": 2500, "server": 10000, "leave": 500}
        for stage, mean in means.items():
            self.assertEqual(float(row[f"{stage}_ns"]), mean)
        self.assertAlmostEqual(float(row["rest_ns"]), 130359.0278 - 19000)
        told = "The mean RTT of 130.4 µs is: stack 1.0 µs, queue 5.0 µs, wake-up 2.5 µs,"
        self.assertIn(f"{told} server 10.0 µs, leave 500 ns and links and Tester 111.4 µs.", page)
        self.assertIn("Stages by percentile", page)
        self.assertNotIn("Where queries die", page)
        self.assertIn('<th scope="row">8</th><td>named</td>', page)
        self.assertNotIn("Stages", self.page(made_up.trial()))

    def test_stages_of_queries_at_a_percentile_add_up(self):
        self.drawn(made_up.trial(probe=made_up.probe()))
        rows = [[float(cell) for cell in row.values()] for row in self.data("stages-by-time")]
        stages = [800, 4000, 2000, 8000, 400]
        slow = [26 * one for one in stages]
        self.assertEqual(rows[0], [99, 9900, *stages, 15200])
        self.assertEqual(rows[1], [100, 100, *slow, 26 * 15200])
        for row in rows:
            self.assertEqual(sum(row[2:-1]), row[-1])
        # One query has the whole picture, and so have queries that are all alike.
        for count in (1, 50):
            self.drawn(made_up.trial(probe=made_up.probe(count)))
            self.assertEqual(len(self.data("stages-by-time")), 1)

    def test_the_way_from_the_interface_is_told_where_it_was_measured(self):
        sighted = made_up.probe() | {"sighted": 10000, "wire_ns": made_up.stage_times(10000, 3200)}
        page = self.drawn(made_up.trial(probe=sighted))
        (row,) = self.data("stages")
        self.assertEqual((float(row["wire_ns"]), float(row["stack_ns"])), (4000, 1000))
        self.assertAlmostEqual(float(row["rest_ns"]), 130359.0278 - 23000)
        self.assertIn("The mean RTT of 130.4 µs is: wire 4.0 µs, stack 1.0 µs,", page)
        self.assertIn("wire: from the first sight of the probe&#39;s XDP program until", page)
        # The other stages alone have the time on the machine.
        self.assertEqual(float(self.data("stages-by-time")[0]["all_ns"]), 15200)
        self.assertNotIn("wire_ns", self.data("stages-by-time")[0])
        several = self.drawn(made_up.trial(probe=sighted), made_up.trial(probe=made_up.probe()))
        self.assertIn('wire, mean</th><td class="number">4.0 µs</td>', several)
        self.assertEqual([row["wire_ns"] for row in self.data("1-stages")], ["4000.0", ""])
        # Some queries that were lost have a first sight, too: it is of other queries.
        lossy = lossy_trial()
        lossy["probe"] |= {"sighted": 9990, "wire_ns": made_up.stage_times(9990, 3200)}
        self.assertIn(">wire</th>", self.drawn(lossy))
        self.assertEqual(self.data("stages")[0]["wire_ns"], "")
        self.assertNotIn(">wire</th>", self.drawn(lossy_trial()))

    def test_rtts_of_other_queries_have_no_rest(self):
        late = made_up.trial(valid=9990, late=10, rcodes={})
        late["rtt_ns"]["count"] = 9990
        late["rtt_histogram_ns"][-1][2] -= 10
        page = self.drawn(late | {"probe": made_up.probe()})
        self.assertEqual(self.data("stages")[0]["rest_ns"], "")
        self.assertIn("The mean time in the server&#39;s kernel of 19.0 µs is", page)
        self.assertIn("not told: the RTTs are not those of these queries alone", page)
        share = made_up.trial(probe=made_up.probe(1000) | {"share_percent": 10, "arrived": 10000})
        self.drawn(share)
        self.assertAlmostEqual(float(self.data("stages")[0]["rest_ns"]), 111359.0278)
        self.drawn(late | {"probe": share["probe"]})
        self.assertEqual(self.data("stages")[0]["rest_ns"], "")

    def test_a_sample_lacks_two_stages(self):
        sample = made_up.probe(1000) | {"share_percent": 10, "arrived": 10000}
        sample |= {name: empty_probe()[name] for name in ("stack_ns", "leave_ns")}
        page = self.drawn(made_up.trial(probe=sample))
        (row,) = self.data("stages")
        self.assertEqual((float(row["server_ns"]), row["leave_ns"]), (10000, ""))
        self.assertAlmostEqual(float(row["rest_ns"]), 130359.0278 - 17500)
        heads = ["up_to_percent", "queries", "queue_ns", "wakeup_ns", "server_ns", "all_ns"]
        self.assertEqual(list(self.data("stages-by-time")[0]), heads)
        self.assertIn("server 10.0 µs and links and Tester 112.9 µs.", page)

    def test_older_results_have_no_stack(self):
        old = made_up.probe()
        del old["stack_ns"], old["by_time"]
        page = self.drawn(made_up.trial(probe=old))
        self.assertEqual(self.data("stages")[0]["stack_ns"], "")
        self.assertNotIn("Stages by percentile", page)
        self.assertIn("is: queue 5.0 µs, wake-up 2.5 µs, server 10.0 µs, leave 500 ns and", page)

    def test_queries_without_stack_count_as_none(self):
        few = made_up.probe() | {"stack_ns": made_up.stage_times(5000, 800)}
        self.drawn(made_up.trial(probe=few))
        self.assertEqual(float(self.data("stages")[0]["stack_ns"]), 500)

    def test_what_the_kernel_does_not_tell_is_missing(self):
        poor = made_up.probe() | {"lacks": ["sched_switch", "kfree_skb", "udp_fail_queue_rcv_skb"]}
        poor |= {"wakeup_ns": empty_probe()["wakeup_ns"]}
        for name in ("dropped", "dropped_replies", "sockets"):
            del poor[name]
        for name in ("wakeups", "migrations", "ran_ns", "waited_ns"):
            del poor["threads"][0][name]
        page = self.drawn(made_up.trial(probe=poor))
        self.assertEqual(self.data("stages")[0]["wakeup_ns"], "")
        self.assertIn("queue 5.0 µs, server 10.0 µs, leave 500 ns and links", page)
        told = "lacks sched_switch, kfree_skb and udp_fail_queue_rcv_skb, and what it tells"
        self.assertIn(told, page)

    def test_sockets_that_share_an_address(self):
        sockets = [
            {"address": "192.0.2.1", "inode": 7, "queries": 9, "thread": 8, "reader": "named"},
            {"address": "192.0.2.1", "inode": 6, "queries": 0, "thread": 0, "reader": ""},
        ]
        caption = "The server's sockets that share an address".replace("'", "&#39;")
        page = self.drawn(made_up.trial(probe=made_up.probe() | {"sharing": sockets}))
        self.assertIn(caption, page)
        self.assertNotIn(caption, self.drawn(made_up.trial(probe=made_up.probe())))

    def test_each_query_has_its_fate(self):
        page = self.drawn(lossy_trial())
        rows = [(row["fate"], int(row["queries"])) for row in self.data("fates")]
        lost = [("never arrived", 10), ("dropped: socket rcvbuff", 900), ("unread", 50)]
        lost.append(("reply dropped: qdisc drop", 40))
        self.assertEqual(rows, [("sent", 10000), *lost, ("reply left", 9000)])
        self.assertIn('never arrived</th><td class="number">10</td>', page)
        self.assertIn('<td class="number">9.0090 %</td>', page)
        wrong = lossy_trial()
        wrong["probe"]["unread"] += 1
        page = self.page(wrong)
        self.assertIn("followed 9,990 queries, and tells the fates of 9,991.", page)
        self.assertNotIn("Where queries die", page)

    def test_each_late_query_has_its_place(self):
        late = dict.fromkeys(("stack", "wakeup", "leave", "unknown"), 0)
        late |= {"queue": 50, "server": 4, "way": 6}
        losses = {"dropped": {"socket_rcvbuff": 840}, "unread": 50}
        probe = made_up.probe(9990, **losses, dropped_replies={"qdisc_drop": 40}) | {"late": late}
        page = self.drawn(lossy_trial(lost=940, late=60, probe=probe))
        rows = [(row["fate"], int(row["queries"])) for row in self.data("fates")]
        places = [("late: queue", 50), ("late: server", 4), ("late: way or Tester", 6)]
        self.assertEqual(rows[4:], [("reply dropped: qdisc drop", 40), *places, rows[-1]])
        self.assertEqual(rows[-1], ("reply left, not late", 9000))
        self.assertIn("Late ones: where they were for longest.", page)
        self.assertIn('late: queue</th><td class="number">50</td>', page)
        self.assertIn('reply left</th><td class="number">9,060</td>', page)
        # A query that nothing is known of may have been late.
        probe |= {"forgotten": 1, "left": 9059}
        self.drawn(lossy_trial(lost=940, late=60, probe=probe))
        self.assertEqual(self.data("fates")[-1], {"fate": "reply left", "queries": "9059"})

    def test_trials_side_by_side(self):
        page = self.drawn(lossy_trial(), made_up.trial(probe=made_up.probe(server_ns=9000)))
        rows = self.data("1-stages")
        self.assertEqual([float(row["server_ns"]) for row in rows], [10000, 11250])
        self.assertIn('unread</th><td class="number">50</td><td class="number">0</td>', page)
        self.assertIn('server, mean</th><td class="number">10.0 µs</td>', page)

    def test_a_server_that_nothing_was_seen_of(self):
        page = self.page(made_up.trial(probe=empty_probe()))
        self.assertIn('never arrived</th><td class="number">10,000</td>', page)
        self.assertNotIn("Where the time goes", page)

    def test_a_server_by_af_xdp(self):
        page = self.page(made_up.trial(probe=empty_probe() | {"taken": 9990, "refused": 7}))
        self.assertIn('never arrived</th><td class="number">3</td>', page)
        self.assertIn('taken by AF_XDP</th><td class="number">9,990</td>', page)
        self.assertIn('no room in AF_XDP</th><td class="number">7</td>', page)
        self.assertNotIn("sent by XDP", page)

    def test_a_server_by_xdp(self):
        page = self.page(made_up.trial(probe=empty_probe() | {"xdp_sent": 9990, "xdp_dropped": 7}))
        self.assertIn('never arrived</th><td class="number">3</td>', page)
        self.assertIn('sent by XDP</th><td class="number">9,990</td>', page)
        self.assertIn('dropped on the way out by XDP</th><td class="number">7</td>', page)
        self.assertNotIn("taken by AF_XDP", page)


def empty_probe():
    """Returns a probe that saw no query."""
    probe = made_up.probe(0)
    for name in ("stack_ns", "queue_ns", "wakeup_ns", "server_ns", "leave_ns"):
        probe[name] = dict.fromkeys(probe[name]) | {"count": 0, "histogram": []}
    return probe


class ResolverTest(FiguresTest):
    def test_the_times_of_a_resolver(self):
        resolver = made_up.probe(server_ns=40_000_000) | {"asked": 25_000}
        resolver |= {"alone_ns": made_up.stage_times(3000, 20_000)}
        resolver |= {"others_ns": made_up.stage_times(24_900, 30_000_000)}
        page = self.drawn(made_up.trial(probe=resolver))
        rows = [
            (row["part"], int(row["count"]), int(row["p50_ns"])) for row in self.data("questions")
        ]
        cache, everything = ("cache", 3000, 20_000), ("all queries", 10_000, 40_000_000)
        self.assertEqual(rows, [cache, everything, ("Internet", 24_900, 30_000_000)])
        self.assertIn("What a resolver&#39;s queries wait for", page)
        self.assertIn("24,900 (Internet)", page)
        # No answer came, and each query waited in vain.
        resolver |= {
            "alone_ns": empty_probe()["server_ns"],
            "others_ns": empty_probe()["server_ns"],
        }
        self.drawn(made_up.trial(probe=resolver))
        self.assertEqual([row["part"] for row in self.data("questions")], ["all queries"])

    def test_a_server_that_asks_nobody_has_no_such_figure(self):
        self.assertNotIn("queries wait for", self.page(made_up.trial(probe=made_up.probe())))
        silent = made_up.probe() | {"asked": 0, "others_ns": empty_probe()["server_ns"]}
        self.assertNotIn("queries wait for", self.page(made_up.trial(probe=silent)))


class ProbeTest(FiguresTest):
    def test_a_probe_without_a_trial(self):
        page = self.drawn(made_up.probe_record(unanswered=100, forgotten=3))
        told = findings(page)
        self.assertIn("10,000 queries arrived at port 53 of d0 in 1.00 s.", told)
        self.assertIn("left to 98.97 % of those that were followed; 100 read, unanswered", told)
        self.assertIn("does not know what became of 3 queries", page[: page.index("<main")])
        self.assertEqual(self.data("fates")[-1], {"fate": "reply left", "queries": "9897"})
        self.assertEqual(self.data("stages")[0]["rest_ns"], "")
        made = made_up.probe_record()
        made["probe"] = empty_probe()
        self.assertIn("0 queries arrived", findings(self.page(made)))
        made["probe"] = made_up.probe() | {"interface_drops": {"rx_missed": 1500, "rx_dropped": 2}}
        told = "need not be queries: rx_missed 1,500 and rx_dropped 2."
        self.assertIn(told, findings(self.page(made)))
        several = self.page(made, made_up.probe_record())
        self.assertIn("2 probes are shown beside each other.", several)

    def test_times_that_contradict_each_other_are_refused(self):
        made = made_up.probe_record()
        made["probe"]["server_ns"]["p90"] = 10**9
        self.assertIn("percentiles of probe.server_ns do not ascend", self.refused(made))


class SweepTest(FiguresTest):
    def test_stages_by_rate(self):
        sweep = made_up.sweep(rates=range(500, 5001, 500), repeat=2)
        for step in sweep["trials"]:
            server_ns = step["rate"] if step["repetition"] == 1 else 3 * step["rate"]
            step["probe"] = made_up.probe(step["sent"], server_ns, unread=100)
            step |= {"answered": step["sent"] - 100, "lost": 100, "rtt_mean_ns": 100000.5}
        # The stages are of other queries than the RTTs, or longer.
        other, longer, *_ = (step for step in sweep["trials"] if step["rate"] in (500, 1000))
        other["answered"], longer["rtt_mean_ns"] = 399, 1000
        page = self.drawn(sweep)
        rows = self.data("stages-by-rate")
        self.assertEqual([float(row["rate"]) for row in rows], [*range(500, 5001, 500)])
        for row in rows:
            self.assertEqual(float(row["server_ns"]), 1.25 * 2 * float(row["rate"]))
            self.assertEqual(float(row["queries"]), 2 * (float(row["rate"]) - 100))
        self.assertEqual([row["rest_ns"] for row in rows[:2]], ["", ""])
        for row in rows[2:]:
            parts = ("stack_ns", "queue_ns", "wakeup_ns", "server_ns", "leave_ns", "rest_ns")
            self.assertAlmostEqual(sum(float(row[part]) for part in parts), 100000.5)
        told = "With links and Tester they are the mean RTT. At 2 rates links and Tester are not"
        self.assertIn(told, page)
        # An older sweep tells no mean.
        for step in sweep["trials"]:
            del step["rtt_mean_ns"]
        page = self.drawn(sweep)
        self.assertEqual({row["rest_ns"] for row in self.data("stages-by-rate")}, {""})
        self.assertIn("by the rate sent. At 10 rates links and Tester are not known.", page)
        medians = [row for row in self.data("stage-medians") if row["stage"] == "server"]
        self.assertEqual([float(row["p50_ns"]) for row in medians], [*range(1000, 10001, 1000)])
        self.assertIn("What the server&#39;s kernel saw of each step", page)
        self.assertNotIn("Stages by rate", self.page(made_up.sweep()))

    def test_the_way_from_the_interface_is_a_stage_at_all_rates_or_at_none(self):
        sweep = made_up.sweep(rates=(500, 1000), repeat=1)
        for step in sweep["trials"]:
            wire = made_up.stage_times(step["sent"], 3200)
            step["probe"] = made_up.probe(step["sent"]) | {"wire_ns": wire}
            step |= {"answered": step["sent"], "lost": 0, "rtt_mean_ns": 100000.5}
        self.drawn(sweep)
        for row in self.data("stages-by-rate"):
            self.assertEqual((float(row["wire_ns"]), float(row["rest_ns"])), (4000, 77000.5))
        # At one rate a query was lost, which has a first sight, too.
        sweep["trials"][1]["probe"] |= {"wire_ns": made_up.stage_times(1001, 3200)}
        self.drawn(sweep)
        for row in self.data("stages-by-rate"):
            self.assertNotIn("wire_ns", row)
            self.assertEqual(float(row["rest_ns"]), 81000.5)

    def test_a_journal_has_them_too(self):
        lines = made_up.series_journal("sweep").splitlines()
        made = [json.loads(line) for line in lines]
        for record in made:
            if record.get("record") == "trial":
                record["trial"]["probe"] = made_up.probe(record["trial"]["sent"])
        page = self.drawn("".join(json.dumps(one) + "\n" for one in made))
        self.assertIn("Stages by rate", page)


class CompareTest(FiguresTest):
    def compared(self, a, b, **of_b):
        sides = []
        for side, runs in (("a", a), ("b", b)):
            made = [
                made_up_sets.run_at(20000, since=number)
                | {"probe": made_up.probe(server_ns=time) | (of_b if side == "b" else {})}
                for number, time in enumerate(runs)
            ]
            sides.append([self.write(one, f"{side}{one['since_ns']}.json") for one in made])
        status, told, errors = self.run_program("compare", *sides[0], "--", *sides[1])
        self.assertEqual((status, errors), (0, ""))
        return " ".join(told.split())

    def test_the_stage_that_became_slower_is_named(self):
        old = [8000, 8010, 8020, 8030, 8040]
        told = self.compared(old, [2 * one for one in old])
        self.assertIn("B's mean of stage server is 99 to 101 % higher than A's", told)
        self.assertIn("B's median of stage server is 99 to 101 % higher than A's", told)
        self.assertNotIn("B's mean of stage queue", told)
        self.assertIn("mean of stage server grew most: from 10.0 µs to 20.1 µs", told)

    def test_trials_without_a_probe_are_left_out(self):
        runs = [
            made_up_sets.run_at(20000, since=at) | {"probe": made_up.probe(server_ns=8000)}
            for at in range(5)
        ]
        with_all = [self.write(run, f"with{at}.json") for at, run in enumerate(runs)]
        without = self.write(made_up_sets.run_at(20000, since=9), "without.json")
        _, told, _ = self.run_program("compare", without, *with_all, "--", *with_all)
        self.assertRegex(told, r"mean of stage server +µs +5 +5 +10\.0 +10\.0 +0 ")

    def test_sweeps_tell_which_stage_became_slower(self):
        def probed(server_ns, silent=()):
            sweep = made_up.sweep(rates=(500, 1000, 2000), repeat=5)
            for step in sweep["trials"]:
                time = server_ns * step["rate"] // 500 + 10 * step["repetition"]
                step["probe"] = made_up.probe(step["sent"], time)
                if step["rate"] in silent:
                    step["probe"]["wakeup_ns"] |= {"mean": 0}
            return self.write(sweep, f"{server_ns}-{len(silent)}.json")

        old, new = probed(8000), probed(16000, silent=(2000,))
        page, figures = self.folder / "page.html", self.folder / "figures"
        words = ("-o", page, "--figures", figures, "--formats", "png")
        run = self.run_program("compare", *words, old, "--", new)
        self.assertEqual((run[0], run[2]), (0, ""))
        told = findings(page.read_text(encoding="utf-8"))
        self.assertRegex(
            told, r"mean of stage server is 99 to 1\d\d % higher than A.*Holm for 5 fig"
        )
        # The geometric mean of 10, 20 and 40 µs is 20 µs.
        self.assertIn("stage server grew most: from 20.0 µs to 40.0 µs (medians of 5 and", told)
        self.assertNotIn("mean of stage queue", told)
        _, text, _ = self.run_program("compare", old, "--", new)
        self.assertRegex(
            text,
            r"\n +1,000 .* 2\.5 µs → 2\.5 µs +20\.0 µs → 40\.0 µs .*\n +2,000 .* 2\.5 µs → 0 ns",
        )
        self.assertNotIn("grew most (at", text)
        with open(figures / "2-stages-by-rate.csv", encoding="utf-8") as file:
            self.assertIn("server,2000.0,40037.5,80037.5\n", file.read())
        steps = json.loads(Path(new).read_text(encoding="utf-8"))
        for step in steps["trials"]:
            if step["rate"] == 500:
                step["probe"]["queue_ns"] |= made_up.stage_times(step["sent"], 900_000)
        slow = self.write(steps, "slow.json")
        _, text, _ = self.run_program("compare", old, "--", slow)
        self.assertIn(
            "At 500/s stage queue grew most (at 500/s from 5.0 µs to 1.12 ms); at 1,000/s and"
            " 2,000/s stage server grew most (at 2,000/s from 40.0 µs to 80.0 µs).",
            " ".join(text.split()),
        )
        _, same, _ = self.run_program("compare", old, "--", old)
        self.assertIn("No stage's mean is shown to differ.", " ".join(same.split()))
        without = self.write(made_up.sweep(rates=(500, 1000, 2000)), "without.json")
        self.assertNotIn("stage", self.run_program("compare", old, "--", without)[1])

    def test_stages_are_compared_where_they_mean_the_same(self):
        lacking = {"leave_ns": empty_probe()["leave_ns"]}
        told = self.compared([8000], [16000], **lacking)
        self.assertIn("tell a part of them as another stage: server and leave.", told)
        self.assertNotIn("stage server", told)
        self.assertIn("mean of stage queue", told)

    def fates_compared(self, a, b, *words):
        """Compares runs of (queries dropped at a full socket, queries left unread)."""
        files = []
        for side, runs in (("a", a), ("b", b)):
            for at, (full, unread) in enumerate(runs):
                probe = made_up.probe(
                    dropped={"socket_rcvbuff": full} if full else {}, unread=unread
                )
                run = made_up_sets.run_at(20000, since=at) | {"probe": probe}
                files.append(self.write(run, f"{side}{at}.json"))
        run = self.run_program("compare", *words, *files[: len(a)], "--", *files[len(a) :])
        self.assertEqual((run[0], run[2]), (0, ""))
        return " ".join(run[1].split())

    def test_fates_are_compared(self):
        a = [(0, at) for at in range(6)]
        b = [(1000 + at, 5 - at) for at in range(6)]
        self.fates_compared(
            a,
            b,
            "-o",
            self.folder / "page.html",
            "--figures",
            self.folder / "f",
            "--formats",
            "svg",
        )
        rows = [(row["result"], row["fate"], int(row["queries"])) for row in self.data("4-fates")]
        full, unread = "dropped: socket rcvbuff", "unread"
        of_a = [("sent", 60000), (full, 0), (unread, 15), ("reply left", 59985)]
        of_b = [("sent", 60000), (full, 6015), (unread, 15), ("reply left", 53970)]
        self.assertEqual(rows, [("A", *one) for one in of_a] + [("B", *one) for one in of_b])
        told = self.fates_compared(a, b)
        self.assertIn(
            "The probe saw 15 of 60,000 queries of A lost, and 6,030 of 60,000 of B.", told
        )
        self.assertRegex(
            told,
            f"- {full}: 10 percentage points more of B's queries than of A's \\(medians 10.025 and"
            " 0 %; N = 6 and 6 runs; Mann-Whitney, p = 0.0043 corrected by Holm for 2 fates",
        )
        self.assertNotIn("unread:", told)
        self.assertRegex(told, f"{full} 0 6,015 0.000 10.025 10.025 10.005 10.045 0.0043")

    def test_places_of_late_queries_are_compared(self):
        late = dict.fromkeys(("stack", "wakeup", "leave", "way", "unknown", "server"), 0)
        files = [
            self.write(
                made_up_sets.run_at(20000, since=at)
                | {"probe": made_up.probe() | {"late": late | {"queue": side * 100 + at}}},
                f"{side}{at}.json",
            )
            for side in (0, 1)
            for at in range(6)
        ]
        status, told, errors = self.run_program("compare", *files[:6], "--", *files[6:])
        self.assertEqual((status, errors), (0, ""))
        told = " ".join(told.split())
        self.assertIn("The probe saw 15 of 60,000 queries of A lost or late, and 615 of", told)
        self.assertIn(
            "late: queue: 0.97 to 1 percentage points more of B's queries than of A's", told
        )

    def test_a_change_of_fates_by_chance(self):
        told = self.fates_compared([(0, 0)] * 3, [(1000, 0), (0, 0), (0, 2)])
        self.assertIn(
            "dropped: socket rcvbuff changed by most, from 0 to 3.3333 % of the queries. That is"
            " not shown to be more than chance (N = 3 and 3 runs; Mann-Whitney, p = 1 corrected by"
            " Holm for 2 fates).",
            told,
        )
        self.assertNotIn("What became of", self.fates_compared([(0, 0)], [(0, 0)]))

    def lossy_sweep(self, name, full, unread, repeat=4):
        """Returns the file of a sweep that dropped this share of the queries beyond 500/s at a full
        socket, and left as many queries unread as there were repetitions before."""
        sweep = made_up.sweep(rates=(500, 1000, 2000), repeat=repeat)
        for step in sweep["trials"]:
            dropped = int(full * max(0, step["sent"] - 500))
            lost = {"dropped": {"socket_rcvbuff": dropped}} if dropped else {}
            lost["unread"] = step["repetition"] - 1 if unread else 0
            step["probe"] = made_up.probe(step["sent"], **lost)
        return self.write(sweep, name)

    def test_sweeps_tell_where_queries_died_at_each_rate(self):
        old = self.lossy_sweep("old.json", 0.1, True)
        new = self.lossy_sweep("new.json", 0.4, True)
        words = ("--figures", self.folder / "f", "--formats", "png")
        words += ("-o", self.folder / "page.html")
        run = self.run_program("compare", *words, old, "--", new)
        self.assertEqual((run[0], run[2]), (0, ""))
        rows = [
            (row["fate"], *(float(row[name]) for name in ("rate", "percent_of_a", "percent_of_b")))
            for row in self.data("3-fates-by-rate")
        ]
        full = [(500, 0, 0), (1000, 5, 20), (2000, 7.5, 30)]
        unread = [(rate, 150 / rate, 150 / rate) for rate in (500, 1000, 2000)]
        self.assertEqual(rows[:3], [("dropped: socket rcvbuff", *one) for one in full])
        self.assertEqual(rows[3:], [("unread", *one) for one in unread])
        told = " ".join(self.run_program("compare", old, "--", new)[1].split())
        self.assertIn("What became of queries over all rates: all runs of A and of B", told)
        self.assertIn("The probe saw 818 of 14,000 queries of A lost, and 3,218 of 14,000", told)
        self.assertRegex(told, r"dropped: socket rcvbuff 800 3,200 5\.7143 22\.8571")
        none = self.lossy_sweep("none.json", 0, False)
        self.assertNotIn("What became of", self.run_program("compare", none, "--", none)[1])
        without = self.write(made_up.sweep(rates=(500, 1000, 2000)), "without.json")
        self.assertNotIn("What became of", self.run_program("compare", old, "--", without)[1])

    def test_one_run_of_each_shows_nothing(self):
        told = self.compared([8000], [16000])
        self.assertIn("No stage's mean is shown to differ.", told)
        self.assertIn("from 10.0 µs to 20.0 µs (medians of 1 and 1 runs)", told)
        self.assertNotIn("grew most", self.compared([8000], [8000]))


if __name__ == "__main__":
    unittest.main()
