#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests what a trial counts by the interval in which queries were sent, against the per-query file:
# a misbehaving fakedns, one sender and several, and a server that goes away in the middle. Exit status 77:
# this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built

# agrees: succeeds if the result's intervals, the CSV file and the per-query file tell the same.
agrees() { "$lib_directory/check_intervals.py" "$result" "$queries" "$table" "$metrics"; }

# counted WHAT EXPRESSION SERVER [options]: checks a trial with intervals. Its verdict may be any.
counted() {
    local what=$1 expression=$2
    shift 2
    trial "$@" --per-query "$queries" --intervals "$table" --dns-metrics "$metrics"
    check "$what" holds "$adds_up and ($expression)"
    check "$what: as in the per-query file" agrees
}

faults=loss=5%,late=3%:2005ms,servfail=7%,truncated=2%,empty=4%,wrong-question=1%,garbage=1%

test_faults() {
    start_fakedns --fault "$faults"
    counted "intervals of a second, unless told otherwise" 'r["interval_s"] == 1 and
        2 <= len(r["intervals"]) <= 3 and r["later_part"] is None' $server4 --duration 2
    counted "quarters of a second, and the second half" 'r["interval_s"] == 0.25 and
        r["later_part"]["since_s"] == 0.5 and
        r["later_part"]["sent"] == sum(i["sent"] for i in r["intervals"][2:]) and
        r["later_part"]["rtt_ns"]["count"] == r["later_part"]["valid"]' \
        $server6 --interval 0.25 --since 0.5
    check "the text tells of both" grep -Eq '^  since 0.5 s +sent ' "$said"
    counted "slots that are used again and again" 'len(r["intervals"]) >= 20 and
        r["sent"] > 2 * 8192' $server4 --duration 10 --interval 0.5 --timeout 0.25 --names 10.0.0.0/12
    trial $server4 --interval 0
    check "no intervals" holds "$adds_up and r['intervals'] == [] and r['interval_s'] is None"
    stop_fakedns
}

# From the second second on nobody answers.
test_death() {
    start_fakedns
    start_trial $server4 --duration 3 --interval 0.5 --timeout 0.25 --per-query "$queries" \
        --intervals "$table" --dns-metrics "$metrics"
    sleep 1.2
    stop_fakedns
    end_trial
    check "a server that goes away, exit status $status" holds "$adds_up and
        r['intervals'][0]['valid'] == r['intervals'][0]['sent'] > 0 and
        r['intervals'][-1]['lost'] == r['intervals'][-1]['sent'] > 0 and
        r['intervals'][-1]['rtt_ns']['p50'] is None"
    check "a server that goes away: as in the per-query file" agrees
}

refused() { # PATTERN [options]
    local pattern=$1 status=0
    shift
    in_ns tester "$dnsgauge" trial --interface g0 --server $server4 --rate 100 --names 10.0.0.0/16 "$@" \
        >"$said" 2>&1 || status=$?
    expect 2 "refused: $*" "$pattern"
}

test_refusals() {
    refused '^dnsgauge: --since 1.5 is no multiple of --interval 1$' --duration 2 --since 1.5
    refused '^dnsgauge: --since 2 is not before the end of sending, --duration 2$' --duration 2 --since 2
    refused '^dnsgauge: --since counts whole intervals: give --interval more than 0$' --duration 2 \
        --since 1 --interval 0
    refused '^dnsgauge: --interval 0.0001 cuts 2 s into more than 10000 intervals' --duration 2 \
        --interval 0.0001
    refused '^dnsgauge: --intervals has nothing to write with --interval 0' --duration 2 --interval 0 \
        --intervals "$table"
    refused '^dnsgauge: --per-query and --intervals both name' --duration 2 --per-query "$table" \
        --intervals "$table"
}

lab_up
lay_out
table=$scratch/intervals.csv
test_refusals
test_faults
test_death
rm -f "$queries" "$table" "$metrics"
finish
