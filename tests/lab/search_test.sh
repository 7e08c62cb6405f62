#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# search_test.sh [more]: tests dnsgauge search against Knot DNS, whose zone has so few names that the test knows which
# rates fail: those at which a trial asks for more names. Tests results, journals, Ctrl-C, commands
# between trials, and bad input; with `more` six kills and SIGTERM instead. Exit status 77: this test
# cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
# shellcheck source-path=SCRIPTDIR source=series_lib.sh
. "$lib_directory/series_lib.sh"
dnsgauge=$bin/dnsgauge
# servers.sh reads this.
# shellcheck disable=SC2034
zone_tool=$dnsgauge-zone

skip_unless_root
skip_unless_built dnsgauge dnsgauge-zone fakedns
skip_unless_installed knot

# The zone has the first 128 of the names asked for, which last for 256 queries/s in half a second.
server_names=10.0.0.0/25
names=10.0.0.0/16
highest=256
# shellcheck disable=SC2034
dut_addresses=(198.18.0.2 2001:2::2)

# compose [options]: puts the command into the array `command`. It makes two repetitions: the first
# tries both ends, each halves five times, 12 trials in all. With its options a stall of this
# machine makes no reply late, and no trial invalid but one that fails because of the stall alone.
# selftest_test.sh tests what a self-test allows.
all_trials=12
compose() {
    local -A defaults=([--interface]=g0 [--server]=2001:2::2 [--names]=$names [--qtype]=A
        [--duration]=0.5 [--timeout]=1 [--min-rate]=64 [--max-rate]=1088 [--resolution]=32
        [--repeat]=2 [--pause]=0 [--max-lateness]=60 [--max-overrun]=60 [--max-others]=100 [--journal]=$journal
        [--json]=$result)
    command=("$dnsgauge" search --beyond-selftest "$@")
    add_defaults "$@"
}

# search [options]: makes a search to its end.
search() {
    compose "$@"
    in_ns tester "${command[@]}" >"$said" 2>&1
}

# start_search [options]: starts a search in the background, with its process ID in STARTED_PID.
start_search() {
    compose "$@"
    start_in tester "${command[@]}"
}

# run COMMAND...: runs the command, with its exit status in $status.
status=
run() {
    status=0
    "$@" || status=$?
}

attempt() {
    run search "$@"
}

# holds EXPRESSION: succeeds if the Python expression is true, where r is the result, j the
# journal's lines, t its trials.
holds() {
    /usr/bin/python3 - "$result" "$journal" "$1" <<'PYTHON'
import json
import os
import sys

r = None
if os.path.exists(sys.argv[1]):
    with open(sys.argv[1], encoding="utf-8") as file:
        r = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    j = [json.loads(line) for line in file]
t = [line["trial"] for line in j if line.get("record") == "trial"]
if not eval(f"({sys.argv[3]})"):
    sys.exit(f"not so: {sys.argv[3]}: {r} {[(x['rate'], x['verdict']) for x in t]}")
PYTHON
}

decided='[x["rate"] for x in t if x["verdict"] != "invalid"]'
# Prints the rates in their order, which only the server's answers decide.
same_walk="$decided == [64, 1088, 576, 320, 192, 256, 288, 576, 320, 192, 256, 288]"
# At 256 queries/s a trial asks for exactly the 128 names.
right_result="r['rates'] == [$highest, $highest] and r['end'] == 'complete'"

# no_process_group LEADER: succeeds once the process group has ended.
no_process_group() {
    local turn
    for turn in {1..50}; do
        pgrep -g "$1" >/dev/null || return 0
        sleep 0.1
    done
    return 1
}

no_leftovers() { no_program && ! compgen -G "$scratch/*.tmp*" >/dev/null; }

# ---- the tests

