#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# sweep_test.sh [more]: tests dnsgauge sweep against a server whose capacity is known exactly: FakeDNS with --rate-limit
# answers as many queries of a client's network as a bucket holds, and then as many a second. Tests
# counts by step over IPv4, journals after kill -9 and Ctrl-C, the forms of the table, what
# dnsgauge-report reads, and bad input; with `more` counts over IPv6 instead, and the time that a
# sweep takes besides its trials. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=series_lib.sh
. "$lib_directory/series_lib.sh"
dnsgauge=$bin/dnsgauge
report=$lib_directory/../../tools/report/dnsgauge-report

skip_unless_root
skip_unless_built dnsgauge fakedns

# The bucket holds the queries of one second. A pause of a second fills it again, so a step of one
# second has `most` answers at most.
limit=500
most=$((2 * limit))
rates='[250, 500, 750, 1000, 1250, 1500]'

# compose [options]: puts the command into the array `command`. With its options a stall of this
# machine makes no trial invalid, and no reply late.
compose() {
    local -A defaults=([--interface]=g0 [--server]=2001:2::2 [--names]=10.0.0.0/16 [--qtype]=A
        [--duration]=1 [--timeout]=1 [--min-rate]=250 [--max-rate]=1500 [--steps]=6 [--pause]=1
        [--max-lateness]=60 [--max-overrun]=60 [--max-others]=100 [--journal]=$journal
        [--json]=$result)
    command=("$dnsgauge" sweep --beyond-selftest "$@")
    add_defaults "$@"
}

# sweep [options]: makes a sweep to its end. What it prints is in $table, what it says in $said; its
# exit status is in $status.
status=
sweep() {
    compose "$@"
    status=0
    in_ns tester "${command[@]}" >"$table" 2>"$said" || status=$?
}

start_sweep() {
    compose "$@"
    start_in tester "${command[@]}"
}

each_once="r['end'] == 'complete' and [x['rate'] for x in s] == [x['rate'] for x in t]"
# A machine that stalls lets tokens spill over, or takes a little longer for a step: that is a fifth
# of the bucket at most.
as_limited="all(x['sent'] == x['rate'] == x['answered'] + x['lost'] and
    (x['answered'] == x['sent'] if x['sent'] < $most else
     abs(x['answered'] - min(x['sent'], $most)) <= $limit // 5) for x in s)"

test_counts() { # SERVER
    new_series
    sweep --server "$1"
    expect 0 "$1: a sweep" '^repetition 1 of 1, step 6: 1500 queries/s: 1500 sent, [0-9]+ answered, '
    check "$1: sent and answered are what the server's limit lets be" \
        steps_hold "$each_once and [x['rate'] for x in s] == $rates and $as_limited"
    check "$1: the table has a row for each step" \
        [ "$(grep -Ec '^(250|500|750|1000|1250|1500) ' "$table")" -eq 6 ]
}

# Kills the sweep twice and interrupts it once, each time in another step.
test_resumption() {
    local before
    new_series
    start_sweep
    for before in 1 2; do
        wait_for_trials $before
        kill_series
        start_sweep --resume
    done
    wait_for_trials 3
    interrupt_series
    expect 3 "Ctrl-C ends the sweep" '^dnsgauge: interrupted: go on with --resume'
    check "and the steps so far are told" steps_hold "r['end'] == 'interrupted' and 3 <= len(s) < 6"
    sweep --resume
    expect 0 "the sweep can be gone on with"
    check "no step is lost, none made again" steps_hold "$each_once and [x['rate'] for x in s] == $rates
        and r['resumed'] == 3"
    cp "$journal" "$scratch/before"
    sweep --resume --form csv
    cp "$table" "$said"
    expect 0 "a finished sweep is told again" '^1500,1,1500,'
    check "its journal is as it was" cmp -s "$journal" "$scratch/before"
    sweep --resume --max-rate 2000
    expect 2 "a journal of other steps is refused" '^dnsgauge: .*line 1: it is of another sweep: .*max-rate was'
}

# Reads the files of a finished sweep.
test_report() {
    if ! /usr/bin/python3 -c 'import scipy, matplotlib, statsmodels' 2>/dev/null; then
        printf 'not tried: dnsgauge-report lacks its packages\n'
        return
    fi
    sweep --resume --form csv
    cp "$table" "$scratch/sweep.csv"
    local file
    for file in "$result" "$scratch/sweep.csv"; do
        status=0
        "$report" model "$file" >"$said" 2>&1 || status=$?
        expect 0 "dnsgauge-report model reads ${file##*/}" '[Bb]reak point'
    done
    status=0
    "$report" page "$result" --output "$scratch/page.html" >"$said" 2>&1 || status=$?
    check "dnsgauge-report page reads it, too" [ "$status" -eq 0 ]
    check "and shows each step" [ "$(grep -oE '<td[^>]*>(1,?000|1,?250|1,?500)</td>' "$scratch/page.html" | wc -l)" -ge 3 ]
}

# Without pauses a sweep takes little more time than its trials, whose replies are awaited 0.1 s.
test_time() {
    local begin steps=20
    new_series
    begin=$(date +%s%N)
    sweep --pause 0 --duration 0.2 --timeout 0.1 --steps $steps --spacing bisected
    expect 0 "a bisected sweep"
    printf 'beyond its trials, each of 20 steps took %d ms\n' \
        $((($(date +%s%N) - begin) / 1000000 / steps - 300))
    check "which has as many different rates as were asked for" steps_hold "$each_once
        and len({x['rate'] for x in s}) == $steps and s[1]['rate'] == 875"
}

attempt() {
    sweep "$@"
}

test_bad_input() {
    refused "an empty range" 'min-rate 1500 must be below' --min-rate 1500
    refused "one step" '--steps 1' --steps 1
    refused "a kind of spacing that is none" '--spacing.*linear' --spacing square
    refused "more steps than rates" 'same rate twice' --max-rate 252
    refused "too few names" '10.0.0.0/24 has 256' --names 10.0.0.0/24
    refused "too few fresh names" '10.0.0.0/21' --fresh-names --names 10.0.0.0/21
    refused "one file for two things" '--json and --journal' --json "$journal"
}

lab_up
lay_out
run_fakedns dut --interface d0 --rate-limit $limit ||
    { fail "fakedns does not start: $(cat "$STARTED_LOG")" && finish; }
if [[ ${1-} == more ]]; then
    test_counts 2001:2::2
    test_time
else
    test_counts 198.18.0.2
    test_resumption
    test_report
    test_bad_input
fi
check "nothing is left at the end" no_program
finish
