#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Runs in the guest, where a process may have as many descriptors as it wants: the clients of a capture hold
# 100,000 connections at once, each from an address of its own. The Tester needs at most 8 KiB for each.
set -u
# shellcheck source-path=SCRIPTDIR source=../lab/trial_lib.sh
. "$(dirname "$0")/../lab/trial_lib.sh"

clients=${1:-100000}
rate=500 # new connections a second, in an emulator
limit=$((8 * clients)) # KiB of the Tester's memory
more=$((64 * 1024))    # KiB that it has without connections

# write_capture FILE: a query of each client, from 10.0.0.1 on.
write_capture() {
    /usr/bin/python3 -IS - "$1" "$clients" $rate <<'PYTHON'
import sys

path, clients, rate = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
NAME = b"\x0f010-000-000-001\x09dns64perf\x04test\0"
QUERY = b"\0\1\1\0\0\1\0\0\0\0\0\0" + NAME + b"\0\1\0\1"
UDP = b"\xc0\0\0\x35" + (8 + len(QUERY)).to_bytes(2, "big") + b"\0\0"
SIZE = 20 + len(UDP) + len(QUERY)
with open(path, "wb") as file:
    # The file's header: microseconds, and packets that begin with IP.
    file.write(b"".join(n.to_bytes(size, "little") for n, size in
               ((0xA1B2C3D4, 4), (2, 2), (4, 2), (0, 8), (65535, 4), (101, 4))))
    for client in range(clients):
        for value in (client // rate, client % rate * 1_000_000 // rate, SIZE, SIZE):
            file.write(value.to_bytes(4, "little"))
        ip = b"\x45\0" + SIZE.to_bytes(2, "big") + b"\0\0\0\0\x40\x11\0\0"
        file.write(ip + ((10 << 24) + client + 1).to_bytes(4, "big") + b"\x0a\xff\xff\xff" + UDP + QUERY)
PYTHON
}

# most_in FILE: prints the largest number of FILE's lines.
most_in() { sort -n "$1" | tail -n 1; }

uname -sr
lab_up
lay_out
ulimit -n $((2 * clients + 1000))
in_ns tester ip route add local 10.0.0.0/8 dev lo
in_ns dut ip route add 10.0.0.0/8 via 198.18.0.1
start_fakedns --tcp-connections $((clients + 1)) --tcp-idle 3600
write_capture "$scratch/clients.pcap"
in_ns tester "$dnsgauge" trial --interface g0 --server $server4 --transport tcp --capture "$scratch/clients.pcap" \
    --clients 10.0.0.0/8 --idle-timeout 3600 --timeout 10 --duration $((clients / rate + 1)) --max-lateness 60 --max-overrun 60 --max-others 100 \
    --json "$result" >"$said" 2>&1 &
trial_pid=$!
while kill -0 $trial_pid 2>/dev/null; do
    sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$(pgrep -P $trial_pid)/status" >>"$scratch/memory" 2>/dev/null
    in_ns dut sed -n 's/^TCP: inuse \([0-9]*\) .*/\1/p' /proc/net/sockstat >>"$scratch/sockets"
    sleep 2
done
status=0
wait $trial_pid || status=$?
cat "$said"
check "the trial passes" [ $status -eq 0 ]
check "each query over a connection of its own" holds "$adds_up and r['valid'] == r['sent'] == $clients and
    r['connections']['opened'] == $clients"
check "the server had all connections at once" [ "$(most_in "$scratch/sockets")" -ge "$clients" ]
echo "the Tester's memory: $(most_in "$scratch/memory") KiB"
check "at most 8 KiB of the Tester's memory for each" [ "$(most_in "$scratch/memory")" -le $((limit + more)) ]
stop_fakedns
finish