test_result() {
    new_series
    run search
    expect 0 "two searches" 'not compliant with RFC 8219:.*trials of 0.5 s'
    check "the result" holds "$right_result and $same_walk and r['trials_made'] == len(r['trials']) == len(t) == $all_trials"
    check "and what goes with it" holds "r['schema'] == 'dnsgauge/series/1' and r['kind'] == 'search' and r['resumed'] == 0
        and r['statistics']['count'] == 2 and r['statistics']['median'] == $highest
        and r['statistics']['dispersion_percent'] == 0 and not r['rfc8219']['compliant']
        and r['options']['duration'] == 0.5
        and r['setup']['kernel'] and r['setup']['host'] == '$(uname -n)'
        and r['circumstances'] == t[-1]['circumstances']
        and r['circumstances']['driver'] == 'veth' and r['circumstances']['xdp_mode'] == 'native'
        and r['circumstances']['af_xdp_mode'] == 'copy' and len(r['circumstances']['sender_cpus']) == 1
        and [x['verdict'] for x in r['trials'] if x['repetition'] == 1]
            == ['pass', 'fail', 'fail', 'fail', 'pass', 'pass', 'fail']"
    check "what it went through is in its text" \
        grep -Eq '^  through g0 \(veth, MTU 1500.*\), 1 queue, XDP native, AF_XDP copy, from CPU [0-9]+$' \
        "$said"
    check "the journal has the trials whole" holds "j[0]['schema'] == 'dnsgauge/series-journal/1'
        and all(x['schema'] == 'dnsgauge/trial/1' and x['rtt_ns']['count'] == x['valid'] and
                x['sent'] == x['valid'] + x['late'] + x['lost'] + x['invalid']['total'] for x in t)
        and all(x['valid'] == min(x['sent'], 128) for x in t)"
    check "the journal's mode is 0644" [ "$(stat -c %a "$journal")" = 644 ]
    check "progress is a line for each trial" \
        [ "$(grep -c 'search [12] of 2, trial .*: ' "$said")" -eq $all_trials ]

    run search
    expect 2 "an existing journal is not begun anew" '^dnsgauge: .*exists.*--resume'
    cp "$journal" "$scratch/before"
    run search --resume
    expect 0 "a finished one is only told again"
    check "its journal is as it was" cmp -s "$journal" "$scratch/before"
    finished=$scratch/finished
    cp "$journal" "$finished"
}

# Cuts a trial short at any moment, six times.
test_kill() {
    local kills
    new_series
    start_search
    wait_for_trials 1
    for kills in {1..6}; do
        sleep "0.$((RANDOM % 10))"
        kill_series
        cp "$journal" "$scratch/before"
        start_search --resume
        wait_for_trials $((kills + 1))
        cmp -s -n "$(stat -c %s "$scratch/before")" "$scratch/before" "$journal" ||
            fail "kill -9: what was in the journal has changed"
    done
    run wait "$STARTED_PID"
    cp "$STARTED_LOG" "$said"
    stop_pid "$STARTED_PID"
    expect 0 "after six kill -9 the search ends"
    check "no trial is lost, none made again" holds "$right_result and $same_walk"
    check "and it says how often it was taken up" holds "r['resumed'] == 6"
}

# Uses the journal of a finished search.
test_torn() {
    head -c -700 "$journal" >"$scratch/torn"
    mv "$scratch/torn" "$journal"
    run search --resume
    expect 0 "half a line at the end is cut off, and told" 'cut off'
    check "only that trial was made again" holds "$right_result and $same_walk and
        sum(1 for x in j if x.get('record') == 'resumed') == 1"
}

# ended_by SIGNAL
ended_by() {
    new_series
    start_search
    wait_for_trials 3
    kill "-$1" "$STARTED_PID"
    run wait "$STARTED_PID"
    cp "$STARTED_LOG" "$said"
    stop_pid "$STARTED_PID"
    expect 3 "SIG$1 ends it" '^dnsgauge: interrupted: go on with --resume'
    check "SIG$1: the result is partial" holds "r['end'] == 'interrupted' and r['rates'] == []"
    check "SIG$1: nothing is left" no_leftovers
}

test_interruption() {
    ended_by INT
    run search --resume
    expect 0 "Ctrl-C: it can be gone on with"
    check "to the same result" holds "$right_result and $same_walk and r['resumed'] == 1"
}

