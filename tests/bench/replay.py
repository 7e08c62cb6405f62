#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how exactly a capture is played: at which times its queries arrive, by tcpdump's clock.

For each rate a capture is made (Poisson arrivals, 1000 clients). dnsgauge, drool, dnsreplay (pdns-tools) and
dnsjit take turns in playing it to a socket that nobody reads, and tcpdump records what arrives. Prints for
each: queries that came, the error of their times (1st, 25th, 75th and 99th percentile, from the
median), and by how much the rate is wrong. Needs root and two CPUs.
"""

import collections
import contextlib
import json
import math
import shutil
import struct
import subprocess
import time
from pathlib import Path

import pandas
from scapy.utils import RawPcapReader

from lab import SERVER_ADDRESS, Lab, Running, dnsgauge_words, generator_cpu, option_words, server_cpu
from program import BIN, percentile, print_table, run, start

CLIENTS = "198.19.0.0/16"
TESTER = "198.18.0.1"
ANSWER_AFTER = 100_000  # ns, in the capture with answers
HANG = 10  # times the duration, until a player is ended
PERCENTILES = (1, 25, 75, 99)

# One that owns the port, so that nobody is told that it is unreachable.
SINK = """
import socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 53))
print("up", flush=True)
time.sleep(100000)
"""


def packets(path):
    """Yields (time in ns, frame) of a pcap file."""
    with contextlib.closing(RawPcapReader(str(path))) as reader:
        for frame, told in reader:
            yield told.sec * 10**9 + told.usec * (1 if reader.nano else 1000), frame


def queries(path):
    """Returns [(time in ns, DNS message without its ID)] of the UDP queries over IPv4."""
    found = []
    for moment, frame in packets(path):
        header = 14 + 4 * (frame[14] & 15)
        if frame[12:14] == b"\x08\x00" and frame[23] == 17 and frame[header + 2:header + 4] == b"\0\x35":
            size, = struct.unpack_from(">H", frame, header + 4)
            found.append((moment, frame[header + 10:header + size]))
    return found


def write_microseconds(entries, target):
    """Writes a pcap file of (time in ns, frame), with microseconds: others read no nanoseconds."""
    with open(target, "wb") as file:
        file.write(struct.pack("=IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for moment, frame in sorted(entries, key=lambda entry: entry[0]):
            seconds, rest = divmod((moment + 500) // 1000, 10**6)
            file.write(struct.pack("=4I", seconds, rest, len(frame), len(frame)) + frame)


def answer_to(frame):
    """Returns the answer without records to a query: dnsreplay wants one."""
    header = 14 + 4 * (frame[14] & 15)
    answer = bytearray(frame)
    answer[26:34] = frame[30:34] + frame[26:30]
    answer[header:header + 4] = frame[header + 2:header + 4] + frame[header:header + 2]
    answer[header + 6:header + 8] = b"\0\0"  # no checksum
    answer[header + 10] |= 0x80
    return bytes(answer)


def make_captures(folder, rate, duration):
    """Returns the path of a capture of the rate, of the same with microseconds, and with answers."""
    made, rounded, answered = (folder / f"{rate}{kind}.pcap" for kind in ("", "-rounded", "-answered"))
    run(BIN / "dnsgauge-queries", "make", *option_words({
        "rate": rate, "duration": duration, "clients": 1000, "server": SERVER_ADDRESS, "output": made}))
    write_microseconds(packets(made), rounded)
    write_microseconds([entry for moment, frame in packets(made)
                        for entry in ((moment, frame), (moment + ANSWER_AFTER, answer_to(frame)))], answered)
    return made, rounded, answered


def players(captures, duration, result):
    """Returns {name: words of the command}, of those that this machine has."""
    made, rounded, answered = captures
    lists = {
        "dnsgauge": dnsgauge_words("trial", json=result, capture=made, clients=CLIENTS, duration=10 * duration,
                                   timeout=0.25, expect="answered"),
        "drool": ("drool", "replay", "--timing", "keep", "--no-responses", "--no-tcp", rounded, SERVER_ADDRESS, 53),
        "dnsreplay": ("dnsreplay", "--timeout-msec", 1, answered, SERVER_ADDRESS, 53),
        "dnsjit": ("dnsjit", Path(__file__).with_name("replay.lua"), rounded, SERVER_ADDRESS, 53),
    }
    return {name: words for name, words in lists.items() if shutil.which(words[0])}


def errors_of(sent, arrived):
    """Returns the errors of the times, ns, of the queries that arrived: the n-th copy of a message
    is the n-th copy that was captured."""
    due, came = (pandas.DataFrame(those, columns=("time", "message")) for those in (sent, arrived))
    for one in (due, came):
        one["copy"] = one.groupby("message").cumcount()
    pairs = due.merge(came, on=("message", "copy"), suffixes=("_due", "_came"))
    pairs = pairs[["time_due", "time_came"]].sort_values(["time_due", "time_came"])
    if len(pairs) < 2:
        return None, None
    pairs -= pairs.iloc[0]
    errors = pairs["time_came"] - pairs["time_due"]
    # The rate comes from the means of the first and the last tenth, which one late query hardly moves.
    tenth = max(1, len(pairs) // 10)
    spans = pairs.tail(tenth).mean() - pairs.head(tenth).mean()
    rate = spans["time_due"] / spans["time_came"] - 1 if spans["time_came"] else None
    return (errors - errors.median()).tolist(), rate


def played(lab, name, words, sent, duration):
    file = lab.scratch / "again.pcap"
    # The kernel keeps a packet in two frames of 2 KiB at worst.
    room = max(16384, 4 * len(sent))
    with Running(lab, "dut", server_cpu(), "tcpdump", "-i", "d0", "-n", "-s", 512, "-B", room,
                 "--time-stamp-precision", "nano", "-w", file, "udp", "dst", "port", 53,
                 wait_for="listening on") as recorder:
        began = time.monotonic()
        try:
            subprocess.run(lab.command("tester", generator_cpu(), *words), stdin=subprocess.DEVNULL,
                           capture_output=True, check=False, timeout=HANG * duration)
        except subprocess.TimeoutExpired:
            pass
        took = time.monotonic() - began
        time.sleep(2)
    dropped = [line.split()[0] for line in recorder.said.splitlines() if "dropped by kernel" in line]
    arrived = queries(file)
    errors, rate = errors_of(sent, arrived)
    row = {"player": name, "captured": len(sent), "arrived": len(arrived),
           "lost_by_tcpdump": int(dropped[0]) if dropped else None, "seconds": took, "rate_error": rate}
    if errors:
        row["percentiles_ns"] = {str(p): percentile(errors, p) for p in PERCENTILES}
    return row


def cells_of(rate, player, rows):
    middle = pandas.json_normalize(rows).median(numeric_only=True)
    errors = (middle.get(f"percentiles_ns.{p}", math.nan) / 1000 for p in PERCENTILES)
    return (rate, player, f"{middle['arrived']:.0f}", *(f"{error:.1f}" for error in errors),
            f"{100 * middle.get('rate_error', math.nan):+.5f}")


def main(options):
    found = collections.defaultdict(list)
    with Lab("dgreplay") as lab:
        run("ip", "-n", f"{lab.name}-dut", "route", "add", CLIENTS, "via", TESTER)
        with Running(lab, "dut", server_cpu(), "/usr/bin/python3", "-c", SINK, wait_for="up"):
            for rate in map(int, options.rates.split(",")):
                captures = make_captures(lab.scratch, rate, options.duration)
                sent = queries(captures[0])
                for _ in range(options.rounds):
                    for name, words in players(captures, options.duration, lab.scratch / "result.json").items():
                        if not options.players or name in options.players.split(","):
                            found[rate, name].append(played(lab, name, words, sent, options.duration))
    if options.json:
        rows = [{"rate": rate} | row for (rate, _), those in found.items() for row in those]
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    print_table(("rate", "player", "arrived", *(f"P{p}" for p in PERCENTILES), "rate, %"),
                [cells_of(*key, those) for key, those in found.items()], 2,
                f"captures of {options.duration:g} s, {options.rounds} rounds, medians; times in us from the median")
    print(f"tcpdump lost {sum(row['lost_by_tcpdump'] or 0 for those in found.values() for row in those)} packets")


if __name__ == "__main__":
    start(main, needs=["tcpdump"], rates=("20000,200000", "queries per second of the captures"),
          duration=(3.0, "seconds of each capture"), rounds=3, players=(str, "only these, between commas"),
          json=(Path, "write the rows to this file"))
