#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# replay_runs_test.sh unbound|bind9|knot-resolver|pdns-recursor [runs|more]: tests dnsgauge replay. The resolver is
# started anew before each run. It gets queries that dnsgauge-queries made up, and asks FakeDNS on a third host, which it
# finds from a root on the Tester. A script that shares nothing with dnsgauge compares each second, and what the resolver
# asked, with tcpdump's recording. Without `runs` tests journals after kill -9 and Ctrl-C, the forms of the result, bad
# input and a load factor as well; `more` searches for other load factors alone. Exit status 77: this test cannot run
# here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
# shellcheck source-path=SCRIPTDIR source=series_lib.sh
. "$lib_directory/series_lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
# shellcheck source-path=SCRIPTDIR source=root.sh
. "$lib_directory/root.sh"
PATH=$PATH:/usr/sbin
kind=${1:?which resolver: ${resolver_kinds[*]}}
of=${2-}
skip_unless_root
skip_unless_built dnsgauge dnsgauge-queries dnsgauge-zone fakedns
skip_unless_installed "$kind"
for program in tcpdump knotd; do
    command -v $program >/dev/null || skip "no $program on this machine: see tools/install-packages"
done
/usr/bin/python3 -c 'import scapy' 2>/dev/null || skip "no python3-scapy: see tools/install-packages"

resolver=198.18.0.2
auth=198.18.2.1
clients=198.19.0.0/16
runs=3

# Writes a command that starts the resolver anew, as a user's command does.
write_resolver() {
    local directory=$scratch/resolver
    "$bin/dnsgauge-zone" resolver "$kind" --directory "$directory" --listen $resolver --hints "$root_hints" \
        --family 4 --workers 1 || return
    cat >"$scratch/restart" <<END
#!/bin/sh
$scratch/stop
ip netns exec $lab_name-dut $directory/start >$directory/run/output 2>&1 </dev/null &
echo \$! >$directory/run/pid
END
    cat >"$scratch/stop" <<END
#!/bin/sh
[ -e $directory/run/pid ] || exit 0
read -r pid <$directory/run/pid
kill \$pid 2>/dev/null
while kill -0 \$pid 2>/dev/null; do sleep 0.05; done
rm $directory/run/pid
END
    chmod +x "$scratch/restart" "$scratch/stop"
}

# compose [options]: puts the command into the array `command`. With its options a stall of this
# machine makes no reply late, and no run invalid but one that fails because of the stall alone.
compose() {
    local -A defaults=([--interface]=g0 [--server]=$resolver [--capture]=$capture [--clients]=$clients
        [--runs]=$runs [--duration]=4 [--timeout]=2 [--pause]=0.2 [--before-trial]=$scratch/restart
        [--max-lateness]=60 [--max-overrun]=60 [--max-others]=100 [--journal]=$journal [--json]=$result
        [--intervals]=$scratch/intervals.csv [--curve]=$scratch/curve.csv)
    command=("$dnsgauge" replay --beyond-selftest "$@")
    add_defaults "$@"
}

replay() {
    compose "$@"
    status=0
    in_ns tester "${command[@]}" >"$table" 2>"$said" || status=$?
}

attempt() { replay "$@"; }

start_replay() {
    compose "$@"
    start_in tester "${command[@]}"
}

# as_recorded WHAT: checks the result by the recording.
as_recorded() {
    if "$lib_directory/check_replay_runs.py" "$journal" "$result" "$capture" "$scratch/seen.pcap" \
        $resolver $auth >"$scratch/compared" 2>&1; then
        pass "$1: $(paste -sd ';' "$scratch/compared")"
    else
        fail "$1: $(cat "$scratch/compared")"
    fi
}

# Checks the runs of a replay that is complete.
judge_runs() {
    check "all is answered, names that do not exist with NXDOMAIN" told "len(r['trials']) == $runs and
        all(x['sent'] == x['answered'] > 900 and
        x['rcodes']['NXDOMAIN'] > 50 and sum(x['rcodes'].values()) == x['sent'] for x in r['trials'])"
    check "bands hold the runs" told "r['since_s'] == 2 and
        all(r['bands']['answered_percent'][k] == 100 for k in ('min', 'median', 'mean', 'max')) and
        all(p['rtt_ns']['min'] <= p['rtt_ns']['mean'] <= p['rtt_ns']['max'] for p in r['bands']['curve'])"
    as_recorded "each second is as tcpdump saw it, and each run begins with an empty cache"
}