# Begins with the journal of a finished search.
test_foreign_journals() {
    local what
    cp "$journal" "$scratch/before"
    for what in '--timeout 2' '--accept 99' '--max-rate 1089' '--repeat 3' '--source-ports 2000' \
        '--hardware-timestamps any'; do
        # shellcheck disable=SC2086
        run search --resume $what
        what=${what% *}
        expect 2 "a journal of another ${what#--} is refused" "^dnsgauge: .*line 1: .*${what#--} was"
    done
    ip -n "$lab_name-tester" link set g0 mtu 1400
    run search --resume
    ip -n "$lab_name-tester" link set g0 mtu 1500
    expect 2 "a journal of another set-up is refused" '^dnsgauge: .*line 1: .*mtu was 1500, now it is 1400'
    check "and left alone" cmp -s "$journal" "$scratch/before"
    sed -i '4s/"verdict":"fail"/"verdict":"pass"/' "$journal"
    cp "$journal" "$scratch/before"
    run search --resume
    expect 2 "a verdict that leads elsewhere is noticed" '^dnsgauge: .*line 5: '
    check "and left alone" cmp -s "$journal" "$scratch/before"
    echo 'Dear Sir or Madam' >"$journal"
    run search --resume
    expect 2 "a letter is no journal" '^dnsgauge: .*line 1: it is not the journal'
    check "and stays a letter" [ "$(cat "$journal")" = 'Dear Sir or Madam' ]
    rm "$journal"
    run search --resume
    expect 2 "no journal at all" '^dnsgauge: there is no journal .*leave out --resume'

    start_search
    wait_for_trials 1
    run search --resume
    expect 2 "a journal that is in use" '^dnsgauge: .*in use'
    kill_series
}

# In its pauses a search has no program on the interface.
test_pause() {
    new_series
    start_search --pause 60
    wait_for_trials 1
    check "a search pauses" no_program
    run in_ns tester "$dnsgauge" trial --interface g0 --server 198.18.0.2 --names $names --rate 10 --duration 0.1 \
        --timeout 0.1 >"$said" 2>&1
    expect 2 "and nobody else gets in" "^dnsgauge: process [0-9]+ has g0 for its trials"
    kill_series
    run in_ns tester "$dnsgauge" trial --interface g0 --server 198.18.0.2 --names $names --rate 10 --duration 1 \
        --qtype A --timeout 1 --max-lateness 60 --max-overrun 60 --max-others 100 >"$said" 2>&1
    expect 0 "until it has ended"
}

test_range() {
    new_series
    run search --min-rate 400
    expect 2 "a range whose lower end fails" '^dnsgauge: even --min-rate 400 fails .*72 of 200 .*lower'
    run search --min-rate 400 --resume
    expect 2 "and again, without a trial" '^dnsgauge: even --min-rate 400 fails'
    check "its trial is in the journal" holds 'len(t) == 1'
    local server
    for server in "${dut_addresses[@]}"; do
        new_series
        run search --server "$server" --max-rate 200 --repeat 1
        expect 0 "$server: a range whose upper end passes" \
            '^dnsgauge: the server keeps 200 queries/s or more: .*--resume'
        check "has a bound as its result" grep -Eq '^Median \(qps\) +>= 200$' "$said"
        check "in the journal and the JSON too" holds 'len(t) == 2 and r["at_least"] == 200
            and r["rates"] == [] and j[-1] == {"record": "result", "at_least": 200}'
        # From 200 on the halves are others, and lead to 255.
        run search --server "$server" --repeat 1 --resume
        expect 0 "$server: goes on with a higher one" '^ +1 +255 '
        check "without a trial made twice" holds "$decided[:3] == [64, 200, 1088]
            and r['rates'] == [255] and r['at_least'] is None"
    done
}

# Takes the first repetition from the journal of a finished search, and resumes it against FakeDNS,
# which answers what Knot does not: so the second repetition never fails.
test_range_later() {
    head -n 8 "$finished" >"$journal"
    rm -f "$result"
    run search --resume
    expect 0 "a second search that passes all" '^dnsgauge: the server keeps 1088 queries/s or more'
    check "what was found before it is told" grep -Eq '^ +1 +256 +7( |$)' "$said"
    check "and written" holds "r['rates'] == [256] and r['end'] == 'above range'
        and len(r['repetitions']) == 2 and r['statistics']['count'] == 1"
}

