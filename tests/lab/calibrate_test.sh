#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# calibrate_test.sh [doubts]: tests dnsgauge calibrate: the certificate of a good set-up, which quickstart makes on the
# way to its end. With `doubts` tests set-ups that are not good: a FakeDNS with other faults or delays than it was told,
# a Tester that has no CPU at times, and bad input. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
# servers.sh reads these.
# shellcheck disable=SC2034
zone_tool=$bin/dnsgauge-zone server_names=10.0.0.0/22 dut_addresses=(198.18.0.2 2001:2::2)
skip_unless_root
skip_unless_built dnsgauge fakedns dnsgauge-zone
[[ ${1-} == doubts ]] || skip_unless_installed nsd

# Even a busy machine keeps these tolerances; the errors that the tests make are larger.
declare -A usual=([--interface]=g0 [--server]=$server4 [--fakedns-interface]=d0
    [--fakedns-netns]=$lab_name-dut [--min-rate]=2000 [--max-rate]=2000 [--duration]=0.5
    [--timeout]=0.25 [--max-lateness]=60 [--max-overrun]=60 [--max-lateness-p99]=0.15
    [--max-bias]=0.002)

# in_state COMMAND...: runs the command on the Tester, with its exit status in $status.
status=
in_state() {
    status=0
    rm -f "$result"
    in_ns tester env DNSGAUGE_STATE="$scratch/state" "$@" --json "$result" >"$said" 2>&1 ||
        status=$?
    keep_results "$result"
}

# calibrate [options]: calibrates with the usual options, unless `options` has others.
calibrate() {
    local option settings=()
    for option in "${!usual[@]}"; do
        [[ " $* " == *" $option "* ]] || settings+=("$option" "${usual[$option]}")
    done
    in_state "$dnsgauge" calibrate "${settings[@]}" "$@"
}

# Makes a FakeDNS that reads WRONG where it is told RIGHT.
lying_fakedns() {
    cat >"$scratch/lying" <<TEXT
#!/bin/bash
exec "$bin/fakedns" "\${@/$1/$2}"
TEXT
    chmod +x "$scratch/lying"
}

# The zone's 1,024 names last for 2,048 queries/s in half a second.
test_quickstart() {
    local results=$scratch/quickstart
    start_server nsd "$scratch/nsd" || fail "no NSD"
    status=0
    in_ns tester env DNSGAUGE_STATE="$scratch/state" "$dnsgauge" quickstart --interface g0 --server "$server4" \
        --names "$names" --qtype A --duration 0.5 --timeout 0.5 --min-rate 500 --max-rate 2000 --resolution 500 \
        --repeat 2 --pause 0 --confirm 2 --shared-machine --max-lateness 60 --max-overrun 60 --max-others 100 \
        --directory "$results" >"$said" 2>&1 || status=$?
    stop_server
    expect 0 "quickstart, from the first step to the last" '^4\. calibrate: '
    check "makes a certificate" grep -q '^   no doubt about any figure; laxer than by default: ' "$said"
    check "finds what NSD keeps" grep -q 'the server keeps 2000 queries/s or more' "$said"
    check "and says what is next" grep -q '^   RFC 8219.s benchmark, at most .* dnsgauge quickstart' "$said"
    result=$results/search.json
    check "no step is left out of the result" told "r['end'] == 'above range' and r['at_least'] == 2000 and
        r['selftest']['covers'] and r['certificate']['covers']"
    check "each step leaves its result" test -s "$results/doctor.json" -a -s "$results/trial.json" \
        -a -s "$results/selftest.json"
    test_good "$results"
    lay_out
}

