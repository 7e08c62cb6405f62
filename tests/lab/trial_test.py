# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge trial against fakedns: queries and accepted answers, the files written, repetition, interruption, and a
Tester that cannot keep up."""

import csv
import re
import resource
import shutil
import signal
import time

import pytest
from laboratory import (
    BIN,
    DNSGAUGE,
    MORE6,
    SERVER4,
    SERVER6,
    SERVERS,
    SIGNALS,
    TRIES,
    Lab,
    Result,
    Trial,
    check_all_valid,
    check_sums,
    is_spoiled,
    read_json,
    read_lines,
    wait_until,
)


def check_passes(lab: Lab, server: str, *options: object) -> Trial:
    """Makes a trial in which every query is answered right."""
    made = lab.expect(0, server, *options)
    check_all_valid(made.result())
    return made


# ---- queries and answers


@pytest.mark.parametrize(("server", "kind"), [(SERVER4, "A"), (SERVER6, "AAAA")])
def test_types(lab: Lab, server: str, kind: str) -> None:
    lab.serve()
    assert check_passes(lab, server, "--qtype", kind).result()["qtype"] == kind


@pytest.mark.more
@pytest.mark.parametrize(
    ("server", "options"),
    [
        (SERVER6, "--edns-size 1232 --dnssec-ok"),
        (SERVER4, "--recursion-desired"),
        (SERVER4, "--source-ports 1 --first-source-port 65535"),
        (SERVER4, "--source-ports 65535 --first-source-port 1"),
        (SERVER4, "--names 10.0.0.0/24 --allow-repeats"),
    ],
)
def test_kinds_of_queries(lab: Lab, server: str, options: str) -> None:
    lab.serve()
    check_passes(lab, server, *options.split())


MIX = "--types A=60,AAAA=40 --nxdomain 10"


@pytest.mark.parametrize("options", [pytest.param("", marks=pytest.mark.more), MIX])
def test_names_in_random_order(lab: Lab, options: str) -> None:
    """Each name is asked for once, in an order of the trial's own."""
    lab.serve()
    orders = []
    for _ in range(2):
        file = lab.new_folder() / "queries.csv"
        words = [*options.split(), *"--name-order random --names 10.0.0.0/21".split()]
        made = lab.expect(0, SERVER4, *words, "--per-query", file)
        r = made.result()
        assert r["valid"] == r["sent"] == 2000
        assert r["name_order"] == "random" and made.has("in random order")
        assert not any("order" in one for one in r["rfc8219"]["deviations"])
        rows = [row.split(";") for row in file.read_text(encoding="ascii").splitlines()[1:]]
        asked = {int(row[0]): re.findall(r"(?:[0-9]{3}-){3}[0-9]{3}", row[1])[0] for row in rows}
        assert sorted(asked) == list(range(2000)) and len(set(asked.values())) == 2000
        orders.append([asked[number] for number in range(2000)])
    assert orders[0] != orders[1] and all(order != sorted(order) for order in orders)


@pytest.mark.more
def test_any_answer(lab: Lab) -> None:
    lab.serve()
    made = check_passes(lab, SERVER6, "--answer", "any", "--answer-prefix", "2001:db8:1::/96")
    assert made.result()["answer"] == "any"


def test_another_prefix_makes_all_data_wrong(lab: Lab) -> None:
    lab.serve()
    r = lab.expect(1, SERVER4, "--answer-prefix", "2001:db8:1::/96").result()
    assert r["invalid"]["wrong_data"] == r["sent"] == 2000 and r["verdict"] == "fail"


@pytest.mark.more
def test_another_zone_is_refused(lab: Lab) -> None:
    lab.serve()
    r = lab.expect(1, SERVER6, "--zone", "other.test").result()
    assert r["invalid"]["rcode"] == r["rcodes"]["REFUSED"] == 2000


@pytest.mark.parametrize("server", SERVERS)
def test_stale_replies_take_no_place(lab: Lab, server: str) -> None:
    """Replies that nobody fetched wait in g0's ring until a program comes."""
    if not shutil.which("dnsperf"):
        pytest.skip("no dnsperf on this machine: see tools/install-packages")
    lab.serve()
    questions = lab.scratch / "questions"
    names = [f"010-000-000-{i:03}.dns64perf.test A\n" for i in range(256)]
    questions.write_text("".join(names), encoding="ascii")
    words = ["dnsperf", "-s", server, "-d", questions, "-l", 1, "-t", 0.1, "-q", 400]
    lab.run("tester", "timeout", 10, *words)
    check_passes(lab, server)