test_runs() {
    new_series
    start_tcpdump -i any -U --time-stamp-precision nano -B 16384 -w "$scratch/seen.pcap" "udp port 53"
    start_replay
    wait_for_trials 1
    sleep 2
    kill_series
    start_replay --resume
    wait_for_trials 2
    sleep 2
    interrupt_series
    expect 3 "Ctrl-C ends the replay" '^dnsgauge: interrupted: go on with --resume'
    check "and the runs so far are told" told "r['end'] == 'interrupted' and len(r['trials']) == 2"
    replay --resume
    end_tcpdump
    expect 0 "the replay can be gone on with" '^run 3 of 3, trial 1: [0-9]+ queries/s: [0-9]+ sent, '
    check "no run is lost, none made again" told "r['end'] == 'complete' and len(r['trials']) == $runs and
        r['resumed'] == 2"
    judge_runs
}

# The same without interruption.
test_runs_alone() {
    start_tcpdump -i any -U --time-stamp-precision nano -B 16384 -w "$scratch/seen.pcap" "udp port 53"
    replay
    end_tcpdump
    expect 0 "$kind: $runs runs" "^run $runs of $runs, trial 1: [0-9]+ queries/s: [0-9]+ sent, "
    judge_runs
}

test_forms() {
    local form
    for form in text markdown csv; do
        replay --resume --form $form
        check "$form says what the figures are good for" grep -q 'for comparison alone' "$table"
    done
    check "a table for programs says so once" [ "$(grep -c 'for comparison alone' "$table")" -eq 1 ]
    check "the result has the duration that was asked for" told "r['duration_s'] == 4"
    check "and what was not played, and how late queries left" told "r['captures']['left_out']['cut'] == 0 and
        r['captures']['doubled'] == 0 and all(0 <= x['lateness_p99_ns'] <= x['lateness_max_ns'] for x in r['trials'])"
    check "and has a row for each run and for the bands" \
        [ "$(grep -Ec '^([123]|min|median|mean|max),' "$table")" -eq 7 ]
    check "so has each second" [ "$(grep -Ec '^([123]|min|median|mean|max),1,' "$scratch/intervals.csv")" -eq 7 ]
    check "and each share of the slowest queries" \
        [ "$(grep -Ec '^([123]|min|median|mean|max),0.1,' "$scratch/curve.csv")" -eq 7 ]
    replay --resume --timeout 1
    expect 2 "a journal of other runs is refused" '^dnsgauge: .*line 1: it is of another replay: .*timeout was'
    cp "$capture" "$scratch/changed.pcap"
    "$bin/dnsgauge-queries" make --seed 2 --rate 250 --duration 4 --output "$capture"
    replay --resume
    expect 2 "so is one of another capture" '^dnsgauge: .*line 1: it is of another replay: .*captures_crc64'
    mv "$scratch/changed.pcap" "$capture"
}

test_bad_input() {
    refused "no query to that server" 'no query to send .*other servers than --capture-server' \
        --capture-server 192.0.2.1
    refused "a load factor beyond the slices" '--load-factor 3: .*slices of 1.3 s' --load-factor 3
    refused "a command that fails" 'exit status 7' --before-trial 'exit 7'
    refused "a part after the end" '--since 4' --since 4
    refused "no such capture" 'cannot read the capture' --capture "$scratch/none.pcap"
    refused "one file for two things" '--journal and --curve both name' --curve "$journal"
    refused "a resolver that never answers" 'not ready 1 s after .*--ready-timeout' \
        --before-trial "$scratch/stop" --ready-timeout 1
    ip -n "$lab_name-dut" route del $clients
    refused "no way back to the clients" \
        "the server answers this Tester .198.18.0.1., but no query from 198.19.0.1 .*route add $clients via 198.18.0.1"
    ip -n "$lab_name-dut" route add $clients via 198.18.0.1
    # A command that fails later leaves the runs so far.
    local runs=2
    cat >"$scratch/once" <<END
#!/bin/sh
[ ! -e $scratch/was ] || exit 7
touch $scratch/was
exec $scratch/restart
END
    chmod +x "$scratch/once"
    new_series
    replay --before-trial "$scratch/once" --duration 1
    expect 2 "a command that fails before the second run" 'exit status 7'
    check "and the first run is in the journal" [ "$(grep -c '"record":"trial"' "$journal")" -eq 1 ]
    rm "$scratch/was"
    cat "$scratch/restart" >"$scratch/once"
    replay --before-trial "$scratch/once" --duration 1 --resume
    expect 0 "once it is mended the replay goes on"
    check "with the run that it had" told "len(r['trials']) == $runs and r['resumed'] == 1"
}

