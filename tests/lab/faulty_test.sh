#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# faulty_test.sh [more]: tests a server that is wrong in every way that has a class (faults.py): dnsgauge trial must count each class
# exactly, for every source of queries. What is tried in one address family, `more` tries in the other. Exit status 77:
# this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built dnsgauge dnsgauge-zone
/usr/bin/python3 -c 'import scapy.all' 2>/dev/null || skip "no scapy on this machine: see tools/install-packages"

faulty=(/usr/bin/python3 -B "$lib_directory/faulty_server.py")
rate=600
first=$((10 << 24))
of_names=(--names 10.0.0.0/16 --rate $rate)
edns=(--edns-size 1232 --dnssec-ok)
pref64=2001:db8:64::
other4=198.18.0.3
other6=2001:2::3

# A busy machine may keep the server from answering for so long that some answers are too late. Then it is unknown what
# the server did.
was_starved() {
    told 'r["rtt_ns"]["max"] > 1e9' >/dev/null 2>&1
}

# start_faulty SERVER LATE_BEFORE [PREFIX]
start_faulty() {
    local other=$other4 late_before=$2
    [[ $1 != *:* ]] || other=$other6
    # The server has priority over other processes of a busy machine.
    start_in dut nice -n -10 "${faulty[@]}" serve "$1" "$other" "$late_before" "${@:3}"
    for _ in {1..50}; do
        grep -q ready "$STARTED_LOG" && return
        sleep 0.1
    done
    fail "the faulty server does not start: $(cat "$STARTED_LOG")"
    finish
}

# seconds COUNT: prints how long COUNT queries take.
seconds() { awk "BEGIN { print $1 / $rate }"; }

# judges SOURCE SERVER COUNT LATE_BEFORE [options]: checks every class of a trial against the server that runs, again if
# this machine stalled.
judges() {
    local source=$1 server=$2 count=$3 late_before=$4 what="$2: $1 ${*:5}" status
    shift 4
    for _ in {1..4}; do
        status=0
        rm -f "$result"
        in_ns tester "$dnsgauge" trial --interface g0 --server "$server" --duration "$(seconds "$count")" --timeout 2 \
            --max-lateness 10 --max-overrun 10 --max-others 100 --json "$result" --per-query "$queries" "$@" \
            >"$said" 2>&1 || status=$?
        keep_results "$result"
        [[ -e $result ]] && was_starved || break
    done
    # Status 3 means that this machine stalled; the counts are exact all the same.
    check "$what: the server did not meet the criterion" test "$status" -eq 1 -o "$status" -eq 3
    check "$what: every class is exact" "$lib_directory/check_faults.py" "$result" "$queries" "$source" $first "$count" \
        "$late_before" || cat "$said"
}

# judges_all SERVER: all sources without late replies, each reply of each kind three times.
judges_all() {
    local server=$1 count=330 list
    start_faulty "$server" $first
    judges names "$server" $count $first "${of_names[@]}" --qtype A "${edns[@]}"
    judges mix "$server" $count $first "${of_names[@]}" --types A=50,AAAA=50 --do 100
    for list in data list; do
        "${faulty[@]}" list $first $count $list >"$scratch/$list"
        judges $list "$server" $count $first --queries "$scratch/$list" --rate $rate
    done
    "${faulty[@]}" capture "$scratch/pcap" $first $count "$(seconds $count)"
    judges capture "$server" $count $first --capture "$scratch/pcap" --expect captured
    stop_pid "$STARTED_PID"
    start_faulty "$server" $first $pref64
    judges dns64 "$server" $count $first "${of_names[@]}" --dut dns64 --beyond-selftest "${edns[@]}"
    stop_pid "$STARTED_PID"
}

lab_up
lay_out
ip -n "$lab_name-dut" address add $other4/24 dev d0
ip -n "$lab_name-dut" address add $other6/64 dev d0 nodad
one=$server4 other=$server6
[[ ${1-} != more ]] || one=$server6 other=$server4
# The Tester has fewer slots (4,096) than there are queries, so that it uses some slots again. The timeout is long
# enough for what a busy machine's scheduler does to a server. The last three seconds' queries get no late answers: they
# might come after the trial's end.
count=$((rate * 8))
late_before=$((first + count - 3 * rate))
start_faulty $one $late_before
judges names $one $count $late_before "${of_names[@]}" "${edns[@]}"
stop_pid "$STARTED_PID"
judges_all $other
finish