@pytest.mark.parametrize("server", SERVERS)
def test_late_replies_are_late_to_the_end(lab: Lab, server: str) -> None:
    """The trial listens for late replies to its last queries as long as for those to its first. A response of
    dns-metrics is in time, with an RCODE; every other query timed out."""
    lab.serve("--fault", "late=10%:1100ms")
    metrics = lab.new_folder() / "metrics.jsonl"
    r = lab.expect(1, server, "--rate", 1024, "--timeout", 1, "--dns-metrics", metrics).result()
    assert r["late"] >= 102 and r["lost"] == 0 and r["sent"] == 1024
    (stats,) = (line for line in read_lines(metrics) if line["type"] == "stats_sum")
    assert sum(stats["response_rcodes"].values()) == stats["responses"] == r["valid"]
    assert stats["responses"] + stats["timeouts"] == stats["queries"] == r["sent"]
    assert sum(r["rcodes"].values()) == r["valid"] + r["late"]


# ---- the result and the other files


def test_every_field(lab: Lab) -> None:
    lab.serve()
    r = check_passes(lab, SERVER6).result()
    fields = """schema server port transport zone rate duration_s timeout_s accept_percent sent valid late lost
        duplicate unexpected invalid rcodes rtt_ns sending verdict why"""
    assert not set(fields.split()) - set(r)
    reasons = """total rcode no_answer wrong_data wrong_owner extra_records trailing_octets wrong_question
        wrong_flags truncated malformed"""
    assert set(r["invalid"]) == set(reasons.split())
    assert set(r["rtt_ns"]) == set("count min mean stddev p50 p90 p99 p99_9 max".split())
    assert {"duration_ns", "achieved_rate", "lateness_ns"} <= set(r["sending"])
    assert set(r["sending"]["lateness_ns"]) == {"p50", "p99", "max"}
    rtt = r["rtt_ns"]
    in_order = [rtt[name] for name in ("min", "p50", "p90", "p99", "p99_9", "max")]
    assert 0 < rtt["min"] and in_order == sorted(in_order)
    assert rtt["min"] <= rtt["mean"] <= rtt["max"]
    assert (r["schema"], r["server"], r["port"]) == ("dnsgauge/trial/1", SERVER6, 53)
    assert (r["transport"], r["zone"], r["names"]) == ("udp", "dns64perf.test", "10.0.0.0/16")
    asked = (r["rate"], r["duration_s"], r["timeout_s"], r["accept_percent"])
    assert asked == (2000, 1, 1, 100)
    assert r["circumstances"]["command"][1] == "trial"


def test_per_query(lab: Lab) -> None:
    """The file has every query of the range once, in order, and valid."""
    lab.serve()
    queries = lab.new_folder() / "queries.csv"
    check_passes(lab, SERVER4, "--per-query", queries)
    with queries.open(encoding="ascii", newline="") as file:
        assert file.readline() == "number;query;sender;sent_ns;class;rtt_ns\n"
        rows = list(csv.reader(file, delimiter=";"))
    assert len(rows) == 2000
    last = 0
    for i, (number, query, sender, sent, found, rtt) in enumerate(rows):
        assert (number, sender, found) == (str(i), "0", "valid")
        assert query == f"010-000-{i // 256:03}-{i % 256:03}.dns64perf.test"
        assert int(rtt) >= 0 and int(sent) >= i * 500000 and int(sent) >= last
        last = int(sent)


def test_metrics(lab: Lab) -> None:
    """The lines of one run have the result once more."""
    lab.serve()
    metrics = lab.new_folder() / "metrics.jsonl"
    result = check_passes(lab, SERVER4, "--dns-metrics", metrics).result()
    header, event, *periods, stats = read_lines(metrics)
    assert all(one["type"] == "stats_periodic" for one in periods)
    assert sum(one["queries"] for one in periods) == stats["queries"]
    assert sum(one["responses"] for one in periods) == stats["responses"]
    assert header["runid"] == event["runid"] == stats["runid"]
    assert event["msg"].startswith("pass: ")
    assert stats["queries"] == stats["responses"] == result["sent"] == 2000
    assert sum(count for _, _, count in stats["response_latency"]["buckets"]) == 2000
    assert stats["dnsgauge"] == result
    # One second of sending, and then the timeout.
    assert 2 < (stats["until"] - stats["since"]) / 1e9 < 7


