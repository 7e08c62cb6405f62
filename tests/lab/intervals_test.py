# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a trial counts by the interval in which queries were sent, against the per-query file: a misbehaving
fakedns, and a server that goes away in the middle."""

import collections
import csv
import math
import re
import shlex
import statistics
import time
from pathlib import Path

import pytest
from laboratory import SERVER4, SERVER6, Lab, Result, Trial, check_sums, read_json, read_lines

FAULTS = "loss=5%,late=3%:1005ms,servfail=7%,truncated=2%,empty=4%,wrong-question=1%,garbage=1%"


def file_options(folder: Path) -> list[object]:
    """Returns the options that have files written into a folder, beside the result."""
    names = ("--per-query", "--intervals", "--dns-metrics")
    return [word for name in names for word in (name, folder / name.lstrip("-"))]


# ---- the same counted anew


def percentile(rtts: list[int], per_mille: int) -> int:
    """RFC 2330 section 11.3."""
    return sorted(rtts)[(len(rtts) * per_mille + 999) // 1000 - 1]


def check_interval(interval: Result, classes: dict[str, int], rtts: list[int]) -> None:
    """Checks an interval against the classes and valid RTTs of its queries."""
    invalid = {
        name: count for name, count in interval["invalid"].items() if count and name != "total"
    }
    counts = {name: interval[name] for name in ("valid", "late", "lost") if interval[name]}
    assert counts | invalid == dict(classes)
    assert interval["sent"] == sum(classes.values())
    told = interval["rtt_ns"]
    assert told["count"] == len(rtts)
    if not rtts:
        assert told["p50"] is None
        return
    assert (told["min"], told["max"]) == (min(rtts), max(rtts))
    assert math.isclose(told["mean"], sum(rtts) / len(rtts), rel_tol=1e-9)
    for name, per_mille in {"p50": 500, "p90": 900, "p99": 990, "p99_9": 999}.items():
        right = percentile(rtts, per_mille)
        assert right <= told[name] <= right * 1.008 + 1, (name, told[name], right)


def check_queries(r: Result, queries: Path) -> None:
    """Checks the intervals against the per-query file."""
    length = round(r["interval_s"] * 1e9)
    classes: dict[int, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    rtts: dict[int, list[int]] = collections.defaultdict(list)
    with queries.open(encoding="ascii", newline="") as file:
        for query in csv.DictReader(file, delimiter=";"):
            number = int(query["sent_ns"]) // length
            classes[number][query["class"]] += 1
            if query["class"] == "valid":
                rtts[number].append(int(query["rtt_ns"]))
    assert max(classes) < len(r["intervals"])
    for number, interval in enumerate(r["intervals"]):
        assert interval["since_s"] * 1e9 == number * length
        check_interval(interval, classes[number], rtts[number])


def check_table(r: Result, table: Path) -> None:
    """Checks the CSV file against the intervals."""
    with table.open(encoding="ascii", newline="") as file:
        rows = list(csv.DictReader(file))
    for row, interval in zip(rows, r["intervals"], strict=True):
        for name in ("sent", "valid", "late", "lost"):
            assert int(row[name]) == interval[name], row
        for reason, count in interval["invalid"].items():
            assert int(row["invalid" if reason == "total" else f"invalid_{reason}"]) == count, row
        told = {
            head.removeprefix("rcode_"): int(cell)
            for head, cell in row.items()
            if head.startswith("rcode_") and cell != "0"
        }
        assert told == interval["rcodes"], row
        p99 = interval["rtt_ns"]["p99"]
        assert row["rtt_p99_ns"] == ("" if p99 is None else str(p99)), row


def check_metrics(r: Result, metrics: Path) -> None:
    """Checks the dns-metrics file against the intervals."""
    periods = [line for line in read_lines(metrics) if line["type"] == "stats_periodic"]
    assert [period["queries"] for period in periods] == [part["sent"] for part in r["intervals"]]
    for period in periods:
        assert period["queries"] == period["responses"] + period["timeouts"], period
        assert sum(period["response_rcodes"].values()) == period["responses"], period


def check_files(r: Result, folder: Path) -> None:
    """Checks that the result, the CSV file and the dns-metrics file tell what the per-query file does."""
    check_sums(r)
    check_queries(r, folder / "per-query")
    check_table(r, folder / "intervals")
    check_metrics(r, folder / "dns-metrics")


def counted(lab: Lab, server: str, *options: object) -> Trial:
    """Makes a trial with intervals, whose verdict may be any."""
    folder = lab.new_folder()
    made = lab.trial(server, *options, *file_options(folder))
    check_files(made.result(), folder)
    return made


# ---- the tests


def test_seconds_unless_told_otherwise(lab: Lab) -> None:
    lab.serve("--fault", FAULTS)
    r = counted(lab, SERVER4, "--duration", 2).result()
    assert r["interval_s"] == 1 and 2 <= len(r["intervals"]) <= 3 and r["later_part"] is None


def test_quarters_of_a_second_and_the_second_half(lab: Lab) -> None:
    lab.serve("--fault", FAULTS)
    made = counted(lab, SERVER6, "--interval", 0.25, "--since", 0.5)
    r = made.result()
    later = r["later_part"]
    assert r["interval_s"] == 0.25 and later["since_s"] == 0.5
    assert later["sent"] == sum(part["sent"] for part in r["intervals"][2:])
    assert later["rtt_ns"]["count"] == later["valid"]
    assert made.has("^  since 0.5 s +sent ")


def test_slots_that_are_used_again_and_again(lab: Lab) -> None:
    lab.serve("--fault", FAULTS)
    options = "--duration 10 --interval 0.5 --timeout 0.25 --names 10.0.0.0/12"
    r = counted(lab, SERVER4, *options.split()).result()
    assert len(r["intervals"]) >= 20 and r["sent"] > 2 * 8192


def test_a_terminal_shows_the_last_second(lab: Lab) -> None:
    """Reports come four times a second or so: a second is told to half of their distance."""
    lab.serve()
    words = lab.trial_words("--server", SERVER4, "--duration", 3, "--rate", 1000)
    said = lab.run("tester", "script", "-qec", shlex.join(map(str, words)), "/dev/null").text
    told = re.findall(r"(\d+\.\d) s of 3 s .*? last second: (\d+) sent", said)
    counts = [int(count) for elapsed, count in told if 1 <= float(elapsed) < 3]
    assert len(counts) > 3 and 850 <= statistics.median(counts) <= 1150, said


def test_no_intervals(lab: Lab) -> None:
    lab.serve("--fault", FAULTS)
    r = lab.trial(SERVER4, "--interval", 0).result()
    check_sums(r)
    assert r["intervals"] == [] and r["interval_s"] is None


def test_a_server_that_goes_away(lab: Lab) -> None:
    lab.serve()
    folder = lab.new_folder()
    options = ["--duration", 6, "--interval", 0.5, *file_options(folder)]
    started, file = lab.start_trial(SERVER4, *options)
    time.sleep(2.5)
    lab.stop_serving()
    started.wait()
    r = read_json(file)
    first, last = r["intervals"][0], r["intervals"][-1]
    assert first["valid"] == first["sent"] > 0
    assert last["lost"] == last["sent"] > 0 and last["rtt_ns"]["p50"] is None
    check_files(r, folder)


@pytest.mark.parametrize(
    ("options", "pattern"),
    [
        ("--since 1.5", "--since 1.5 is no multiple of --interval 1$"),
        ("--since 2", "--since 2 is not before the end of sending, --duration 2$"),
        ("--since 1 --interval 0", "--since counts whole intervals: give --interval more than 0$"),
        ("--interval 0.0001", "--interval 0.0001 cuts 2 s into more than 10000 intervals"),
        ("--interval 0 --intervals x", "--intervals has nothing to write with --interval 0"),
        ("--per-query x --intervals x", "--per-query and --intervals both name"),
    ],
)
def test_refusals(lab: Lab, options: str, pattern: str) -> None:
    usual = "--rate 100 --names 10.0.0.0/16 --duration 2"
    lab.refused(f"^dnsgauge: {pattern}", *usual.split(), *options.split())
