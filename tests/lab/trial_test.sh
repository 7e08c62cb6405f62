#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests dnsgauge trial against fakedns: queries and accepted answers, the files written,
# interruption, and a Tester that cannot keep up. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built

has_no_leftovers() {
    no_program && ! compgen -G "$scratch/*.tmp*" >/dev/null
}

# ---- the tests

test_kinds() {
    local server type
    for server in $server4 $server6; do
        for type in A AAAA; do
            expect_trial 0 "$type from $server" "$all_valid and r['qtype'] == '$type'" \
                "$server" --qtype $type
        done
    done
    expect_trial 0 "any answer" "$all_valid and r['answer'] == 'any'" $server6 --answer any \
        --answer-prefix 2001:db8:1::/96
    expect_trial 0 "EDNS with DO" "$all_valid" $server6 --edns-size 1232 --dnssec-ok
    expect_trial 0 "RD" "$all_valid" $server4 --recursion-desired
    expect_trial 0 "one source port" "$all_valid" $server4 --source-ports 1 \
        --first-source-port 65535
    expect_trial 0 "all source ports" "$all_valid" $server4 --source-ports 65535 \
        --first-source-port 1
    expect_trial 1 "another prefix: all data wrong" \
        'r["invalid"]["wrong_data"] == r["sent"] == 2000 and r["verdict"] == "fail"' \
        $server4 --answer-prefix 2001:db8:1::/96
    expect_trial 1 "another zone: all refused" \
        'r["invalid"]["rcode"] == r["rcodes"]["REFUSED"] == 2000' $server6 --zone other.test
}

test_generic() {
    local server
    for server in $server4 $server6; do
        expect_trial 0 "generic XDP, $server" \
            "$all_valid and r['circumstances']['xdp_mode'] == 'generic'" $server --xdp-mode generic
    done
}

test_fields() {
    local fields='schema server port transport zone rate duration_s timeout_s accept_percent sent
        valid late lost duplicate unexpected invalid rcodes rtt_ns sending verdict why'
    local reasons='total rcode no_answer wrong_data wrong_question wrong_flags truncated malformed'
    local figures='count min mean stddev p50 p90 p99 p99_9 max'
    expect_trial 0 "every field of a trial's object" "
        not set('''$fields'''.split()) - set(r)
        and set(r['invalid']) == set('$reasons'.split())
        and set(r['rtt_ns']) == set('$figures'.split())
        and {'duration_ns', 'achieved_rate', 'lateness_ns'} <= set(r['sending'])
        and set(r['sending']['lateness_ns']) == {'p50', 'p99', 'max'}
        and 0 < r['rtt_ns']['min'] <= r['rtt_ns']['p50'] <= r['rtt_ns']['p90'] <= r['rtt_ns']['p99']
            <= r['rtt_ns']['p99_9'] <= r['rtt_ns']['max']
        and r['rtt_ns']['min'] <= r['rtt_ns']['mean'] <= r['rtt_ns']['max']
        and (r['schema'], r['server'], r['port']) == ('dnsgauge/trial/1', '$server6', 53)
        and (r['transport'], r['zone'], r['names']) == ('udp', 'dns64perf.test', '$names')
        and (r['rate'], r['duration_s'], r['timeout_s'], r['accept_percent']) == (2000, 1, 2, 100)
        and r['circumstances']['command'][1] == 'trial'" $server6
}

test_share() {
    expect_trial 0 "60 % of AAAA records are enough for --accept 50" \
        'r["valid"] == 1200 and r["invalid"]["no_answer"] == 800 and r["accept_percent"] == 50' \
        $server6 --accept 50
    check "and the table says that RFC 8219 does not know that" grep -q 'not compliant with RFC 8219' \
        "$said"
    expect_trial 0 "as does the JSON, with all else that is not RFC 8219's" "
        not r['rfc8219']['compliant'] and r['rfc8219']['deviations'] == ['accepts 50 %',
            'trials of 1 s, not 60 s', 'a timeout of 2 s, not at most 1 s',
            'max-lateness of 60 s, not at most 0.05 s',
            'max-overrun of 60 s, not at most 0.001 s',
            'max-others of 100 %, not at most 5 %']" $server6 --accept 50
    expect_trial 1 "60 % of AAAA records are too few for --accept 70" 'r["valid"] == 1200' \
        $server4 --accept 70
    expect_trial 0 "60 % of AAAA records are enough for --accept 60" 'r["valid"] == 1200' \
        $server4 --accept 60
    expect_trial 1 "60 % of AAAA records are too few for --accept 60.01" 'r["valid"] == 1200' \
        $server4 --accept 60.01
}

