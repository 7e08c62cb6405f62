#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""windows.py [DELAY_MS [SECONDS [RUNS]]]: measures how near closed loops come to a known service time. FakeDNS answers by
sockets, each query after the delay, so N open queries have N / delay answers a second. Prints by how much the answers
per second that a sweep of windows tells are off, and where the rest of a turn goes: beyond the delay until the answer is
seen, and from there until the place has its next query. Makes a lab of its own; must be root."""

import json
import statistics
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "lab"))
from laboratory import DNSGAUGE, SERVERS, Lab  # noqa: E402


def main() -> None:
    delay_ms, seconds, runs = (int(one) for one in (*sys.argv[1:], *("20", "10", "5")[len(sys.argv) - 1 :]))
    lab = Lab()
    try:
        lab.serve("--xdp-mode", "off", "--fault", f"delay=100%:{delay_ms}ms")
        print(f"delay {delay_ms} ms, {runs} runs of {seconds} s")
        print(
            f"{'':8}{'open':>6}{'N/delay':>10}{'answers/s':>12}{'off %':>8}{'least':>8}{'most':>8}{'RTT+ us':>9}{'turn us':>9}"
        )
        for transport in ("udp", "tcp"):
            folder = lab.new_folder()
            made = lab.run(
                "tester", DNSGAUGE, "sweep", "--interface", "g0", "--server", SERVERS[0], "--names", "10.0.0.0/8",
                "--transport", transport, "--windows", "1,10,100", "--repeat", runs, "--duration", seconds,
                "--journal", folder / "journal", "--json", folder / "json",
            )  # fmt: skip
            if made.status != 0:
                sys.exit(made.text)
            steps: dict[int, list[dict]] = {}
            for line in (folder / "journal").read_text().splitlines()[1:]:
                trial = json.loads(line)["trial"]
                if trial["verdict"] != "invalid":
                    steps.setdefault(trial["window"]["places"], []).append(trial)
            for window, trials in steps.items():
                wanted = window * 1e3 / delay_ms
                rates = [trial["window"]["answered_rate"] for trial in trials]
                off = [100 * (rate / wanted - 1) for rate in rates]
                beyond = statistics.median(trial["rtt_ns"]["mean"] / 1e3 - 1e3 * delay_ms for trial in trials)
                turn = statistics.median(trial["sending"]["lateness_ns"]["p50"] / 1e3 for trial in trials)
                print(
                    f"{transport:8}{window:6}{wanted:10.0f}{statistics.median(rates):12.2f}{statistics.median(off):8.2f}"
                    f"{min(off):8.2f}{max(off):8.2f}{beyond:9.1f}{turn:9.2f}",
                    flush=True,
                )
    finally:
        lab.close()


if __name__ == "__main__":
    main()
