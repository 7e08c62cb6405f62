#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The Tester stands still in the midst of a trial, and then sends all that is overdue at once. What Knot DNS loses of
# that burst is not its failure: the trial is invalid and says why. FakeDNS, which loses 0.5 % at any time, fails
# beside such stops as well. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
# servers.sh reads these.
# shellcheck disable=SC2034
zone_tool=$bin/dnsgauge-zone
# shellcheck disable=SC2034
dut_addresses=($server4)
skip_unless_root
skip_unless_built dnsgauge fakedns dnsgauge-zone
skip_unless_installed knot

# stopped_trial [options]: makes a trial at 25,000/s in whose midst the Tester stands still for 43 ms. The exit status
# is in $status.
stopped_trial() {
    rm -f "$result"
    start_in tester "$dnsgauge" trial --interface g0 --server $server4 --names "$server_names" --allow-repeats \
        --qtype A --rate 25000 --duration 3 --timeout 0.5 --cpus "$tester_cpu" --json "$result" "$@"
    said=$STARTED_LOG
    local pid=$STARTED_PID turn
    for turn in {1..500}; do
        has_program && break
        sleep 0.01
    done
    /usr/bin/python3 -IS - "$pid" <<'PYTHON'
import os
import signal
import sys
import time

time.sleep(1.5)
os.kill(int(sys.argv[1]), signal.SIGSTOP)
time.sleep(0.043)
os.kill(int(sys.argv[1]), signal.SIGCONT)
PYTHON
    status=0
    wait "$pid" || status=$?
    keep_results "$result"
}

lab_up
lay_out
give_server_a_cpu
start_server knot "$scratch/knot" --workers 1 || finish
keep_on_cpu
decided=0
# A busy neighbour would be another reason, and a stop may take longer than asked for: some tries.
for turn in {1..9}; do
    stopped_trial --max-lateness 0.2
    # Where knotd lost nothing, the trial passes.
    check "knot, stop $turn: it does not fail: $(grep verdict "$said")" [ $status -ne 1 ]
    check "knot, stop $turn: the stop is told" holds "$adds_up and r['stalls']['tester']['stalls'] >= 1 and
        r['stalls']['tester']['longest_ns'] >= 30_000_000 and r['stalls']['tester']['largest_burst'] > 700"
    if holds "r['verdict'] == 'invalid' and r['stalls']['decided'] and
        r['stalls']['tester']['lost'] + r['stalls']['server']['lost'] == r['lost'] > 0 and
        'that the Tester sent after it had stood still for' in r['why']" 2>/dev/null; then
        decided=1
        break
    fi
done
check "knot: what it lost of a burst made a trial invalid" [ $decided -eq 1 ]
stop_server

# Others on the CPUs would be why, too, and a query may be late.
start_fakedns --fault loss=0.5%
for turn in 1 2; do
    stopped_trial --max-lateness 10 --max-overrun 10 --max-others 99
    check "a server that loses, stop $turn: it fails: $(grep verdict "$said")" [ $status -eq 1 ]
    check "a server that loses, stop $turn: the stop is told" holds "$adds_up and not r['stalls']['decided'] and
        r['stalls']['tester']['stalls'] >= 1 and r['lost'] > r['stalls']['tester']['lost']"
done
stop_fakedns
finish