# Checks that every query of the range is there once, in order, and valid.
check_queries() {
    awk -F ';' -v wanted=2000 '
        NR == 1 { if ($0 != "number;query;sender;sent_ns;class;rtt_ns") exit 1; next }
        $1 != NR - 2 || $3 != 0 || $5 != "valid" || $6 !~ /^[0-9]+$/ { bad = 1 }
        $2 != sprintf("010-000-%03d-%03d.dns64perf.test", $1 / 256, $1 % 256) { bad = 1 }
        $4 < $1 * 500000 || $4 < last { bad = 1 }
        { last = $4 }
        END { exit bad || NR != wanted + 1 }' "$queries"
}

test_per_query() {
    expect_trial 0 "with --per-query" "$all_valid" $server4 --per-query "$queries"
    check "a line for every query" check_queries
    rm -f "$queries"
}

# Checks that the lines of one run have the result once more.
check_metrics() {
    /usr/bin/python3 - "$result" "$metrics" <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding="ascii") as file:
    result = json.load(file)
with open(sys.argv[2], encoding="ascii") as file:
    header, event, *periods, stats = map(json.loads, file)
assert all(one["type"] == "stats_periodic" for one in periods)
assert sum(one["queries"] for one in periods) == stats["queries"]
assert sum(one["responses"] for one in periods) == stats["responses"]
assert header["runid"] == event["runid"] == stats["runid"]
assert event["msg"].startswith("pass: ")
assert stats["queries"] == stats["responses"] == result["sent"] == 2000
assert sum(count for _, _, count in stats["response_latency"]["buckets"]) == 2000
assert stats["dnsgauge"] == result
# One second of sending, and then the timeout.
assert 3 < (stats["until"] - stats["since"]) / 1e9 < 8
PYTHON
}

test_metrics() {
    expect_trial 0 "with --dns-metrics" "$all_valid" $server4 --dns-metrics "$metrics"
    check "the same result as dns-metrics" check_metrics
    rm -f "$metrics"
}

# FakeDNS stands in for a DNS64 server: it answers only with the names' own records.
test_dns64() {
    local status=0 server
    expect_trial 0 "as of a DNS64 server" "$all_valid and r['answer'] == '2001:db8:64::/96' and
        r['dns64']['aaaa_share_percent'] == 100 and
        'no self-test of the Tester covers it' in r['rfc8219']['deviations']" \
        $server6 --dut dns64 --beyond-selftest --aaaa-share 100
    for server in $server4 $server6; do
        expect_trial 1 "and where nothing ought to be its own, $server" \
            'r["invalid"]["wrong_data"] == r["sent"] == 2000 and "options disagree" in r["why"] and
            "--aaaa-share (0)" in r["why"]' $server --dut dns64 --beyond-selftest
    done
    expect_trial 0 "every other query for one name" "$all_valid" $server6 --dut dns64 --beyond-selftest \
        --aaaa-share 100 --cached-share 50 --per-query "$queries"
    check "it was every other" awk -F ';' 'NR > 1 {
            if (($2 ~ /^010-000-000-000\./) != ($1 % 2)) exit 1 }' "$queries"
    check "and each other name once" [ "$(cut -d ';' -f 2 "$queries" | sort -u | wc -l)" -eq 1002 ]
    rm -f "$queries"
    trial $server4 --dut dns64 --beyond-selftest --answer-prefix 64:ff9b::/96 --duration 0.1 --timeout 0.1
    check "the well-known prefix is warned of" grep -q '^dnsgauge: note: .*RFC 6052 section 3.1' "$said"
    check "and IPv4" grep -q '^dnsgauge: note: .*wants IPv6' "$said"
    DNSGAUGE_STATE=$scratch/none trial $server6 --dut dns64 --aaaa-share 100 || status=$?
    check "a DNS64 server's trial without a self-test: exit status 2, not $status" [ $status -eq 2 ]
    check "which is said" grep -q '^dnsgauge: 2000 queries/s may be beyond this Tester' "$said"
    trial $server4 --cached-share 20 || status=$?
    check "no cache of an authoritative server" [ $status -eq 2 ]
    check "which is said" grep -q '^dnsgauge: --aaaa-share and --cached-share .*--dut dns64' "$said"
}