def test_repeated_names_are_refused(lab: Lab) -> None:
    lab.serve()
    made = lab.trial(SERVER4, "--names", "10.0.0.0/24")
    assert made.status == 2 and made.has(r"^dnsgauge: .*2000.*10\.0\.0\.0/24.*256")
    assert not made.file.exists()


# ---- as of a DNS64 server: FakeDNS stands in for one, and answers only with the names' own records


def test_dns64(lab: Lab) -> None:
    lab.serve()
    options = ["--dut", "dns64", "--beyond-selftest", "--aaaa-share", 100]
    r = check_passes(lab, SERVER6, *options).result()
    assert r["answer"] == "2001:db8:64::/96" and r["dns64"]["aaaa_share_percent"] == 100
    assert "no self-test of the Tester covers it" in r["rfc8219"]["deviations"]


@pytest.mark.parametrize("server", [SERVER4, MORE6])
def test_dns64_options_that_disagree_are_named(lab: Lab, server: str) -> None:
    lab.serve()
    r = lab.expect(1, server, "--dut", "dns64", "--beyond-selftest").result()
    assert r["invalid"]["wrong_data"] == r["sent"] == 2000
    assert "options disagree" in r["why"] and "--aaaa-share (0)" in r["why"]


@pytest.mark.more
def test_dns64_every_other_query_for_one_name(lab: Lab) -> None:
    lab.serve()
    queries = lab.new_folder() / "queries.csv"
    options = ["--dut", "dns64", "--beyond-selftest", "--aaaa-share", 100, "--cached-share", 50]
    check_passes(lab, SERVER6, *options, "--per-query", queries)
    with queries.open(encoding="ascii", newline="") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    for row in rows:
        assert row["query"].startswith("010-000-000-000.") == (int(row["number"]) % 2 == 1), row
    assert len({row["query"] for row in rows}) == 1001


def test_dns64_notes(lab: Lab) -> None:
    lab.serve()
    options = ["--dut", "dns64", "--beyond-selftest", "--answer-prefix", "64:ff9b::/96"]
    made = lab.trial(SERVER4, *options, "--duration", 0.1, "--timeout", 0.1)
    assert made.has("^dnsgauge: note: .*RFC 6052 section 3.1"), made
    assert made.has("^dnsgauge: note: .*wants IPv6"), made


def test_dns64_needs_a_selftest(lab: Lab) -> None:
    lab.serve()
    none = str(lab.scratch / "none")
    made = lab.trial(SERVER6, "--dut", "dns64", "--aaaa-share", 100, DNSGAUGE_STATE=none)
    assert made.status == 2
    assert made.has("^dnsgauge: 2000 queries/s may be beyond this Tester")


def test_no_cache_of_an_authoritative_server(lab: Lab) -> None:
    lab.serve()
    made = lab.trial(SERVER4, "--cached-share", 20)
    assert made.status == 2
    assert made.has("^dnsgauge: --aaaa-share and --cached-share .*--dut dns64")


# ---- several trials


def repeated(lab: Lab, status: int, server: str, *options: object) -> tuple[Result, Trial]:
    """Makes trials that must end with this exit status together. Their result has no counts of its own."""
    made = lab.trial_for_verdict(server, *options)
    assert made.status == status, made
    return made.result(), made


def test_repeat(lab: Lab) -> None:
    lab.serve()
    metrics = lab.new_folder() / "metrics.jsonl"
    options = ["--repeat", 3, "--duration", 0.2, "--pause", 0.1, "--dns-metrics", metrics]
    r, made = repeated(lab, 0, SERVER6, *options)
    assert r["schema"] == "dnsgauge/trials/1" and r["verdict"] == "pass"
    assert [(t["valid"], t["sent"], t["verdict"]) for t in r["trials"]] == [(400, 400, "pass")] * 3
    assert r["spread"]["trials"] == 3 and r["spread"]["answered_percent"]["min"] == 100
    medians = sorted(t["rtt_ns"]["p50"] for t in r["trials"])
    assert r["spread"]["rtt_ns"]["p50"]["median"] == medians[1]
    for number in (1, 2, 3):
        assert made.has(f"^trial {number} of 3: "), made
    assert sum(line["type"] == "stats_sum" for line in read_lines(metrics)) == 3


