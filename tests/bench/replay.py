#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how exactly a capture is played: at which times its queries arrive, by tcpdump's clock.

    sudo tests/bench/replay.py --rates 20000,200000 --duration 3 --rounds 3

For each rate a capture is made (Poisson arrivals, 1000 clients). dnsgauge, drool, dnsreplay (pdns-tools) and
dnsjit take turns in playing it to a socket that nobody reads, and tcpdump records what arrives. Prints for
each: queries that came, the error of their times (1st, 25th, 75th and 99th percentile, from the
median), and by how much the rate is wrong. Needs a build, root and two CPUs; see README.md.
"""

import collections
import json
import shutil
import statistics
import struct
import subprocess
import time
from pathlib import Path

from lab import SERVER_ADDRESS, Lab, Running, generator_cpu, option_words, server_cpu, trial_words
from program import BIN, BenchError, percentile, print_table, run, start

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
    """Yields (time in ns, frame) of a pcap file in this machine's order of octets."""
    data = Path(path).read_bytes()
    unit = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}.get(struct.unpack_from("=I", data)[0])
    if unit is None:
        raise BenchError(f"{path} is no pcap file of this machine's order of octets")
    at = 24
    while at + 16 <= len(data):
        seconds, fraction, size, _ = struct.unpack_from("=4I", data, at)
        yield seconds * 10**9 + fraction * unit, data[at + 16:at + 16 + size]
        at += 16 + size


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
        "dnsgauge": trial_words(result, capture=made, clients=CLIENTS, duration=10 * duration, timeout=0.25,
                                expect="answered"),
        "drool": ("drool", "replay", "--timing", "keep", "--no-responses", "--no-tcp", rounded, SERVER_ADDRESS, 53),
        "dnsreplay": ("dnsreplay", "--timeout-msec", 1, answered, SERVER_ADDRESS, 53),
        "dnsjit": ("dnsjit", Path(__file__).with_name("replay.lua"), rounded, SERVER_ADDRESS, 53),
    }
    return {name: words for name, words in lists.items() if shutil.which(words[0])}


def errors_of(sent, arrived):
    """Returns the errors of the times, ns, of the queries that arrived: the n-th copy of a message
    is the n-th copy that was captured."""
    times = collections.defaultdict(collections.deque)
    for moment, message in sent:
        times[message].append(moment)
    pairs = []
    for moment, message in arrived:
        if times[message]:
            pairs.append((times[message].popleft(), moment))
    if len(pairs) < 2:
        return None, None
    pairs.sort()
    errors = [(moment - pairs[0][1]) - (due - pairs[0][0]) for due, moment in pairs]
    middle = statistics.median(errors)
    # The rate comes from the means of the first and the last tenth, which one late query hardly moves.
    tenth = max(1, len(pairs) // 10)
    spans = [statistics.fmean(moments[-tenth:]) - statistics.fmean(moments[:tenth])
             for moments in zip(*((due - pairs[0][0], moment - pairs[0][1]) for due, moment in pairs))]
    return [error - middle for error in errors], spans[0] / spans[1] - 1 if spans[1] else None


def played(lab, name, words, sent, duration):
    """Returns the record of one turn. tcpdump records on the DUT's interface."""
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
    """Returns the cells of one player at one rate: medians over the rounds."""
    whole = [row for row in rows if "percentiles_ns" in row]

    def median(value):
        return statistics.median(map(value, whole)) if whole else float("nan")

    return (rate, player, f"{statistics.median(row['arrived'] for row in rows):.0f}",
            *(f"{median(lambda row, p=p: row['percentiles_ns'][str(p)]) / 1000:.1f}" for p in PERCENTILES),
            f"{median(lambda row: 100 * row['rate_error']):+.5f}")


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
