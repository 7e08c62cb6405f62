#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests a trial by two senders against fakedns, each on a CPU and a transmit queue of its own: one
# schedule, identities that do not mix, every query counted and recorded once. Exit status 77: this
# test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"

skip_unless_root
skip_unless_built
mapfile -t cpus < <(/usr/bin/python3 -IS -c 'import os
print(*sorted(os.sched_getaffinity(0)), sep="\n")')
((${#cpus[@]} >= 2)) || skip "two senders need two CPUs"
both=${cpus[0]},${cpus[1]}

# An odd number: the first sender has one query more than the second.
rate=2001
patience=0.5 # no other test runs
# Both CPUs spin, so that none is left for a busy machine's other work.
stalled+='|the kernel did not send'

two_senders="r['circumstances']['queues'] == 2
    and r['circumstances']['sender_cpus'] == [${cpus[0]}, ${cpus[1]}]
    and r['sending']['planned'] == r['sent']"

# Each sender has a row: its share of the schedule and its own figures, which add up to the whole.
lanes="[(l['share'], l['queue'], l['cpu'], l['sent']) for l in r['sending']['lanes']]
    == [(0, 0, ${cpus[0]}, 1001), (1, 1, ${cpus[1]}, 1000)]
    and sum(l['kicks'] for l in r['sending']['lanes']) == r['sending']['kicks']
    and max(l['lateness_ns']['max'] for l in r['sending']['lanes'])
        == r['sending']['lateness_ns']['max']
    and sum(row[2] for row in r['sending']['lateness_histogram_ns']) == r['sent'] == 2001"

test_counts() {
    local server
    for server in $server4 $server6; do
        expect_trial 0 "two senders, $server" "$all_valid and $two_senders and $lanes" "$server" \
            --cpus "$both"
    done
    expect_trial 0 "two senders, names in random order" "$all_valid and $two_senders" $server4 \
        --cpus "$both" --name-order random --names 10.0.0.0/21 --per-query "$queries"
    check "each name once" test "$(tail -n +2 "$queries" | cut -d';' -f2 | sort -u | wc -l)" -eq $rate
    expect_trial 0 "two senders, one source port each" "$all_valid and $two_senders" $server4 \
        --cpus "$both" --source-ports 1 --first-source-port 65534
    expect_trial 0 "one sender where there are two queues" \
        "$all_valid and r['circumstances']['queues'] == 1" $server4 --cpus "${cpus[1]}"
}

# received QUEUE: prints how many packets the DUT's receive queue took, whose other end is the Tester's transmit queue.
received() {
    in_ns dut ethtool -S d0 | sed -n "s/^ *rx_queue_$1_xdp_packets: //p"
}

test_sender_queues() {
    local idle busy
    idle=$(received 0)
    busy=$(received 1)
    expect_trial 0 "one sender, transmit queue 1" "$all_valid and r['circumstances']['queues'] == 1
        and [(l['share'], l['queue'], l['cpu']) for l in r['sending']['lanes']] == [(0, 1, ${cpus[0]})]" $server4 \
        --cpus "${cpus[0]}" --sender-queues 1
    check "its text names the queue" grep -q '^  through  .*, queue 1,' "$said"
    check "the other end of that queue took the queries" [ $(($(received 1) - busy)) -ge $rate ]
    check "and no other" [ $(($(received 0) - idle)) -lt $rate ]
    expect_trial 0 "two senders, queues exchanged" "$all_valid and [(l['share'], l['queue'], l['cpu'])
        for l in r['sending']['lanes']] == [(0, 1, ${cpus[0]}), (1, 0, ${cpus[1]})]" $server6 \
        --cpus "$both" --sender-queues 1,0
}

# check_lines RATE COUNT: checks that every query is there once, that sender n mod 2 sent number n,
# for the n-th name and not before it was due, and that each sender kept the order of the schedule.
check_lines() {
    sort -t ';' -k 1,1n "$queries" | awk -F ';' -v rate="$1" -v wanted="$2" '
        $1 == "number" { next }
        $1 != seen++ || $3 != $1 % 2 || $5 != "valid" || $6 !~ /^[0-9]+$/ { bad = 1 }
        $2 != sprintf("010-000-%03d-%03d.dns64perf.test", $1 / 256, $1 % 256) { bad = 1 }
        $4 < int($1 * 1e9 / rate) || $4 < last[$3] { bad = 1 }
        { last[$3] = $4 }
        END { exit bad || seen != wanted }'
}

# At this rate and with this timeout each sender has 4,096 slots, and uses each slot again.
test_per_query() {
    expect_trial 0 "two senders with --per-query" "$all_valid and $two_senders" $server6 \
        --cpus "$both" --rate 4001 --duration 3 --timeout 1 --per-query "$queries"
    check "a line for every query, from the sender whose it is" check_lines 4001 12003
    rm -f "$queries"
}

# check_recorded FILE COUNT: checks port, transaction ID and name of each query that a server saw.
# The senders take turns in the names, and each has four ports of its own.
check_recorded() {
    awk -v wanted="$2" '
        $1 == "ready" { next }
        { split($3, octet, /[-.]/); sender = (octet[3] * 256 + octet[4]) % 2 }
        $1 < 7000 + 4 * sender || $1 > 7003 + 4 * sender || identities[$1, $2]++ { bad = 1 }
        names[$3]++ || !ports[$1]++ && ++many > 8 { bad = 1 }
        END { exit bad || many != 8 || length(names) != wanted }' "$1"
}

test_identities() {
    local log turn
    start_in dut "$lib_directory/record_queries.py" $server4 5300 2001
    log=$STARTED_LOG
    for turn in {1..100}; do
        grep -q '^ready' "$log" && break
        sleep 0.1
    done
    # No second try: the server counts what arrives.
    trial $server4 --port 5300 --cpus "$both" --source-ports 4 --first-source-port 7000 \
        --timeout 0.5
    check "nobody answers: both senders' queries are lost" holds \
        "$adds_up and $two_senders and r['lost'] == r['sent'] == 2001"
    for turn in {1..100}; do
        kill -0 "$STARTED_PID" 2>/dev/null || break
        sleep 0.1
    done
    check "each sender has identities and names of its own" check_recorded "$log" 2001
    stop_pid "$STARTED_PID"
}

test_refusals() {
    local status=0
    trial $server4 --cpus "$both" --source-ports 30000 --first-source-port 6000 || status=$?
    check "two senders share the ports there are: exit status 2, not $status" [ "$status" -eq 2 ]
    check "and the message says so" grep -q 'each of 2 senders' "$said"
}

lab_up --queues 2
lay_out
start_fakedns
test_counts
test_sender_queues
test_per_query
test_refusals
stop_fakedns
test_identities
finish
