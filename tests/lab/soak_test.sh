#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests dnsgauge soak against FakeDNS: rows without loss, and with the loss that --rate-limit makes, over
# both families; the memory of FakeDNS, and its restart; the rate from a search's result; journals after
# kill -9 and Ctrl-C; what dnsgauge-report reads; bad input. Rows have half a second. Exit status 77: this
# test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=series_lib.sh
. "$lib_directory/series_lib.sh"
dnsgauge=$bin/dnsgauge
report=$lib_directory/../../tools/report/dnsgauge-report

skip_unless_root
skip_unless_built dnsgauge fakedns

# The bucket holds the queries of one second, so a row has half as many more answers at most.
limit=600

# hours ROWS: the hours of ROWS rows of half a second.
hours() {
    awk -v rows="$1" 'BEGIN { printf "%.10f", (rows - 0.01) / 7200 }'
}

# soak [options]: makes a soak to its end. What it prints is in $table, what it says in $said; its exit
# status is in $status. A stall of this machine makes no row invalid, and no reply late.
status=
compose() {
    local -A defaults=([--interface]=g0 [--server]=2001:2::2 [--names]=10.0.0.0/16 [--qtype]=A
        [--rate]=500 [--row]=0.5 [--hours]=$(hours 2) [--timeout]=0.5 [--max-lateness]=60
        [--max-overrun]=60 [--max-others]=100 [--journal]=$journal [--json]=$result)
    [[ " $* " != *" --search "* ]] || unset 'defaults[--rate]'
    command=("$dnsgauge" soak --beyond-selftest "$@")
    add_defaults "$@"
}

soak() {
    compose "$@"
    status=0
    in_ns tester "${command[@]}" >"$table" 2>"$said" || status=$?
}

start_soak() {
    compose "$@"
    start_in tester "${command[@]}"
}

attempt() {
    soak "$@"
}

start_server() {
    run_fakedns dut --interface d0 --rate-limit $limit ||
        { fail "fakedns does not start: $(cat "$STARTED_LOG")" && finish; }
    server_pid=$STARTED_PID
}

whole="r['end'] == 'complete' and len(s) == len(trials) == r['rows_wanted'] and
    all(x['sent'] == x['answered'] + x['late'] + x['invalid'] + x['lost'] for x in s)"
# FakeDNS is one process of 1 to 500 MiB.
of_fakedns="all(x['processes'][0]['name'] == 'fakedns' and len(x['processes']) == 1 and
    x['memory_octets'] == x['processes'][0]['memory_octets'] and 2**20 < x['memory_octets'] < 500 * 2**20
    for x in s)"

test_counts() { # SERVER
    new_series
    soak --server "$1"
    expect 0 "$1: a soak" '^soak 1 of 1, row 2: 500 queries/s: 250 sent, 250 answered, 100.0000 %'
    check "$1: every row has its counts, and the memory of fakedns" \
        steps_hold "$whole and $of_fakedns and r['total']['sent'] == r['total']['answered'] == 500"
    check "$1: the table has a row for each, and the sum" \
        [ "$(grep -Ec '^ *([12]|all) .* 0\.0000( |$)' "$table")" -eq 3 ]
    new_series
    soak --server "$1" --rate 3000 --hours "$(hours 1)"
    expect 1 "$1: a soak that loses" '^soak 1 of 1, row 1: 3000 queries/s'
    check "$1: each row tells its loss" steps_hold "$whole and
        all(x['verdict'] == 'fail' and x['sent'] == 1500 and x['loss_percent'] > 35 and x['lost'] > 525 for x in s)"
}

# Kills the soak in its first rows, starts the server anew, and interrupts the soak.
test_resumption() {
    new_series
    start_soak --hours "$(hours 6)"
    wait_for_trials 2
    kill_series
    stop_pid "$server_pid"
    start_server
    start_soak --hours "$(hours 6)" --resume
    wait_for_trials 3
    interrupt_series
    expect 3 "Ctrl-C ends the soak" '^dnsgauge: interrupted: go on with --resume'
    check "and the rows so far are told" steps_hold "r['end'] == 'interrupted' and 3 <= len(s) <= 6"
    soak --hours "$(hours 6)" --resume
    expect 0 "the soak can be gone on with"
    check "no row is lost, none made again, and the server's restart is told" steps_hold "
        r['end'] == 'complete' and len(s) == len(trials) and sum(x['verdict'] == 'pass' for x in s) == 6
        and r['rows_with_new_processes'] == [3] and r['resumed'] == 2"
    cp "$journal" "$scratch/before"
    soak --hours "$(hours 6)" --resume --form csv
    cp "$table" "$said"
    expect 0 "a finished soak is told again" '^20[0-9-]*T[0-9:]*Z,pass,250,250,0,0,0,0,'
    check "its journal is as it was" cmp -s "$journal" "$scratch/before"
    soak --hours "$(hours 6)" --resume --rate 400
    expect 2 "a journal at another rate is refused" '^dnsgauge: .*line 1: it is of another soak: .*rate was'
}

test_report() {
    if ! /usr/bin/python3 -c 'import scipy, matplotlib, statsmodels' 2>/dev/null; then
        printf 'not tried: dnsgauge-report lacks its packages\n'
        return
    fi
    local file
    for file in "$result" "$journal"; do
        status=0
        "$report" page "$file" --output "$scratch/page.html" >"$said" 2>&1 || status=$?
        check "dnsgauge-report page reads ${file##*/}" [ "$status" -eq 0 ]
        check "and shows the memory" grep -q 'Memory of the server' "$scratch/page.html"
    done
}

# found SERVER MEDIAN: what of a search's result says which rate it found.
found() {
    printf '{"schema": "dnsgauge/search/1", "server": "%s", "at_least": null, "statistics": {"median": %s}}\n' \
        "$1" "$2" >"$scratch/found.input"
}

test_rate_of_a_search() {
    new_series
    found 2001:2::2 625.5
    soak --search "$scratch/found.input" --hours "$(hours 1)"
    expect 0 "a soak at four fifths of what a search found" 'row 1: 500 queries/s'
    check "which the result says" steps_hold "r['rate'] == 500 and r['rate_from'].startswith('80 % of ')"
}

test_bad_input() {
    found 198.18.0.2 625
    refused "a search of another server" 'the search was of 198.18.0.2' --search "$scratch/found.input"
    found 2001:2::2 null
    refused "a search that found nothing" 'found no rate' --search "$scratch/found.input"
    found 2001:2::2 1
    refused "a part of nothing" '--percent 80 of 1 queries/s' --search "$scratch/found.input"
    printf '{}\n' >"$scratch/found.input"
    refused "a file of something else" 'no result of a search' --search "$scratch/found.input"
    refused "no hours" '--hours 0' --hours 0
    refused "a row without a query" '--rate times --row' --rate 1 --row 0.5
    refused "one file for two things" '--json and --journal' --json "$journal"
    rm "$scratch/found.input"
}

lab_up
lay_out
start_server
test_counts 198.18.0.2
test_counts 2001:2::2
test_resumption
test_report
test_rate_of_a_search
test_bad_input
check "nothing is left at the end" no_program
finish
