#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests dnsgauge quickstart: the whole way to a search of Knot DNS, whose zone has so few names that the test
# knows which rates fail; Ctrl-C, and going on; servers that are FakeDNS themselves, or on another machine; and
# that it stops at the first thing to mend. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
# servers.sh reads this.
# shellcheck disable=SC2034
zone_tool=$bin/dnsgauge-zone
skip_unless_root
skip_unless_built dnsgauge fakedns dnsgauge-zone
skip_unless_installed knot
# The zone has the first 1,024 of the names asked for, which last for 2,048 queries/s in half a second.
# shellcheck disable=SC2034
server_names=10.0.0.0/22
# shellcheck disable=SC2034
dut_addresses=(198.18.0.2 2001:2::2)

# compose [options]: puts the command into the array `command`. A stall of this machine makes no reply late, and
# no trial invalid but one that fails because of the stall alone.
compose() {
    local option
    local -A defaults=([--interface]=g0 [--server]=$server4 [--names]=$names [--qtype]=A [--directory]=$results
        [--duration]=0.5 [--timeout]=1 [--max-rate]=4096 [--min-rate]=16 [--resolution]=512 [--repeat]=1 [--pause]=0 [--confirm]=2
        [--max-lateness]=60 [--max-overrun]=60 [--max-others]=100)
    command=("$dnsgauge" quickstart "$@")
    for option in "${!defaults[@]}"; do
        [[ " $* " == *" $option "* ]] || command+=("$option" "${defaults[$option]}")
    done
}

# quickstart [options]: makes all steps, with the exit status in $status and what was said in $said.
status=
quickstart() {
    compose "$@"
    status=0
    in_ns tester "${wrapper[@]}" "${command[@]}" >"$said" 2>&1 || status=$?
}

# interrupt PATTERN [options]: gives Ctrl-C as soon as quickstart has said PATTERN.
interrupt() {
    local pattern=$1 turn
    shift
    compose "$@"
    start_in tester "${command[@]}"
    for turn in {1..600}; do
        grep -Eq -- "$pattern" "$STARTED_LOG" && break
        sleep 0.05
    done
    kill -INT "$STARTED_PID"
    status=0
    wait "$STARTED_PID" || status=$?
    cp "$STARTED_LOG" "$said"
    stop_pid "$STARTED_PID"
}

says() { grep -Eq -- "$1" "$said"; }
does_not_say() { ! says "$1"; }

# begins_anew DIRECTORY: has results go there, from now on.
begins_anew() {
    results=$scratch/$1
    result=$results/search.json
}

# Without names of namespaces, the server might as well be on another machine.
wrapper=()
hide_namespaces() {
    # shellcheck disable=SC2016
    wrapper=(unshare --mount sh -c 'mount -t tmpfs none /run/netns && exec "$@"' sh)
}

# ---- the tests

test_missing_server() {
    begins_anew missing
    quickstart
    expect 1 "no server" '^dnsgauge: step 2: .*: nothing answers: .*198.18.0.2 port 53.*same command again$'
    check "no further step begins" does_not_say '^3\.'
    check "the trial is kept" test -s "$results/trial.json" -a -s "$results/doctor.json" -a ! -e "$result"
}

test_bad_servers() {
    begins_anew bad
    start_fakedns --fault loss=30%
    quickstart
    expect 1 "a server that drops" '^dnsgauge: step 2: .*drops queries.*even at 1000 queries/s.*rate limiting'
    stop_fakedns
    start_server knot "$scratch/knot" || fail "no Knot DNS"
    quickstart --names 10.1.0.0/16
    expect 1 "a server without the names" '^dnsgauge: step 2: .*lacks the names'
}

test_held() {
    local turn
    start_in tester "$dnsgauge" trial --interface g0 --server $server4 --names $names --rate 100 --duration 60
    for turn in {1..100}; do
        has_program && break
        sleep 0.1
    done
    quickstart
    expect 2 "an interface that another Tester holds" "^dnsgauge: process $STARTED_PID has g0"
    check "no further step begins" does_not_say '^3\.'
    stop_pid "$STARTED_PID"
    no_program
}

test_interruption() {
    begins_anew first
    interrupt 'calibrating: counting'
    expect 3 "Ctrl-C in the calibration" '^dnsgauge: interrupted: .* the same command goes on from there$'
    check "no search was begun" test ! -e "$results/search.jsonl"
    check "FakeDNS is gone" no_program dut d0
    check "the self-test stays" test -s "$results/selftest.json" -a -s "$results/selftest.txt"
    interrupt 'search 1 of 1, trial 2' --uncalibrated
    expect 3 "Ctrl-C in the search" '^dnsgauge: interrupted: .* goes on from there, with --resume$'
    check "the self-test was not made again" says '^   by the self-test of .* up to 4096 queries/s'
    check "its trials stay" grep -q '"record":"trial"' "$results/search.jsonl"
    quickstart --uncalibrated
    expect 2 "without --resume the search stays as it is" '^dnsgauge: --directory .*has a search already'
}

test_whole() {
    quickstart --uncalibrated --resume
    expect 0 "the whole way" '^5\. search: .* keeps'
    check "makes no trial twice" told "r['resumed'] > 0"
    check "finds the rate" told "r['end'] == 'complete' and 2048 - 512 <= r['rates'][0] <= 2048"
    check "says what is left out" says '^   left out \(--uncalibrated\)'
    check "covered by its self-test" told "r['selftest']['covers'] and not r['certificate']['covers']"
    check "the command is one that makes the search" told "r['command'][:2] == ['dnsgauge', 'search']"
    check "names a page" says "dnsgauge-report page $results/\*.json --output $results/page.html"
    check "and the benchmark" says 'dnsgauge quickstart .*--duration 60 .*--directory .*-rfc8219'
    stop_server
}

test_fakedns_itself() {
    start_fakedns
    quickstart
    expect 2 "a server that is FakeDNS" 'FakeDNS cannot run at .* other end, on d0 .*give --fakedns-port 53$'
    quickstart --fakedns-port 53 --max-rate 500 --resolution 499
    expect 0 "which serves in the self-test, too" 'the server keeps 500 queries/s or more'
    check "and is not calibrated against" says '^   left out: no certificate'
    stop_fakedns
}

test_another_machine() {
    begins_anew other
    hide_namespaces
    start_server knot "$scratch/knot" || fail "no Knot DNS"
    rm -rf "$DNSGAUGE_STATE"
    quickstart
    expect 2 "FakeDNS that nobody has started" 'no FakeDNS at .* port 5300.*fakedns --interface IF --port 5300$'
    start_fakedns --port 5300
    quickstart --max-rate 500 --resolution 499
    expect 0 "FakeDNS that somebody has started" 'the server keeps 500 queries/s or more'
    stop_fakedns
    stop_server
    wrapper=()
}

test_bad_input() {
    quickstart --fakedns-netns dut
    expect 2 "half a place" '^dnsgauge: --fakedns-interface and --fakedns-netns name one place: give both$'
    quickstart --max-rate 200k
    expect 2 "too few names, before any step" '^dnsgauge: .*10.0.0.0/16'
    check "no step begins" does_not_say '^1\.'
    in_ns tester ip link set g0 down
    begins_anew down
    quickstart
    expect 1 "an interface that is down" '^dnsgauge: step 1: link: '
}

lab_up
lay_out
export DNSGAUGE_STATE=$scratch/state
test_missing_server
test_bad_servers
test_held
test_interruption
test_whole
begins_anew itself
test_fakedns_itself
test_another_machine
test_bad_input
finish
