# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sweeps of windows against FakeDNS, whose service time and whose limit are known."""

import pytest
from laboratory import DNSGAUGE, SERVERS, Lab, Result, read_json

DELAY = 0.01  # of each answer, seconds


def sweep(lab: Lab, server: str, *options: object) -> Result:
    """Returns the result of a sweep of windows that came to its end."""
    folder = lab.new_folder()
    made = lab.run(
        "tester", DNSGAUGE, "sweep", "--interface", "g0", "--server", server,
        "--names", "10.0.0.0/16", "--allow-repeats", "--qtype", "A", "--max-others", 100,
        "--journal", folder / "journal", "--json", folder / "json", *options,
    )  # fmt: skip
    assert made.status == 0, made
    return read_json(folder / "json")


@pytest.mark.parametrize(("server", "transport"), [(SERVERS[1], "udp"), (SERVERS[0], "tcp")])
def test_known_delay(lab: Lab, server: str, transport: str) -> None:
    """A server that answers each query after a delay answers N / delay, and never more."""
    lab.serve("--xdp-mode", "off", "--fault", f"delay=100%:{DELAY * 1e3:g}ms")
    options = ["--transport", transport, "--windows", "1,10,100", "--duration", 1]
    r = sweep(lab, server, *options)
    assert r["kind"] == "window-sweep" and r["windows"] == [1, 10, 100]
    assert [step["window"] for step in r["trials"]] == [1, 10, 100]
    for step in r["trials"]:
        places = step["window"]
        assert step["sent"] == step["answered"], step
        # The last turn's answers come when the sending has ended.
        assert 0.5 * places / DELAY < step["answered"] <= places * (1 / DELAY + 1), step
        assert step["mean_open"] <= places and step["rtt_p50_ns"] >= DELAY * 1e9
    assert r["knee"]["open"] is None and "takes 3 runs" in r["knee"]["why_not"]


def test_refusals(lab: Lab) -> None:
    """Windows take the place of rates, and go up."""
    usual = [
        "--interface",
        "g0",
        "--server",
        SERVERS[0],
        "--names",
        "10.0.0.0/16",
        "--journal",
        "j",
    ]
    for options, pattern in (
        ("--windows 5", "--windows: write two windows or more"),
        ("--windows 5,1", "--windows: write two windows or more"),
        ("--windows 1,5 --min-rate 100", "--min-rate.*--windows|--windows.*--min-rate"),
        ("--windows 1,5 --pace poisson", "--windows is a pace of its own"),
        ("--windows 1,5 --catch-up 2", "--catch-up: a window has no overdue queries"),
    ):
        made = lab.run("tester", DNSGAUGE, "sweep", *usual, *options.split())
        assert made.status == 2 and made.has(f"^dnsgauge: .*({pattern})"), made