test_good() { # DIRECTORY
    check "a good set-up" grep -q '^No doubt' "$1/calibration.txt"
    result=$1/calibration.json
    check "every class at three rates" told "
        [c['rate'] for c in r['counting']] == [20, 200, 2000]
        and all(c['counted'] == c['predicted'] for c in r['counting'])
        and all(r['counting'][2]['counted'][name] > 0 for name in ('valid', 'late', 'lost', 'rcode',
            'no_answer', 'wrong_data', 'wrong_owner', 'extra_records', 'wrong_flags', 'wrong_question',
            'truncated', 'malformed', 'trailing_octets', 'duplicate', 'unexpected'))"
    check "every query at the other end" told "
        [p['rate'] for p in r['pacing']] == [1, 20, 200, 2000]
        and all(p['arrived'] == p['sent'] == p['planned'] > 2 for p in r['pacing'])"
    check "delays up to the timeout, and beyond it" told "
        [d['delay_s'] for d in r['rtt']['delays']] == [0, 0.0001, 0.001, 0.01, 0.125, 0.23]
        and all(d['rtt_ns']['min'] >= d['delay_s'] * 1e9 for d in r['rtt']['delays'])
        and r['rtt']['behind_timeout']['valid'] == 0"
    check "the floor is the smallest RTT of replies sent at once" told "
        [c['rate'] for c in r['rtt']['at_once']] == [1000, 2000, 20000, 50000]
        and r['rtt']['floor_ns'] == min(c['rtt_ns']['min'] for c in r['rtt']['at_once']) > 0
        and r['rtt']['floor_ns'] < r['rtt']['delays'][0]['rtt_ns']['min']"
    bound=$(/usr/bin/python3 -IS -c 'import json, sys
print(json.load(open(sys.argv[1]))["rtt"]["bound_ns"])' "$result")
    check "is recorded" cmp "$result" "$scratch"/state/calibration-g0-*.json
    check "nothing of it is left" test -z "$(in_ns dut ip link show d0 | grep xdp)" \
        -a -z "$(ip netns pids "$lab_name-dut")"
}

# No trial has an RTT below the certificate's bound. Trials at low and at high rates have other smallest RTTs.
test_bound() {
    local rate turn
    start_fakedns
    for rate in 500 2000 50000; do
        for turn in 1 2; do
            trial "$server4" --rate $rate --duration 0.2 --timeout 0.2 >/dev/null
            check "trial $turn at $rate queries/s keeps the bound" holds "r['rtt_ns']['min'] > $bound > 0"
        done
    done
    stop_fakedns
}

# A trial with an RTT below the bound has a doubt. A certificate whose floor is raised to an hour stands for replies
# that nobody could send so soon.
test_doubt() {
    local cpus certificate
    certificate=$(echo "$scratch"/state/calibration-g0-*.json)
    cpus=$(/usr/bin/python3 -IS -c 'import json, sys
print(*json.load(open(sys.argv[1]))["setup"]["sender_cpus"], sep=",")' "$certificate")
    local trial=("$dnsgauge" trial --interface g0 --server "$server4" --names "$names" --rate 500 --duration 0.2
        --timeout 1 --max-lateness 60 --max-overrun 60 --max-others 100 --cpus "$cpus")
    start_fakedns
    in_state "${trial[@]}"
    expect 0 "RTTs above the bound are no doubt" '^  verdict +pass'
    check "nobody doubts them" told "not any('certificate' in d for d in r['doubts'])"
    cp "$certificate" "$scratch/kept"
    sed -i 's/"floor_ns": [0-9]*/"floor_ns": 3600000000000/' "$certificate"
    in_state "${trial[@]}"
    expect 0 "RTTs below the bound are a doubt" \
        '^  doubt +100 valid replies came sooner than the certificate of 20.* 1800000000000 ns'
    check "which names the certificate" told "any('$certificate' in d for d in r['doubts'])"
    mv "$scratch/kept" "$certificate"
    stop_fakedns
}

test_named() {
    local common=(--interface g0 --server "$server4" --duration 0.2 --timeout 0.5 --max-lateness 60
        --max-overrun 60 --max-others 100)
    start_fakedns
    in_state "$dnsgauge" selftest "${common[@]}" --rate 100
    check "the self-test names it, with its bound" told "
        r['certificate']['covers'] and r['certificate']['rtt_bound_ns'] == $bound"
    check "and so it does in words" grep -q '^  calibration *certificate of 20' "$said"
    stop_fakedns
    # Trials with this many queries have losses.
    start_fakedns --fault loss=10%
    in_state "$dnsgauge" search "${common[@]}" --names "$names" --min-rate 10 --max-rate 2000 \
        --resolution 1000 --repeat 1 --pause 0 --beyond-selftest --journal "$scratch/journal"
    expect 0 "a search names it, and how lax it is" \
        '^  certificate of 20.*; laxer than by default: .*--max-lateness of 60 s, not at most'
    check "and so it does in its JSON" told "r['certificate']['covers']"
    stop_fakedns
}

test_bad() {
    calibrate --checks counting --attempts 10
    expect 0 "faults as they were told" '^No doubt'
    check "part of the checks is no certificate" told "r['record'] == ''"

    lying_fakedns loss=1% loss=1.1%
    calibrate --fakedns "$scratch/lying" --checks counting --attempts 1
    expect 1 "a fault more than predicted" '^Not to be trusted: counts, at 2000 .*lost '
    check "is in the JSON" told "not r['trusted'] and r['doubts'][-1]['figure'] == 'counts'"

    lying_fakedns delay=100%:10000000ns delay=100%:15ms
    calibrate --fakedns "$scratch/lying" --checks rtt --attempts 1 --duration 0.2
    expect 1 "another delay than told" '^Not to be trusted: rtt_ns, when FakeDNS holds replies for 10000.0 us,'

    start_in tester /usr/bin/python3 -c '
import os, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
while True:
    end = time.monotonic() + 0.4
    while time.monotonic() < end:
        pass
    time.sleep(0.1)'
    calibrate --checks pacing --attempts 1 --cpus "$(/usr/bin/python3 -IS -c "import os; print(min(os.sched_getaffinity(0)))")"
    kill -0 "$STARTED_PID" 2>/dev/null || fail "nothing took the CPU: $(cat "$STARTED_LOG")"
    stop_pid "$STARTED_PID"
    expect 1 "a Tester whose CPU is taken" \
        '^Not to be trusted: lateness_ns, at 2000 queries/s one query in a hundred arrived'
}

refused() {
    local what=$1 pattern=$2
    shift 2
    calibrate "$@"
    if [[ $status -eq 2 && $(grep -vc '^dnsgauge: calibrating' "$said") -eq 1 ]] &&
        grep -Eq -- "$pattern" "$said"; then
        pass "refused: $what"
    else
        fail "refused: $what: exit status $status: $(cat "$said")"
    fi
}

test_bad_input() {
    refused "no such namespace" 'fakedns-netns nowhere' --fakedns-netns nowhere
    refused "a path" 'fakedns-netns ../x' --fakedns-netns ../x
    refused "no such program" 'does not run' --fakedns "$scratch/none"
    refused "no such interface" 'FakeDNS cannot run .*, on d9 in .*-dut: .*d9' --fakedns-interface d9
    refused "too short a timeout" 'at least 0.05' --timeout 0.04
    refused "a range upside down" 'must not be above' --min-rate 3000
    refused "a record of a part" '--record' --record "$scratch/mine" --checks rtt
}

lab_up
lay_out
if [[ ${1-} == doubts ]]; then
    test_bad
    test_bad_input
    finish
fi
test_quickstart
test_bound
test_doubt
test_named
finish