def test_repeat_without_answers(lab: Lab) -> None:
    lab.serve()
    options = ["--port", 54, "--repeat", 2, "--duration", 0.05, "--pause", 0, "--timeout", 0.2]
    r, _ = repeated(lab, 1, SERVER4, *options)
    assert [t["lost"] for t in r["trials"]] == [100, 100] and "2 of 2 trials fail" in r["why"]
    assert r["spread"]["rtt_ns"]["p50"]["median"] is None


def test_repeat_with_fresh_names(lab: Lab) -> None:
    lab.serve()
    options = "--repeat 2 --duration 0.05 --pause 0 --fresh-names --names 10.0.0.0/24".split()
    r, _ = repeated(lab, 0, SERVER4, *options)
    assert [t["names"] for t in r["trials"]] == ["10.0.0.0/25", "10.0.0.128/25"]


@pytest.mark.parametrize("order", [pytest.param("ascending", marks=pytest.mark.more), "random"])
def test_each_trial_of_a_mix_has_fresh_names(lab: Lab, order: str) -> None:
    """FakeDNS loses the names that it says it would lose, and no half of the names loses as many as the other."""
    faults = ("--fault", "loss=20%")
    lost = []
    for names in ("10.0.0.0/25", "10.0.0.128/25"):
        predicted = lab.run("dut", BIN / "fakedns", *faults, "--predict", names).text
        lost += [int(count) for count in re.findall(r"^loss (\d+)$", predicted, re.MULTILINE)]
    assert len(set(lost)) == 2
    lab.serve(*faults)
    options = (
        "--repeat 2 --duration 0.064 --pause 0 --timeout 0.5 --fresh-names --names 10.0.0.0/24"
    )
    words = [*options.split(), *"--types A=60,AAAA=40 --name-order".split(), order]
    r, _ = repeated(lab, 1, SERVER4, *words)
    assert [t["sent"] for t in r["trials"]] == [128, 128]
    assert [t["lost"] for t in r["trials"]] == lost


def test_repeat_has_no_per_query_file(lab: Lab) -> None:
    lab.serve()
    made = lab.trial(SERVER4, "--repeat", 2, "--per-query", lab.scratch / "queries")
    assert made.status == 2 and made.has("^dnsgauge: --per-query is the file of one trial")


def test_repeat_interrupted_keeps_whole_trials(lab: Lab) -> None:
    lab.serve()
    file = lab.new_result()
    options = ["--server", SERVER4, "--duration", 0.2, "--repeat", 100, "--pause", 1]
    started = lab.start("tester", *lab.trial_words(*options, "--json", file))
    wait_until(lambda: "trial 2 of 100" in started.said())
    assert started.end(signal.SIGINT).status == 3
    r = read_json(file)
    assert r["verdict"] == "invalid" and r["why"].startswith("interrupted after")
    assert len(r["trials"]) >= 2 and r["repeat"] == 100 and r["error"] is None
    assert r["trials"][0]["valid"] == r["trials"][1]["valid"] == 400


def test_repeat_keeps_the_trials_before_one_that_cannot_be_made(lab: Lab) -> None:
    lab.serve()
    file, metrics = lab.new_result(), lab.new_folder() / "metrics.jsonl"
    options = ["--server", SERVER4, "--duration", 0.2, "--repeat", 4, "--pause", 1, "--json", file]
    started = lab.start("tester", *lab.trial_words(*options, "--dns-metrics", metrics))
    wait_until(lambda: "trial 2 of 4" in started.said())
    lab.ip("route", "add", "unreachable", f"{SERVER4}/32")
    said = started.wait()
    lab.ip("route", "del", "unreachable", f"{SERVER4}/32")
    assert said.status == 2 and said.has("^dnsgauge: trial 3 of 4: no route"), said
    r = read_json(file)
    assert r["verdict"] == "invalid" and r["repeat"] == 4 and r["spread"]["trials"] == 2
    assert [t["valid"] for t in r["trials"]] == [400, 400]
    assert r["error"].startswith("no route") and r["error"] in r["why"]
    assert r["why"].startswith("ended by an error after 2 of 4 trials")
    assert sum(line["type"] == "stats_sum" for line in read_lines(metrics)) == 2