# No trial is made if the cached name cannot be brought into the cache.
test_no_cache() {
    local status=0
    trial $server6 --dut dns64 --beyond-selftest --cached-share 20 --timeout 0.3 || status=$?
    check "a name that cannot be cached: exit status 2, not $status" [ $status -eq 2 ]
    check "which is said" grep -q "^dnsgauge: the server did not answer the name that is to be in its cache.*lost" "$said"
    check "and nothing is written" [ ! -e "$result" ]
}

test_repeats() {
    local status=0
    trial $server4 --names 10.0.0.0/24 || status=$?
    check "repeats are refused" [ "$status" -eq 2 ]
    check "with the figures" grep -Eq '^dnsgauge: .*2000.*10\.0\.0\.0/24.*256' "$said"
    check "and nothing is written" [ ! -e "$result" ]
    expect_trial 0 "repeats on request" "$all_valid" $server4 --names 10.0.0.0/24 --allow-repeats
}

# expect_repeated STATUS WHAT EXPRESSION SERVER [options]: checks --repeat, whose result has no counts of its own.
expect_repeated() {
    local wanted=$1 what=$2 expression=$3 status=0
    shift 3
    trial_for_verdict "$@" || status=$?
    check "$what: exit status $status, should be $wanted: $(cat "$said")" [ $status -eq "$wanted" ]
    check "$what" told "$expression"
}

test_repeat() {
    local status=0
    expect_repeated 0 "three trials" "
        r['schema'] == 'dnsgauge/trials/1' and r['verdict'] == 'pass' and len(r['trials']) == 3
        and all(t['valid'] == t['sent'] == 400 and t['verdict'] == 'pass' for t in r['trials'])
        and r['spread']['trials'] == 3 and r['spread']['answered_percent']['min'] == 100
        and r['spread']['rtt_ns']['p50']['median'] == sorted(t['rtt_ns']['p50'] for t in r['trials'])[1]" \
        $server6 --repeat 3 --duration 0.2 --pause 0.1 --dns-metrics "$metrics"
    check "a line for each" [ "$(grep -c '^trial [123] of 3: ' "$said")" -eq 3 ]
    check "the lines of each" [ "$(grep -c '"stats_sum"' "$metrics")" -eq 3 ]
    rm -f "$metrics"
    expect_repeated 1 "all of two lost" "[t['lost'] for t in r['trials']] == [100, 100] and
        '2 of 2 trials fail' in r['why'] and r['spread']['rtt_ns']['p50']['median'] is None" \
        $server4 --port 54 --repeat 2 --duration 0.05 --pause 0 --timeout 0.2
    expect_repeated 0 "fresh names" "[t['names'] for t in r['trials']] == ['10.0.0.0/25', '10.0.0.128/25']" \
        $server4 --repeat 2 --duration 0.05 --pause 0 --fresh-names --names 10.0.0.0/24
    trial $server4 --repeat 2 --per-query "$queries" || status=$?
    check "--per-query is of one trial" [ $status -eq 2 ]
    check "which is said" grep -q '^dnsgauge: --per-query is the file of one trial' "$said"
}