test_bad_input() {
    refused "an empty range" 'min-rate 1088 must be below' --min-rate 1088
    refused "no such interface" 'g7' --interface g7
    refused "too few names" '10.0.0.0/24 has 256' --names 10.0.0.0/24
    refused "less than a query" 'less than one query' --min-rate 1
    refused "a rate of words" '--max-rate fast' --max-rate fast
    refused "no resolution" '--resolution 0' --resolution 0
    refused "a negative pause" '--pause -1' --pause=-1
    refused "no repetition" '--repeat' --repeat 0
    refused "both kinds of hygiene" '--fresh-names' --fresh-names --before-trial true
    refused "too few fresh names" '14 trials of at most 544 queries.* 14336 names.*has 8192' \
        --fresh-names --names 10.0.0.0/19
    refused "a DNS64 server's cache" 'cache.*--fresh-names' --dut dns64 --qtype AAAA
    refused "one file for two things" '--json and --journal' --json "$journal"
    refused "a journal nowhere" 'No such file' --journal "$scratch/no/journal"
}

# The command starts the server anew before each trial, and ends before the server is ready.
test_restart() {
    stop_server
    cat >"$scratch/restart" <<SCRIPT
#!/bin/sh
pid=\$(cat $scratch/knot.pid 2>/dev/null) && kill \$pid && while kill -0 \$pid; do sleep 0.1; done
ip netns exec $lab_name-dut $scratch/knot/start >/dev/null 2>&1 &
echo \$! >$scratch/knot.pid
echo \$! >>$scratch/pids
SCRIPT
    chmod +x "$scratch/restart"
    new_series
    run search --max-rate 400 --resolution 200 --repeat 1 --before-trial "$scratch/restart"
    expect 0 "a server that is started anew before each trial" '^search 1 of 1, trial 3'
    check "it was, each time" [ "$(sort -u "$scratch/pids" | wc -l)" -eq 3 ]
    check "and the last one lives on" kill -0 "$(cat "$scratch/knot.pid")"
    check "the result is right" holds "[x['verdict'] for x in t] == ['pass', 'fail', 'pass']
        and r['rates'] == [232] and r['options']['before-trial'].endswith('/restart')"
    # Other tests stop this process.
    server_pid=$(cat "$scratch/knot.pid")
}

test_before_trial() {
    new_series
    run search --before-trial 'echo no such server >&2; exit 4'
    expect 2 "a command that fails" '^dnsgauge: "echo no such server.*exit status 4'
    check "and leaves no journal without a trial" [ ! -e "$journal" ]
    run search --before-trial 'sleep 1000 & wait' --before-trial-timeout 0.5
    expect 2 "a command that hangs" '^dnsgauge: "sleep 1000.*did not end within 0.5 s'
    check "it was killed with its children" \
        [ -z "$(ip netns pids "$lab_name-tester" | xargs -r ps -o args= -p | grep 'sleep 1000')" ]
    # This is no failed trial: the search cannot say anything about such a server.
    new_series
    run search --server 198.18.0.9 --server-mac 02:00:00:00:00:09 --source 198.18.0.1 \
        --before-trial true --ready-timeout 1
    expect 2 "a server that never answers" '^dnsgauge: the server is not ready 1 s after "true".*lost'
    new_series
    run search --zone other.test --before-trial true --ready-timeout 1
    expect 2 "a server that does not know the zone" '^dnsgauge: the server is not ready.*RCODE'
    new_series
    start_search --before-trial "sleep 1000"
    sleep 1
    kill -INT "$STARTED_PID"
    run wait "$STARTED_PID"
    cp "$STARTED_LOG" "$said"
    stop_pid "$STARTED_PID"
    expect 3 "Ctrl-C ends the command, too" '^dnsgauge: interrupted'
    new_series
    start_search --before-trial "trap '' HUP TERM; echo \$\$ >$scratch/hook.pid; sleep 1001 & wait"
    for _ in {1..100}; do
        pgrep -g "$(cat "$scratch/hook.pid" 2>/dev/null || echo 0)" sleep >/dev/null && break
        sleep 0.1
    done
    kill_series
    check "kill -9 ends the command, too, with its children" no_process_group \
        "$(cat "$scratch/hook.pid")"
}

