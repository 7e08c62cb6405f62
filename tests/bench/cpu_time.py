# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads CPU times, in seconds, from the kernel's /proc."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def parse_process(stat):
    """Returns (parent's process ID, user and system time) from /proc/PID/stat."""
    fields = stat.rpartition(")")[2].split()  # from field 3, the state, on
    return int(fields[1]), (int(fields[11]) + int(fields[12])) / TICKS


def parse_machine(stat):
    """Returns (busy, stolen) time of all CPUs from /proc/stat."""
    user, nice, system, _idle, _wait, irq, softirq, stolen = (
        int(field) for field in stat.splitlines()[0].split()[1:9])
    return (user + nice + system + irq + softirq) / TICKS, stolen / TICKS


def of_processes(pids):
    """Returns the processes' user and system time, ended threads included."""
    return sum(parse_process(Path(f"/proc/{pid}/stat").read_text())[1] for pid in pids)


def of_machine():
    return parse_machine(Path("/proc/stat").read_text())


def with_descendants(root):
    """Returns the IDs of a process and of all its descendants."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = parse_process((entry / "stat").read_text())[0]
            except OSError:
                pass  # the process has ended
    family = [root]
    for member in family:
        family.extend(pid for pid, parent in parents.items() if parent == member)
    return family
