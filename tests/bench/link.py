# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The link by itself: how fast a minimal AF_XDP sender fills XDP_DROP at the other end."""

import contextlib
import subprocess

from errors import BenchError
from lab import BIN, generator_cpu, server_cpu

LINK_FILL = BIN.parent / "tests" / "link_fill"


@contextlib.contextmanager
def dropping(lab):
    """Drops by XDP whatever comes to d0, until the end of the block."""
    command = lab.command("dut", server_cpu(), LINK_FILL, "drop", "d0")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as dropper:
        try:
            if dropper.stdout.readline() != "ready\n":
                raise BenchError(f"link_fill does not start: {dropper.stderr.read().strip()}")
            lab.settle()
            yield
        finally:
            dropper.stdin.close()


def fill(lab, seconds):
    """Returns the packets per second that a minimal sender puts on the link."""
    done = subprocess.run(lab.command("tester", generator_cpu(), LINK_FILL, "send", "g0", seconds),
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    try:
        return float(done.stdout)
    except ValueError as error:
        raise BenchError(f"link_fill ended with status {done.returncode}: {done.stderr.strip()}") from error