# Knot has too few names for this test; FakeDNS has all.
test_fresh_names() {
    stop_server
    run_fakedns dut --interface d0 --aaaa-share 50
    test_range_later
    # All names have an A record, half of them an AAAA record.
    new_series
    run search --max-rate 400 --resolution 400 --repeat 1 --fresh-names --accept 50
    expect 0 "it passes whatever it is asked" 'the server keeps 400 queries/s or more'
    check "no two trials have a name in common" holds "t[0]['names'] == '10.0.0.0/24' and
        t[1]['names'] == '10.0.1.0/24' and t[0]['valid'] == t[0]['sent'] == 32"
    new_series
    run search --qtype AAAA --repeat 1
    expect 2 "half of the records are missing" 'even --min-rate 64 fails .*16 of 32 .*without the record'
    run search --qtype AAAA --repeat 1 --accept 50 --resume
    expect 2 "--accept is part of what a journal is of" 'accept was 100.0, now it is 50.0'
    new_series
    run search --dut dns64 --qtype AAAA --aaaa-share 50 --max-rate 400 --resolution 400 --repeat 1 \
        --fresh-names --accept 40
    expect 0 "a DNS64 server's search without a self-test" \
        'not compliant with RFC 8219: .*; no self-test of the Tester covers it; '
    check "and so says each of its trials" holds "len(t) == 2 and all(not x['selftest']['covers'] and
        'no self-test of the Tester covers it' in x['rfc8219']['deviations'] for x in t)"
    # Exit status 3: this is the Tester's limit, not the server's.
    local server
    for server in "${dut_addresses[@]}"; do
        new_series
        run search --server "$server" --qtype A --min-rate 20000000 --max-rate 20000001 --names 10.0.0.0/7 \
            --duration 0.1 --timeout 0.1 --max-lateness 0.4 --max-overrun 0.4 --invalid-retries 1
        expect 3 "$server: a trial beyond the Tester's own limit" \
            '^dnsgauge: a trial at 20000000 queries/s is invalid: .*nothing was learned.*again 1 time:'
        check "it is made again and recorded, but no step" holds "r['end'] == 'invalid trial' and
            r['trials_made'] == 2 and r['invalid_trials'] == 2 and
            t[0]['verdict'] == t[1]['verdict'] == 'invalid' and r['trials'] == []"
        check "after a pause" grep -q '^dnsgauge: note: an invalid trial is made again after 1 s more$' "$said"
        new_series
        run search --server "$server" --qtype A --transport tcp --max-rate 4000000 --names 10.0.0.0/8 --duration 0.2 \
            --resolution 1000000 --repeat 1 --max-lateness 0.01 --max-overrun 0.01
        expect 0 "$server: a server that answers more than the Tester can offer" \
            '^dnsgauge: the server answers at least [0-9]+ queries/s; the Tester is the limit at [0-9]+ queries/s: '
        check "has no result but a bound" holds "r['end'] == 'not offered' and r['rates'] == [] and
            64 <= r['at_least'] < r['not_offered'] <= 2100000 and r['tester_limit'] and
            all(x.get('rate_not_offered', False) for x in t if x['rate'] == r['not_offered']) and
            all(x['verdict'] == 'pass' for x in t if x['rate'] == r['at_least'] and x['verdict'] != 'invalid')"
        check "in its table, too" grep -Eq '^Median \(qps\) +\(>= [0-9]+\)$' "$said"
        cp "$journal" "$scratch/before"
        run search --server "$server" --qtype A --transport tcp --max-rate 4000000 --names 10.0.0.0/8 --duration 0.2 \
            --resolution 1000000 --repeat 1 --max-lateness 0.01 --max-overrun 0.01 --resume
        check "and the same when it is told again" grep -Eq '^Median \(qps\) +\(>= [0-9]+\)$' "$said"
        check "without a trial" cmp -s "$journal" "$scratch/before"
    done
    stop_pid "$STARTED_PID"
}

lab_up
lay_out
start_server knot "$scratch/knot" || { fail "no Knot DNS" && finish; }
if [[ ${1-} == more ]]; then
    test_kill
    ended_by TERM
    finish
fi
test_result
test_torn
test_foreign_journals
test_interruption
test_pause
test_range
test_bad_input
test_before_trial
test_restart
test_fresh_names
check "nothing is left at the end" no_leftovers
finish
