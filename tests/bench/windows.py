#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Compares RTTs of closed loops, by the number of open queries, with tcpdump's.

dnsgauge asks over UDP, through a bridge where tcpdump records. The table has answers per second, RTTs by dnsgauge and
by tcpdump, and the parts of dnsgauge's RTT before the query reaches the bridge and after the answer has left it.
Windows take turns. Needs root and two CPUs.
"""

import contextlib
import json
import statistics
import time
from pathlib import Path

import pandas

from lab import KINDS, QTYPE, SERVED_NAMES, SERVER_ADDRESS, Lab, Running, Server, dnsgauge_trial, server_cpu
from program import BenchError, found, kernel_setting, percentile, print_table, run, start, take_turns, uninterrupted
from replay import TESTER, packets


@contextlib.contextmanager
def tapped(lab):
    """Puts a bridge in a namespace of its own between the lab's ends. tcpdump sees there what XDP programs take and
    send at an end. t0 leads to the Tester. The server's CPU forwards answers one by one meanwhile: otherwise the
    answers of a burst reach tcpdump's clock only once all have been forwarded."""
    tap, dut = f"{lab.name}-tap", f"{lab.name}-dut"
    own, peer = (json.loads(run("ip", "-n", f"{lab.name}-{host}", "-j", "link", "show", interface))[0]["address"]
                 for host, interface in (("dut", "d0"), ("tester", "g0")))
    steps = (
        f"ip -n {dut} link set d0 netns {tap} name t0 address 02:00:00:00:00:01",
        f"ip netns exec {tap} sysctl -qw net.ipv6.conf.all.disable_ipv6=1",
        f"ip -n {tap} link add t1 type veth peer name d0 netns {dut} address {own}",
        f"ip -n {tap} link add bridge type bridge mcast_snooping 0",
        f"ip -n {tap} link set bridge up",
        f"ip -n {tap} link set t0 master bridge up",
        f"ip -n {tap} link set t1 master bridge up",
        f"ip -n {dut} address add {SERVER_ADDRESS}/24 dev d0",
        f"ip -n {dut} link set d0 up",
        f"ip -n {dut} neighbour replace {TESTER} lladdr {peer} dev d0 nud permanent",
        # With GRO an end polls (NAPI): what the other end's XDP program sends is delivered only then.
        f"ip netns exec {tap} ethtool -K t1 gro on",
        f"ip netns exec {dut} ethtool -K d0 gro on",
    )
    steering = f"echo {1 << server_cpu():x} > /sys/class/net/t1/queues/rx-0/rps_cpus"
    packets_in_turn = "/proc/sys/net/core/dev_weight"  # that a CPU takes from its queue
    try:
        run("ip", "netns", "add", tap)
        for step in steps:
            run(*step.split())
        run("ip", "netns", "exec", tap, "sh", "-c", steering)
        with kernel_setting(packets_in_turn, "1"):
            yield
    finally:
        with uninterrupted():
            if Path("/run/netns", tap).exists():
                run("ip", "netns", "del", tap)


def read_recording(path):
    """Returns the times, ns, of the queries in a recording, and {number of a query: time of its answer}."""
    queries, answers, unanswered = [], {}, {}
    for moment, frame in packets(path):
        source, target, ident = frame[34:36], frame[36:38], frame[42:44]
        if target == b"\0\x35":
            unanswered[source + ident] = len(queries)
            queries.append(moment)
        elif target + ident in unanswered:
            answers[unanswered.pop(target + ident)] = moment
    return queries, answers


def parts_of(log, queries, answers):
    """Returns times, us, of answered queries of a per-query file: RTT by dnsgauge and by tcpdump, and the parts of
    dnsgauge's RTT before tcpdump's RTT and after it. The clocks differ: the shortest part before counts as zero."""
    told = pandas.read_csv(log, sep=";").sort_values("number", ignore_index=True)
    asked, answered = (pandas.Series(times) - queries[0] for times in (queries, answers))
    before = asked - told["sent_ns"]
    parts = pandas.DataFrame({"rtt": told["rtt_ns"], "tcpdump": answered - asked, "before": before - before.min()})
    parts["after"] = parts["rtt"] - parts["tcpdump"] - parts["before"]
    return parts.dropna() / 1000


def recorded(lab, window, options):
    """Returns the answers per second of a trial, and p50 and p99 of the parts of its RTTs."""
    file, log = lab.scratch / "recording.pcap", lab.scratch / "queries.csv"
    words = ("tcpdump", "-i", "t0", "-s", 64, "-B", 262144, "--time-stamp-precision", "nano", "-w", file,
             "udp", "port", 53)
    with Running(lab, "tap", None, *words, wait_for="listening on") as recorder:
        trial = dnsgauge_trial(lab, names=SERVED_NAMES, qtype=QTYPE, allow_repeats=True, pace=f"window={window}",
                               duration=options.duration, timeout=options.timeout, per_query=log)
        time.sleep(1)
    if lost := int(found(r"^(\d+) packets? dropped by kernel", recorder.said, "tcpdump")):
        raise BenchError(f"tcpdump lost {lost} packets with {window} open queries: give a shorter --duration")
    queries, answers = read_recording(file)
    if (len(queries), len(answers)) != (trial["sent"], trial["valid"]):
        raise BenchError(f"tcpdump recorded {len(queries)} of {trial['sent']} queries, and {len(answers)} of "
                         f"{trial['valid']} answers")
    parts = parts_of(log, queries, answers)
    return [trial["window"]["answered_rate"], *(percentile(parts[part], at) for at in (50, 99) for part in parts)]


def main(options):
    kind = next(kind for kind in KINDS if kind.name == options.server)
    with Lab("dgwindows") as lab, tapped(lab), Server(kind, lab):
        trials = take_turns(options.rounds, options.windows, lambda window: recorded(lab, window, options))
    rows = []
    for window, samples in trials.items():
        rate, *times = (statistics.median(each) for each in zip(*samples))
        rows.append((window, f"{rate:.0f}", *(f"{time:.1f}" for time in times)))
    print_table(("open", "answers/s", *(f"{share} {part}" for share in ("p50", "p99")
                                        for part in ("RTT", "tcpdump", "before", "after"))), rows, 1,
                f"{options.server}, {options.duration:g} s, {options.rounds} rounds, medians; RTTs in us")


if __name__ == "__main__":
    start(main, needs=["tcpdump"], server="knotd-sockets", windows=[1, 10, 100, 1000], duration=0.2, timeout=1.0,
          rounds=3)
