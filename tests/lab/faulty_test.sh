#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests a server that is wrong in every way that has a class: dnsgauge trial must count each class exactly,
# in both address families. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
skip_unless_root
/usr/bin/python3 -c 'import dns.message' 2>/dev/null || skip "no dnspython on this machine"

dnsgauge=$bin/dnsgauge
# The Tester has fewer slots (4,096) than there are queries, so that it uses some slots again. The
# timeout is long enough for what a busy machine's scheduler does to a server.
rate=600
duration=8
count=$((rate * duration))
first=$((10 << 24))
# The last three seconds' queries get no late answers: they might come after the trial's end.
late_before=$((first + count - 3 * rate))

# A busy machine may keep the server from answering for so long that some answers are too late. Then
# nobody knows what the server did.
was_starved() {
    /usr/bin/python3 -IS -c 'import json, sys
sys.exit(json.load(open(sys.argv[1]))["rtt_ns"]["max"] < 1e9)' "$scratch/trial.json"
}

# try_server ADDRESS: makes a trial of the server, again if this machine stalled; the last trial
# counts.
try_server() {
    local server=$1
    # The server has priority over other processes of a busy machine.
    start_in dut nice -n -10 /usr/bin/python3 "$lib_directory/faulty_server.py" "$server" "$late_before"
    for _ in {1..50}; do
        grep -q ready "$STARTED_LOG" && break
        sleep 0.1
    done
    status=0
    in_ns tester "$dnsgauge" trial --interface g0 --server "$server" --names 10.0.0.0/16 \
        --rate $rate --duration $duration --timeout 2 --max-lateness 10 --max-overrun 10 --max-others 100 \
        --json "$scratch/trial.json" --per-query "$scratch/queries.csv" || status=$?
    stop_pid "$STARTED_PID"
}

lab_up
for server in 198.18.0.2 2001:2::2; do
    for _ in {1..4}; do
        try_server "$server"
        was_starved || break
    done
    # Status 3 means that this machine stalled; the counts are exact all the same.
    check "$server: the server did not meet the criterion" test "$status" -ne 0
    check "$server: every class is exact" "$lib_directory/check_faults.py" "$scratch/trial.json" \
        "$scratch/queries.csv" $first $count $late_before
done
finish
