#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures how exactly a capture is played: at which times its queries arrive, by tcpdump's clock.

    sudo tests/bench/replay.py --rates 20000,200000 --duration 3 --rounds 3

Of each rate a capture is made (Poisson arrivals, 1000 clients). dnsgauge, drool, dnsreplay (pdns-tools) and
dnsjit take turns in playing it to a socket that nobody reads, and tcpdump records what arrives. Of
each: queries that came, the error of their times (1st, 25th, 75th and 99th percentile, from the
median), and by how much the rate is wrong. Needs a build, root and two CPUs; see README.md.
"""

import argparse
import collections
import json
import shutil
import statistics
import struct
import subprocess
import time
from pathlib import Path

from errors import BenchError, run_benchmark
from lab import BIN, SERVER_ADDRESS, generator_cpu, run, server_cpu
from reference import bare_lab, describe_machine, need_two_cpus

CLIENTS = "198.19.0.0/16"
TESTER = "198.18.0.1"
ANSWER_AFTER = 0.0001  # seconds, in the capture with answers
HANG = 10  # times the duration, until a player is ended

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
        for moment, frame in entries:
            seconds, rest = divmod((moment + 500) // 1000, 10**6)
            file.write(struct.pack("=4I", seconds, rest, len(frame), len(frame)) + frame)


def add_answers(source, target):
    """Copies a capture of queries, with an answer without records behind each: dnsreplay wants
    some."""
    after = round(ANSWER_AFTER * 10**9)
    entries = []
    for moment, frame in packets(source):
        entries.append((moment, frame))
        header = 14 + 4 * (frame[14] & 15)
        answer = bytearray(frame)
        answer[26:30], answer[30:34] = frame[30:34], frame[26:30]
        answer[header:header + 2], answer[header + 2:header + 4] = frame[header + 2:header + 4], frame[header:header + 2]
        answer[header + 6:header + 8] = b"\0\0"  # no checksum
        answer[header + 10] |= 0x80
        entries.append((moment + after, bytes(answer)))
    entries.sort(key=lambda entry: entry[0])
    write_microseconds(entries, target)


class Capture:
    """A capture of a rate: its file, that with microseconds, that with answers, and its queries."""

    def __init__(self, folder, rate, duration):
        self.rate, self.duration = rate, duration
        self.file = folder / f"{rate}.pcap"
        self.answered = folder / f"{rate}-answered.pcap"
        run(BIN / "dnsgauge-queries", "make", "--rate", rate, "--duration", duration, "--clients", 1000,
            "--server", SERVER_ADDRESS, "--output", self.file)
        self.rounded = folder / f"{rate}-rounded.pcap"
        write_microseconds(packets(self.file), self.rounded)
        add_answers(self.file, self.answered)
        self.queries = queries(self.file)


def players(capture, result):
    """Returns {name: words of the command}, of those that this machine has."""
    here = Path(__file__).parent
    lists = {
        "dnsgauge": (BIN / "dnsgauge", "trial", "--interface", "g0", "--server", SERVER_ADDRESS, "--capture",
                     capture.file, "--clients", CLIENTS, "--duration", 10 * capture.duration, "--timeout", 0.25,
                     "--expect", "answered", "--cpus", generator_cpu(), "--json", result),
        "drool": ("drool", "replay", "--timing", "keep", "--no-responses", "--no-tcp", capture.rounded,
                  SERVER_ADDRESS, 53),
        "dnsreplay": ("dnsreplay", "--timeout-msec", 1, capture.answered, SERVER_ADDRESS, 53),
        "dnsjit": ("dnsjit", here / "replay.lua", capture.rounded, SERVER_ADDRESS, 53),
    }
    return {name: words for name, words in lists.items() if Path(words[0]).is_absolute() or shutil.which(words[0])}


class Recorder:
    """tcpdump on the DUT's interface, with room for `count` packets. A context manager."""

    def __init__(self, lab, file, count):
        # The kernel keeps a packet in two frames of 2 KiB at worst.
        room = max(16384, 4 * count)
        self.process = subprocess.Popen(
            lab.command("dut", server_cpu(), "tcpdump", "-i", "d0", "-n", "-s", 512, "-B", room,
                        "--time-stamp-precision", "nano", "-w", file, "udp", "dst", "port", 53),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.lost = None

    def __enter__(self):
        for line in self.process.stderr:
            if "listening on" in line:
                return self
        raise BenchError("tcpdump does not start")

    def __exit__(self, *_):
        time.sleep(2)
        self.process.terminate()
        for line in self.process.stderr:
            if "dropped by kernel" in line:
                self.lost = int(line.split()[0])
        self.process.wait()


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
    # Of the rate: by the means of the first and the last tenth, which one late query hardly moves.
    tenth = max(1, len(pairs) // 10)
    spans = [statistics.fmean(moments[-tenth:]) - statistics.fmean(moments[:tenth])
             for moments in zip(*((due - pairs[0][0], moment - pairs[0][1]) for due, moment in pairs))]
    return [error - middle for error in errors], spans[0] / spans[1] - 1 if spans[1] else None


def played(lab, scratch, name, words, capture):
    """Returns the row of one turn."""
    file = scratch / "again.pcap"
    with Recorder(lab, file, len(capture.queries)) as recorder:
        began = time.monotonic()
        try:
            subprocess.run(lab.command("tester", generator_cpu(), *words), stdin=subprocess.DEVNULL,
                           capture_output=True, check=False, timeout=HANG * capture.duration)
        except subprocess.TimeoutExpired:
            pass
        took = time.monotonic() - began
    arrived = queries(file)
    errors, rate = errors_of(capture.queries, arrived)
    row = {"player": name, "rate": capture.rate, "captured": len(capture.queries), "arrived": len(arrived),
           "lost_by_tcpdump": recorder.lost, "seconds": took, "rate_error": rate}
    if errors:
        ordered = sorted(errors)
        row["percentiles_ns"] = {str(p): ordered[min(len(ordered) - 1, len(ordered) * p // 100)]
                                 for p in (1, 25, 75, 99)}
    return row


def text_of(rows):
    """Returns the line of one player at one rate: medians over the rounds."""
    first = rows[0]
    whole = [row for row in rows if "percentiles_ns" in row]
    line = f"{first['rate']:>8} {first['player']:<10} {statistics.median(row['arrived'] for row in rows):>9.0f}"
    if not whole:
        return line + "   nothing that was in the capture came"
    for p in ("1", "25", "75", "99"):
        line += f" {statistics.median(row['percentiles_ns'][p] for row in whole) / 1000:>11.1f}"
    rate = statistics.median(100 * row["rate_error"] for row in whole)
    return line + f" {rate:>+12.5f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rates", default="20000,200000", help="queries per second of the captures")
    parser.add_argument("--duration", type=float, default=3, help="seconds of each capture")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--players", help="only these, between commas")
    parser.add_argument("--json", help="write the rows to this file")
    options = parser.parse_args()
    need_two_cpus()

    rows = []
    with bare_lab("dgreplay") as (lab, scratch):
        run("ip", "-n", f"{lab.name}-dut", "route", "add", CLIENTS, "via", TESTER)
        with subprocess.Popen(lab.command("dut", server_cpu(), "/usr/bin/python3", "-c", SINK),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as sink:
            sink.stdout.readline()
            try:
                for rate in map(int, options.rates.split(",")):
                    capture = Capture(scratch, rate, options.duration)
                    for _ in range(options.rounds):
                        for name, words in players(capture, scratch / "result.json").items():
                            if not options.players or name in options.players.split(","):
                                rows.append(played(lab, scratch, name, words, capture))
            finally:
                sink.terminate()
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    print(describe_machine())
    print(f"captures of {options.duration:g} s, {options.rounds} rounds, medians; times in us from the median")
    print(f"{'rate':>8} {'player':<10} {'arrived':>9} {'P1':>11} {'P25':>11} {'P75':>11} {'P99':>11} {'rate, %':>12}")
    for key in dict.fromkeys((row["rate"], row["player"]) for row in rows):
        print(text_of([row for row in rows if (row["rate"], row["player"]) == key]))
    lost = sum(row["lost_by_tcpdump"] or 0 for row in rows)
    print(f"tcpdump lost {lost} packets")


if __name__ == "__main__":
    run_benchmark("replay.py", main)
