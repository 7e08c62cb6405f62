# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The conditions of a run's figures: machine, kernel, programs."""

import platform
import re
import subprocess
from pathlib import Path

from lab import BIN, online_cpus

# The package of each program that is not built here.
PACKAGES = {"kxdpgun": "knot-dnsutils", "dnsperf": "dnsperf", "knotd": "knot", "nsd": "nsd",
            "named": "bind9"}


def said_by(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def cpu_model():
    match = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return match[1] if match else platform.machine()


def own_version():
    """Returns dnsgauge's version, with the commit that was built."""
    return said_by(BIN / "dnsgauge", "--version").removeprefix("dnsgauge ")


def describe():
    programs = {"dnsgauge": own_version()}
    for program, package in PACKAGES.items():
        programs[program] = said_by("dpkg-query", "-W", "-f=${Version}", package)
    return {"cpu": cpu_model(), "cpus": len(online_cpus()), "kernel": platform.release(),
            "architecture": platform.machine(), "programs": programs}