# The trials before an interruption are kept, whole.
test_repeat_interrupted() {
    local status=0
    start_in tester "$dnsgauge" trial --interface g0 --server $server4 --names $names --rate $rate \
        --duration 0.2 --repeat 100 --pause 1 --max-lateness 60 --max-overrun 60 --max-others 100 --json "$result"
    for _ in {1..200}; do
        grep -q '^trial 2 of 100' "$STARTED_LOG" && break
        sleep 0.05
    done
    kill -INT "$STARTED_PID"
    wait "$STARTED_PID" || status=$?
    stop_pid "$STARTED_PID"
    keep_results "$result"
    check "an interrupted repetition: exit status 3, not $status" [ "$status" -eq 3 ]
    check "what was made is kept" told "r['verdict'] == 'invalid' and len(r['trials']) >= 2 and r['repeat'] == 100
        and r['why'].startswith('interrupted after') and r['trials'][0]['valid'] == r['trials'][1]['valid'] == 400"
}

# The trials before one that cannot be made are kept, whole.
test_repeat_broken() {
    local status=0
    start_in tester "$dnsgauge" trial --interface g0 --server $server4 --names $names --rate $rate \
        --duration 0.2 --repeat 4 --pause 1 --max-lateness 60 --max-overrun 60 --max-others 100 --json "$result" \
        --dns-metrics "$metrics"
    for _ in {1..200}; do
        grep -q '^trial 2 of 4' "$STARTED_LOG" && break
        sleep 0.05
    done
    ip -n "$lab_name-tester" route add unreachable $server4/32
    wait "$STARTED_PID" || status=$?
    stop_pid "$STARTED_PID"
    ip -n "$lab_name-tester" route del unreachable $server4/32
    keep_results "$result"
    check "no route for the third trial: exit status 2, not $status" [ "$status" -eq 2 ]
    check "one line says so" [ "$(grep -c '^dnsgauge: trial 3 of 4: no route' "$STARTED_LOG")" -eq 1 ]
    check "two trials are kept" told "r['verdict'] == 'invalid' and [t['valid'] for t in r['trials']] == [400, 400]
        and r['repeat'] == 4 and r['error'].startswith('no route') and r['spread']['trials'] == 2
        and r['why'].startswith('ended by an error after 2 of 4 trials') and r['error'] in r['why']"
    check "as are their dns-metrics" [ "$(grep -c '"stats_sum"' "$metrics")" -eq 2 ]
    rm -f "$metrics"
}

# start_long_trial: starts a trial of a minute. Returns when the trial's program is attached.
start_long_trial() {
    local turn
    rm -f "$result"
    start_in tester "$dnsgauge" trial --interface g0 --server $server4 --names 10.0.0.0/8 \
        --rate $rate --duration 60 --max-lateness 60 --max-overrun 60 --json "$result"
    for turn in {1..100}; do
        has_program && break
        sleep 0.1
    done
    sleep 0.5
}

test_interruption() {
    local status=0 signal
    for signal in INT TERM HUP; do
        start_long_trial
        kill -$signal "$STARTED_PID"
        status=0
        wait "$STARTED_PID" || status=$?
        stop_pid "$STARTED_PID"
        check "SIG$signal: exit status 3, not $status" [ "$status" -eq 3 ]
        check "SIG$signal: the result says so" holds "$adds_up and r['verdict'] == 'invalid' and
            'interrupted' in r['why'] and 0 < r['sent'] < 120000"
        check "SIG$signal: nothing is left" has_no_leftovers
    done
}

# trial_saying STATUS WHAT OUT ERR: checks a trial whose standard output and error go to OUT and
# ERR, and whose result goes to its file whatever becomes of those.
trial_saying() {
    local status=0 what=$2
    rm -f "$result"
    # shellcheck disable=SC2016
    in_ns tester bash -c 'exec "${@:3}" '"$3 $4" bash - - "$dnsgauge" trial --interface g0 \
        --server $server4 --names $names --rate $rate --duration 0.5 --json "$result" \
        --max-lateness 10 --max-overrun 10 >"$said" 2>&1 || status=$?
    check "$what: exit status $1, not $status" [ "$status" -eq "$1" ]
    check "$what: the result is there" holds "$all_valid"
    check "$what: nothing is left" has_no_leftovers
}