# find_factor MOST [options]: searches for the highest load factor.
find_factor() {
    local most=$1
    shift
    status=0
    in_ns tester "$dnsgauge" replay --interface g0 --server $resolver --capture "$capture" --runs 3 --duration 1 \
        --before-trial true --timeout 1 --find-load-factor "$most" --beyond-selftest --max-lateness 60 --max-overrun 60 \
        --max-others 100 --journal "$journal" --json "$result" "$@" >"$table" 2>"$said" || status=$?
}

# test_load_factor LIMIT MOST RIGHT TRIED: searches up to MOST, of which 2 * LIMIT is less than MOST slices ask in their
# first second, and more than RIGHT slices ask.
test_load_factor() {
    local status trials most=$2 right=$3 tried=$4
    run_fakedns dut --interface d0 --rate-limit "$1" || no_fakedns fakedns
    fakedns_pid=$STARTED_PID
    new_series
    find_factor "$most" --margin 5 --pause 1
    check "a search for a load factor ends" [ $status -eq 0 ]
    check "at the right one, and says why: $(tail -n 1 "$table")" \
        grep -q "^highest load factor without overload: $right; overloaded at $most by unanswered: .*latency was not compared" "$table"
    check "each load factor has its replay" told "r['factors'] == $tried and r['load_factor'] == $right and
        [x['captures']['played'] for x in r['replays']] == r['factors'] and r['overload']['sign'] == 'unanswered' and
        r['undecided'] is None"
    trials=$(cat "$journal".[1-4]x | grep -c '"record":"trial"')
    check "and its journal" told "$trials >= 3 * len(r['factors'])"
    check "runs play slices in turn, each with its own clients" told "all(x['captures']['slices'] == $most and
        x['captures']['clients'] <= 50 * x['captures']['played'] for x in r['replays']) and
        r['replays'][r['factors'].index($most)]['trials'][0]['sent'] in range(201 * $most, 1011)"
    mv "$result" "$scratch/before.json"
    find_factor "$most" --margin 5 --pause 1 --resume
    check "whoever goes on comes to the same, and makes no run again" told "
        r['overload'] == json.load(open('$scratch/before.json'))['overload'] and r['load_factor'] == $right"
    check "in no more trials" [ "$(cat "$journal".[1-4]x | grep -c '"record":"trial"')" -eq "$trials" ]
    stop_pid "$fakedns_pid"
    rm "$journal".[1-4]x
}

# A server that loses as many queries whatever the load is.
test_no_overload() {
    local status
    run_fakedns dut --interface d0 --fault loss=4% || no_fakedns fakedns
    new_series
    find_factor 4 --margin 0 --runs-most 6 --pause 0.1
    check "a server that loses by chance is not called overloaded: $(tail -n 1 "$table")" told "r['overload'] is None
        and any(x['lost'] for y in r['replays'] for x in y['trials'])"
    check "but gets more runs, which cannot tell either" told "[len(x['trials']) for x in r['replays']] == [6, 6] and
        r['runs_most'] == 6 and r['undecided']['load_factor'] == 2 and r['load_factor'] == 1"
}

lab_up --auth
lay_out
capture=$scratch/made.pcap
ip -n "$lab_name-dut" route add $clients via 198.18.0.1
start_root $auth
check "$kind is configured" write_resolver
run_fakedns auth --interface a0 || no_fakedns fakedns
"$bin/dnsgauge-queries" make --rate 250 --duration 4 --clients 50 --nxdomain 10 --names 10.0.0.0/24 \
    --types A=60,AAAA=40 --output "$capture"
if [[ $of == runs ]]; then
    test_runs_alone
elif [[ $of == more ]]; then
    test_load_factor 400 4 3 "[1, 2, 4, 3]"
    test_no_overload
else
    test_runs
    test_forms
    test_bad_input
    "$scratch/stop"
    test_load_factor 180 2 1 "[1, 2]"
fi
check "nothing is left at the end" no_program
finish