# ---- interruption, and others


@pytest.mark.more
def test_renamed_interface(lab: Lab) -> None:
    lab.serve()
    started, file = lab.start_trial(SERVER4, "--duration", 2)
    time.sleep(0.5)
    try:
        assert lab.ip("link", "set", "g0", "name", "g9").status == 0
        started.wait()
    finally:
        lab.ip("link", "set", "g9", "name", "g0")
    r = read_json(file)
    check_sums(r)
    assert any("g0 got the name g9 during the trial" in doubt for doubt in r["doubts"]), r["doubts"]


@pytest.mark.more
def test_no_descriptor_at_the_end(lab: Lab) -> None:
    """The machine cannot be asked for counters and names any more: the figures stay, and prove nothing. Nor can
    the result's directory be synced, which is said once the result is written."""
    lab.serve()
    started, file = lab.start_trial(SERVER4, "--duration", 2)
    time.sleep(0.5)  # the set-up ends a moment after the program is attached
    resource.prlimit(started.process.pid, resource.RLIMIT_NOFILE, (3, 3))
    said = started.wait()
    assert said.status == 2 and said.has("^dnsgauge: cannot sync the directory of --json"), said
    r = read_json(file)
    check_sums(r)
    assert (
        r["sent"] == 4000
        and r["verdict"] == "invalid"
        and "the counters of g0 could not be read" in r["why"]
    )
    untold = [doubt for doubt in r["doubts"] if "the system could not tell" in doubt]
    assert len(untold) == 4 and all("Too many open files" in doubt for doubt in untold), r["doubts"]


@pytest.mark.parametrize(
    "sent",
    [pytest.param(one, marks=() if one is signal.SIGINT else pytest.mark.more) for one in SIGNALS],
)
def test_interruption(lab: Lab, sent: signal.Signals) -> None:
    lab.serve()
    started, file = lab.start_trial(SERVER4, "--names", "10.0.0.0/8", "--duration", 60)
    time.sleep(0.5)
    assert started.end(sent).status == 3
    r = read_json(file)
    check_sums(r)
    assert r["verdict"] == "invalid" and "interrupted" in r["why"] and 0 < r["sent"] < 120000
    assert lab.has_no_leftovers()


@pytest.mark.parametrize(
    ("status", "redirection", "pattern"),
    [
        (2, "> >(exec true)", "^dnsgauge: cannot write standard output"),
        pytest.param(2, ">/dev/full", "", marks=pytest.mark.more),
        (0, ">&-", ""),
        pytest.param(0, "2>&-", "", marks=pytest.mark.more),
        pytest.param(0, "2>/dev/full", "", marks=pytest.mark.more),
    ],
    ids=["no reader", "full disk", "closed", "no standard error", "full standard error"],
)
def test_streams(lab: Lab, status: int, redirection: str, pattern: str) -> None:
    """The result goes to its file whatever becomes of standard output and error."""
    lab.serve()
    for _ in range(TRIES):
        file = lab.new_result()
        words = lab.trial_words("--server", SERVER4, "--json", file, "--duration", 0.5)
        said = lab.run("tester", "bash", "-c", f'exec "$@" {redirection}', "-", *words)
        r = read_json(file)
        if not is_spoiled(r):
            break
    assert said.status == status and said.has(pattern), said
    check_sums(r)
    check_all_valid(r)
    assert lab.has_no_leftovers()


