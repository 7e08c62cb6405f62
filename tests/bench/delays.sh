#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# delays.sh: measures how exactly fakedns delays its answers. dnsgauge takes the RTT beyond the
# delay asked for, in microseconds; the plain RTT of the pair of interfaces is printed beside it.
# Makes a lab of its own; must be root.
set -u
# shellcheck source-path=SCRIPTDIR source=../lab/trial_lib.sh
. "$(dirname "$0")/../lab/trial_lib.sh"
skip_unless_root
skip_unless_built

# measure NAME RATE DELAY_NS [options of fakedns]: prints a line of the table.
measure() {
    local name=$1 rate=$2 delay=$3
    shift 3
    start_fakedns "$@"
    trial "$server4" --names 10.0.0.0/8 --rate "$rate" --duration 2 --timeout 1
    stop_fakedns
    /usr/bin/python3 - "$result" "$name" "$rate" "$delay" <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding="ascii") as file:
    result = json.load(file)
name, rate, delay = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
errors = [(result["rtt_ns"][key] - delay) / 1e3 for key in ("min", "p50", "p99", "max")]
print(f"{name:24}{rate:>9}" + "".join(f"{error:>10.1f}" for error in errors) +
      f"{result['sent'] - result['valid']:>9}", flush=True)
PYTHON
}

lab_up
lay_out
printf '%-24s%9s%10s%10s%10s%10s%9s\n' "RTT - delay, us" rate min p50 p99 max "not valid"
for rate in ${*:-1000 10000 100000}; do
    measure "no delay" $rate 0
    measure "500 us, --fault-cpu 1" $rate 500000 --fault delay=100%:500us --fault-cpu 1
    measure "500 us" $rate 500000 --fault delay=100%:500us
    measure "20 ms" $rate 20000000 --fault delay=100%:20ms
    measure "500 us, sockets" $rate 500000 --fault delay=100%:500us --xdp-mode off
done
