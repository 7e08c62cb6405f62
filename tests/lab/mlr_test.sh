#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# mlr_test.sh [more]: tests dnsgauge search --method mlr against a server whose capacity is known exactly: FakeDNS with
# --rate-limit answers as many queries of a client's network as a bucket holds, and then as many a
# second. Tests the bounds of a search over IPv6 that kill -9 and Ctrl-C cut short, and bad input;
# with `more` the bounds of one over IPv4 instead. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=series_lib.sh
. "$lib_directory/series_lib.sh"
dnsgauge=$bin/dnsgauge

skip_unless_root
skip_unless_built dnsgauge fakedns

# The bucket holds the queries of one second. A pause of a second fills it again, so a trial of one
# second has `most` answers.
limit=500
most=$((2 * limit))

# compose [options]: puts the command into the array `command`. With its options a stall of this
# machine makes no trial invalid, and no reply late.
compose() {
    local -A defaults=([--interface]=g0 [--server]=2001:2::2 [--names]=10.0.0.0/16 [--qtype]=A
        [--duration]=1 [--timeout]=1 [--min-rate]=100 [--max-rate]=2000 [--pause]=1 [--width]=3
        [--loss-ratios]=0,20 [--max-lateness]=60 [--max-overrun]=60 [--max-others]=100
        [--journal]=$journal [--json]=$result
        [--method]=mlr)
    command=("$dnsgauge" search --beyond-selftest "$@")
    add_defaults "$@"
}

# search [options]: makes a search to its end. What it prints is in $table, what it says in $said;
# its exit status is in $status.
status=
search() {
    compose "$@"
    status=0
    in_ns tester "${command[@]}" >"$table" 2>"$said" || status=$?
}

each_once="[(x['rate'], x['sent'], x['answered']) for x in s] == [(x['rate'], x['sent'], x['valid']) for x in t]"
# A trial of one second at the rate q has $most / q answered. While a trial lasts a little longer,
# the bucket gets a few tokens more.
as_limited="r['end'] == 'complete' and all(g['lower_bound'] < g['upper_bound'] <= 1.03 * g['lower_bound'] + 1 for g in r['goals'])
    and 0.96 * $most <= r['goals'][0]['lower_bound'] <= 1.04 * $most
    and 0.96 * $most <= 0.8 * r['goals'][1]['lower_bound'] <= 1.04 * $most"

test_bounds() {
    new_series
    search --server 198.18.0.2
    expect 0 "a search for two loss ratios" '^search 1 of 1, trial 1: 2000 queries/s: [345][0-9.]* % lost'
    check "the bounds hold what the server's limit lets be" steps_hold "$as_limited and $each_once"
}

test_resumption() {
    new_series
    compose
    start_in tester "${command[@]}"
    wait_for_trials 2
    kill_series
    compose --resume
    start_in tester "${command[@]}"
    wait_for_trials 4
    interrupt_series
    expect 3 "Ctrl-C ends the search" '^dnsgauge: interrupted: go on with --resume'
    check "and the trials so far are told" steps_hold "r['end'] == 'interrupted' and s and $each_once"
    search --resume
    expect 0 "the search can be gone on with"
    check "no trial is lost, none made again" steps_hold "$as_limited and $each_once and r['resumed'] == 2"
    check "the table has a row for each loss ratio" [ "$(grep -Ec '^(0|20) % ' "$table")" -eq 2 ]
    check "and says that RFC 8219 demands another search" grep -q 'not 20 binary searches' "$table"
    search --resume --width 2
    expect 2 "a journal of another search is refused" 'line 1: it is of another search: .*width was'
    search --resume --method binary
    expect 2 "and so is one of another method" 'line 1: it is not the journal of a search'
}

attempt() {
    search "$@"
}

test_bad_input() {
    refused "loss ratios in no order" 'higher than the one before' --loss-ratios 1,0
    refused "a loss ratio that is no number" '--loss-ratios' --loss-ratios 0,much
    refused "all may be lost" '--loss-ratios' --loss-ratios 100
    refused "an option of the binary search" '--repeat belongs to --method binary: leave it out' --repeat 3
    refused "first trials longer than the last" '--first-duration 2 is longer' --first-duration 2
    refused "a sum shorter than a trial" '--duration-sum 0.5 is shorter' --duration-sum 0.5 --first-duration 0.5
    refused "a method that is none" '--method' --method quick
}

lab_up
lay_out
run_fakedns dut --interface d0 --rate-limit $limit ||
    { fail "fakedns does not start: $(cat "$STARTED_LOG")" && finish; }
if [[ ${1-} == more ]]; then
    test_bounds
else
    test_resumption
    test_bad_input
fi
check "nothing is left at the end" no_program
finish