def test_output_that_nobody_reads(lab: Lab) -> None:
    """Results are in their files while the printing still waits for a reader."""
    lab.serve()
    full = 'mkfifo "$0" && exec 3<>"$0" && head -c 65536 /dev/zero >&3 && exec "$@" >&3'
    usual = "--interface g0 --duration 0.2 --max-lateness 60 --max-overrun 60 --max-others 100"
    trial = (*usual.split(), "--server", SERVER4)
    sweep = "--names 10.0.0.0/16 --min-rate 500 --max-rate 1000 --steps 2 --beyond-selftest"
    trials = lab.trial(SERVER4).file
    for words in (
        ("trial", *trial, "--names", "10.0.0.0/16", "--rate", 1000),
        ("sweep", *trial, *sweep.split(), "--journal", lab.scratch / "journal"),
        ("selftest", *trial, "--rate", 1000, "--record", lab.scratch / "record"),
        ("probe", "--interface", "g0", "--duration", 0.1),
        ("gate", "--baseline", trials, "--candidate", trials),
        ("doctor", "--interface", "g0"),
    ):
        file, pipe = lab.new_result(), lab.scratch / f"{words[0]}.pipe"
        shell = ("bash", "-c", full, pipe, DNSGAUGE, *words, "--json", file)
        started = lab.start("tester", *shell)
        assert wait_until(file.exists, 60), (words, started.said())
        assert started.process.poll() is None, (words, started.said())
        started.end(signal.SIGKILL)


def test_a_second_trial_leaves_the_first_alone(lab: Lab) -> None:
    lab.serve()
    started, _ = lab.start_trial(SERVER4, "--names", "10.0.0.0/8", "--duration", 60)
    words = lab.trial_words("--server", SERVER4)
    said = lab.run("tester", *words)
    assert said.status == 2 and said.has("^dnsgauge: process [0-9]+ has g0 for its trials"), said
    assert lab.has_program()
    started.end(signal.SIGKILL)
    assert wait_until(lambda: not lab.has_program(), 5), "SIGKILL leaves a program"
    for left in lab.scratch.rglob("*.tmp*"):
        left.unlink()
    check_passes(lab, SERVER4)


def test_overload(lab: Lab) -> None:
    """No veth pair carries this rate: the Tester is the limit, so nothing is learned."""
    lab.serve()
    options = "--rate 20000000 --duration 0.1 --names 10.0.0.0/7 --timeout 0.1 --max-lateness 0.05"
    made = lab.trial(SERVER4, *options.split())
    assert made.status == 3
    r = made.result()
    check_sums(r)
    assert r["verdict"] == "invalid" and r["why"] != ""


# ---- other servers


def test_share_accepted(lab: Lab) -> None:
    """60 % of AAAA records are enough for --accept 50, and the result says that RFC 8219 does not know that."""
    lab.serve("--aaaa-share", "60")
    made = lab.expect(0, SERVER6, "--accept", 50, "--timeout", 2)
    assert made.has("not compliant with RFC 8219")
    r = made.result()
    assert r["valid"] == 1200 and r["invalid"]["no_answer"] == 800 and r["accept_percent"] == 50
    assert not r["rfc8219"]["compliant"]
    assert r["rfc8219"]["deviations"] == [
        "accepts 50 %",
        "trials of 1 s, not 60 s",
        "a timeout of 2 s, not at most 1 s",
        "max-lateness of 60 s, not at most 0.05 s",
        "max-overrun of 60 s, not at most 0.001 s",
        "max-others of 100 %, not at most 5 %",
    ]


@pytest.mark.parametrize(("status", "accepted"), [(0, "60"), (1, "60.01")])
def test_share_of_answers(lab: Lab, status: int, accepted: str) -> None:
    lab.serve("--aaaa-share", "60")
    assert lab.expect(status, SERVER4, "--accept", accepted).result()["valid"] == 1200


@pytest.mark.parametrize("server", [SERVER4, MORE6])
def test_generic_xdp(lab: Lab, server: str) -> None:
    lab.serve("--xdp-mode", "native")
    r = check_passes(lab, server, "--xdp-mode", "generic").result()
    assert r["circumstances"]["xdp_mode"] == "generic"


def test_dead_server(lab: Lab) -> None:
    lab.stop_serving()
    r = lab.expect(1, SERVER6, "--timeout", 0.5).result()
    assert r["lost"] == r["sent"] == 2000 and r["rtt_ns"]["min"] is None
    assert r["verdict"] == "fail"


def test_no_trial_without_the_cached_name(lab: Lab) -> None:
    lab.stop_serving()
    options = "--dut dns64 --beyond-selftest --cached-share 20 --timeout 0.3"
    made = lab.trial(SERVER6, *options.split())
    assert made.status == 2 and not made.file.exists()
    assert made.has(
        "^dnsgauge: the server did not answer the name that is to be in its cache.*lost"
    )


def test_nothing_is_left(lab: Lab) -> None:
    assert lab.has_no_leftovers()