test_streams() {
    trial_saying 2 "no reader" '> >(exec true)' ''
    check "it is said: $(cat "$said")" grep -q '^dnsgauge: cannot write standard output' "$said"
    trial_saying 2 "standard output on a full disk" '>/dev/full' ''
    trial_saying 0 "standard output closed" '>&-' ''
    trial_saying 0 "standard error closed" '' '2>&-'
    trial_saying 0 "standard error on a full disk" '' '2>/dev/full'
}

test_second() {
    local status=0
    start_long_trial
    in_ns tester "$dnsgauge" trial --interface g0 --server $server4 --names $names --rate $rate \
        --duration 1 >"$said" 2>&1 || status=$?
    check "a second trial on the interface: exit status 2, not $status" [ "$status" -eq 2 ]
    check "it names the program" grep -q '^dnsgauge: g0 already carries .*reply_clock' "$said"
    check "the first one's program is still there" has_program
    kill -KILL "$STARTED_PID"
    stop_pid "$STARTED_PID"
    check "SIGKILL: no program is left" no_program
    rm -f "$scratch"/*.tmp*
    expect_trial 0 "the next trial runs" "$all_valid" $server4
}

# No veth pair carries this rate: the Tester is the limit, so nothing is learned.
test_overload() {
    local status=0
    trial $server4 --rate 20000000 --duration 0.1 --names 10.0.0.0/7 --timeout 0.1 --max-lateness 0.05 ||
        status=$?
    check "20 million queries/s: exit status 3, not $status" [ "$status" -eq 3 ]
    check "and the reason" holds "$adds_up and r['verdict'] == 'invalid' and r['why'] != ''"
}

test_dead_server() {
    expect_trial 1 "a dead server loses all" \
        'r["lost"] == r["sent"] == 2000 and r["rtt_ns"]["min"] is None and r["verdict"] == "fail"' \
        $server6 --timeout 0.5
}

# Replies that nobody fetched wait in g0's ring until a program comes: none of them takes the place of a
# trial's own.
test_stale() {
    local server
    command -v dnsperf >/dev/null || return
    seq -f '010-000-000-%03g.dns64perf.test A' 0 255 >"$scratch/questions"
    for server in $server4 $server6; do
        in_ns tester timeout 10 dnsperf -s $server -d "$scratch/questions" -l 1 -t 0.1 -q 400 \
            >/dev/null 2>&1
        expect_trial 0 "replies to somebody else waited, $server" "$all_valid" $server
    done
}

# A response is in time, with an RCODE; every other query timed out.
check_late_metrics() {
    /usr/bin/python3 - "$result" "$metrics" <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding="ascii") as file:
    result = json.load(file)
with open(sys.argv[2], encoding="ascii") as file:
    (stats,) = (line for line in map(json.loads, file) if line["type"] == "stats_sum")
assert sum(stats["response_rcodes"].values()) == stats["responses"] == result["valid"]
assert stats["responses"] + stats["timeouts"] == stats["queries"] == result["sent"]
assert sum(result["rcodes"].values()) == result["valid"] + result["late"]
PYTHON
}

# The trial listens for late replies to its last queries as long as for those to its first.
test_late() {
    local server
    stop_fakedns
    start_fakedns --fault late=10%:1100ms
    for server in $server4 $server6; do
        expect_trial 1 "late replies are late to the end, $server" \
            'r["late"] >= 102 and r["lost"] == 0 and r["sent"] == 1024' \
            $server --rate 1024 --timeout 1 --dns-metrics "$metrics"
        check "and no responses in dns-metrics, $server" check_late_metrics
        rm -f "$metrics"
    done
    stop_fakedns
    start_fakedns
}

lab_up
lay_out
start_fakedns
test_kinds
test_stale
test_late
test_fields
test_per_query
test_metrics
test_repeats
test_dns64
test_repeat
test_repeat_interrupted
test_repeat_broken
test_interruption
test_streams
test_second
test_overload
stop_fakedns
start_fakedns --aaaa-share 60
test_share
stop_fakedns
start_fakedns --xdp-mode native
test_generic
stop_fakedns
test_dead_server
test_no_cache
check "nothing is left at the end" has_no_leftovers
finish
