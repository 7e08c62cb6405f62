#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The Tester stands still in the midst of a trial, and then sends all that is overdue at once. What Knot DNS loses of
# that burst is not its failure: the trial is invalid and says why. FakeDNS, which loses 0.5 % at any time, fails
# beside such stops as well. The same for times in which somebody else has the server's CPU. Exit status 77: this test
# cannot run here.
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
stopped_trial() { disturbed_trial stop_tester "$@"; }

# starved_trial [options]: the same, but somebody else has the server's CPU for 43 ms.
starved_trial() { disturbed_trial take_cpu "$@"; }

# disturbed_trial DISTURBANCE [options]: DISTURBANCE is called with the Tester's process ID.
disturbed_trial() {
    rm -f "$result"
    start_in tester "$dnsgauge" trial --interface g0 --server $server4 --names "$server_names" --allow-repeats \
        --qtype A --rate 25000 --duration 2 --timeout 0.5 --cpus "$tester_cpu" --json "$result" "${@:2}"
    said=$STARTED_LOG
    local pid=$STARTED_PID turn
    for turn in {1..500}; do
        has_program && break
        sleep 0.01
    done
    "$1" "$pid"
    status=0
    wait "$pid" || status=$?
    keep_results "$result"
}

stop_tester() { # PID
    /usr/bin/python3 -IS - "$1" <<'PYTHON'
import os
import signal
import sys
import time

time.sleep(1)
os.kill(int(sys.argv[1]), signal.SIGSTOP)
time.sleep(0.043)
os.kill(int(sys.argv[1]), signal.SIGCONT)
PYTHON
}

take_cpu() {
    /usr/bin/python3 -IS - "$server_cpu" <<'PYTHON'
import os
import sys
import time

os.sched_setaffinity(0, {int(sys.argv[1])})
time.sleep(1)
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
until = time.monotonic() + 0.043
while time.monotonic() < until:
    pass
PYTHON
}

lab_up
lay_out
give_server_a_cpu
start_server knot "$scratch/knot" --workers 1 || finish
keep_on_cpu
# A busy neighbour would be another reason, and a stop may take longer than asked for: some tries. What others may take
# is another matter than stalls.
for others in 5 100; do
    decided=0
    for turn in {1..9}; do
        stopped_trial --max-lateness 0.2 --max-others "$others"
        # Where knotd lost nothing, the trial passes.
        check "knot, --max-others $others, stop $turn: it does not fail: $(grep verdict "$said")" [ $status -ne 1 ]
        check "knot, --max-others $others, stop $turn: the stop is told" holds "$adds_up and
            r['stalls']['tester']['stalls'] >= 1 and r['stalls']['tester']['longest_ns'] >= 30_000_000 and
            r['stalls']['tester']['largest_burst'] > 700"
        if holds "r['verdict'] == 'invalid' and r['stalls']['decided'] and
            r['stalls']['tester']['lost'] + r['stalls']['server']['lost'] == r['lost'] > 0 and
            'that the Tester sent after it had stood still for' in r['why']" 2>/dev/null; then
            decided=1
            break
        fi
    done
    check "knot, --max-others $others: what it lost of a burst made a trial invalid" [ $decided -eq 1 ]
done

# A second CPU is needed: otherwise it is the Tester's that is taken.
decided=0
if [[ $server_cpu != "$tester_cpu" ]]; then
    for turn in {1..9}; do
        starved_trial --max-lateness 0.2
        check "knot without its CPU, turn $turn: it does not fail: $(grep verdict "$said")" [ $status -ne 1 ]
        # The server waits from the first query on that comes while its CPU is away.
        if holds "r['verdict'] == 'invalid' and r['stalls']['decided'] and
            r['circumstances']['server_absences'] == 'recorded' and r['stalls']['server']['lost'] > 0 and
            r['stalls']['tester']['lost'] + r['stalls']['server']['lost'] == r['lost'] and
            r['stalls']['server']['longest_ns'] >= 40_000_000 and any(c['cpu'] == $server_cpu and
            c['absence']['longest_ns'] >= 40_000_000 for c in r['cpus']) and
            \"after the server's CPU had been away for\" in r['why']" 2>/dev/null; then
            decided=1
            check "knot without its CPU, turn $turn: the absence is told" grep -q "the server waited for " "$said"
            break
        fi
    done
    check "knot: what it lost without its CPU made a trial invalid" [ $decided -eq 1 ]
fi
stop_server

# Others on the CPUs would be why, too, and a query may be late.
start_fakedns --fault loss=0.5%
for turn in 1 2; do
    stopped_trial --max-lateness 10 --max-overrun 10 --max-others 99
    check "a server that loses, stop $turn: it fails: $(grep verdict "$said")" [ $status -eq 1 ]
    check "a server that loses, stop $turn: the stop is told" holds "$adds_up and not r['stalls']['decided'] and
        r['stalls']['tester']['stalls'] >= 1 and r['lost'] > r['stalls']['tester']['lost']"
done
stopped_trial --max-lateness 10 --max-overrun 10 --max-others 99 --catch-up 2
check "a server that loses, catching up: it fails: $(grep verdict "$said")" [ $status -eq 1 ]
check "a server that loses, catching up: the option is told" holds "$adds_up and r['catch_up'] == 2 and
    r['stalls']['tester']['stalls'] >= 1 and not r['stalls']['decided'] and
    any('up to 2 times the rate' in one for one in r['rfc8219']['deviations'])"
check "a server that loses, catching up: the text tells it" grep -q "catching up  *at 2 times the rate at most" "$said"
stop_fakedns
start_fakedns --xdp-mode off --fault loss=0.5%
taskset -apc "$server_cpu" "$fakedns_pid" >/dev/null
for turn in 1 2; do
    starved_trial --max-lateness 10 --max-overrun 10 --max-others 99
    check "a server that loses, without its CPU, turn $turn: it fails: $(grep verdict "$said")" [ $status -eq 1 ]
    check "a server that loses, without its CPU, turn $turn: the absence is told" holds "$adds_up and
        not r['stalls']['decided'] and r['lost'] > r['stalls']['server']['lost'] + r['stalls']['tester']['lost'] and
        ('$server_cpu' == '$tester_cpu' or r['stalls']['server']['stalls'] >= 1)"
done
stop_fakedns
finish
