#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# zone_writer.sh [CIDR [DIRECTORY]]: measures records per minute and peak memory of the zone writer,
# into a file and into /dev/null. Prints figures and judges none.
set -eu
names=${1:-10.0.0.0/9}
folder=$(mktemp -d "${2:-/var/tmp}/zone_writer.XXXXXX")
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
tool=${DNSGAUGE_BIN:-$(dirname "$0")/../../build/bin}/dnsgauge-zone
[ -x "$tool" ] || { echo "zone_writer.sh: no $tool: build it first" >&2; exit 2; }

python3 - "$tool" "$names" "$folder" <<'PYTHON'
import os, platform, statistics, subprocess, sys, time
tool, names, folder = sys.argv[1:]
count = 2 ** (32 - int(names.split("/")[1]))
ROUNDS = 3

# Reads the peak of the program itself: the peak that wait4(2) tells includes the interpreter that forked it.
def peak_kilobytes(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) for line in status if line.startswith("VmHWM")), 0)
    except FileNotFoundError:
        return 0

def write(kind, path):
    started = time.monotonic()
    child = subprocess.Popen([tool, "records", "--names", names, "--type", kind, "--output", path])
    peak = 0
    while child.poll() is None:
        peak = max(peak, peak_kilobytes(child.pid))
        time.sleep(0.005)
    if child.returncode != 0:
        sys.exit(child.returncode)
    return time.monotonic() - started, peak

print(f"{names}: {count} names; {platform.machine()}, {os.cpu_count()} CPUs, "
      f"Linux {platform.release()}; median of {ROUNDS}")
print(f"{'type':6} {'output':9} {'records':>11} {'seconds':>8} {'M records/min':>14} "
      f"{'MB/s':>6} {'peak kB':>8}")
for kind, per_name in (("A", 1), ("AAAA", 1), ("mixed", 2)):
    records = count * per_name
    path = os.path.join(folder, "zone")
    for output in (path, "/dev/null"):
        runs = [write(kind, output) for _ in range(ROUNDS)]
        seconds = statistics.median(run[0] for run in runs)
        size = os.path.getsize(path)
        print(f"{kind:6} {'file' if output == path else output:9} {records:11} {seconds:8.2f} "
              f"{records / seconds * 60 / 1e6:14.0f} {size / seconds / 1e6:6.0f} "
              f"{max(run[1] for run in runs):8}")
    os.remove(path)
PYTHON
