#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# A server that is wrong in every way there is a class for: dnsgauge trial must count each class
# exactly, in both address families. Exit status 77: it cannot be tested here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
skip_unless_root
/usr/bin/python3 -c 'import dns.message' 2>/dev/null || skip "no dnspython on this machine"

dnsgauge=$bin/dnsgauge
# More queries than the Tester has slots (4,096), so that some slots are used again. The timeout is
# long enough for what a busy machine's scheduler does to a server.
rate=600
duration=8
count=$((rate * duration))
first=$((10 << 24))
# The last three seconds' queries get no late answers: they might come after the trial's end.
late_before=$((first + count - 3 * rate))

# A busy machine kept the server from answering for so long that some answers may have been too late:
# what it did is not known then.
was_starved() {
    /usr/bin/python3 -IS -c 'import json, sys
sys.exit(json.load(open(sys.argv[1]))["rtt_ns"]["max"] < 1e9)' "$scratch/trial.json"
}

# try_server ADDRESS: a trial of it; what is found is told by the last one.
try_server() {
    local server=$1
    # Before other processes of a busy machine.
    start_in dut nice -n -10 /usr/bin/python3 "$lib_directory/faulty_server.py" "$server" "$late_before"
    for _ in {1..50}; do
        grep -q ready "$STARTED_LOG" && break
        sleep 0.1
    done
    status=0
    in_ns tester "$dnsgauge" trial --interface g0 --server "$server" --names 10.0.0.0/16 \
        --rate $rate --duration $duration --timeout 2 --max-lateness 10 --max-overrun 10 \
        --json "$scratch/trial.json" --per-query "$scratch/queries.csv" || status=$?
    stop_pid "$STARTED_PID"
}

lab_up
for server in 198.18.0.2 2001:2::2; do
    for _ in {1..4}; do
        try_server "$server"
        was_starved || break
    done
    # 3 where this machine stalled: the counts are exact all the same.
    check "$server: the server did not meet the criterion" test "$status" -ne 0
    check "$server: every class is exact" "$lib_directory/check_faults.py" "$scratch/trial.json" \
        "$scratch/queries.csv" $first $count $late_before
done
finish
