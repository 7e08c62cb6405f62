#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Others run on the Tester's CPU: a trial that fails is invalid, and its reason names them. FakeDNS loses one
# query of a hundred, so that a trial fails whatever the CPUs do. If others run on the server's CPU, in any network
# namespace, a trial that passes has a doubt, and a trial that fails is invalid. Exit status 77: this test cannot run
# here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"

skip_unless_root
skip_unless_built
patience=0.5 # nobody but the burner is there
online=$(</sys/devices/system/cpu/online)
first_cpu=${online%%[-,]*}
last_cpu=${online##*[-,]}

# start_burner CPU NICE [SCRIPT]: runs a busy loop called "burner" there, by the words of burner_in; its process ID is
# in $burner.
burner_in=()
start_burner() {
    "${burner_in[@]}" nice -n "$2" taskset -c "$1" "$scratch/burner" -c "${3-while :; do :; done}" &
    burner=$!
    started_pids+=("$burner")
}

# Busy processes of some tens of milliseconds, one after the other: a trial sees none of them.
brief_ones='while :; do (for ((i = 0; i < 20000; i++)); do :; done); done'

# expect_verdict STATUS WHAT EXPRESSION SERVER [options]: checks one trial beside a burner. The trial is made again while
# the whole machine stood still: then its queue stalled, whatever the burner did.
expect_verdict() {
    local wanted=$1 what=$2 expression=$3 status
    shift 3
    for _ in {1..5}; do
        status=0
        trial "$@" --cpus "$first_cpu" --max-others 5 || status=$?
        grep -q 'verdict .*: its queue stalled' "$said" || break
    done
    check "$what: exit status $status, should be $wanted: $(grep -E 'verdict|doubt' "$said")" \
        [ "$status" -eq "$wanted" ]
    check "$what: result" holds "$adds_up and ($expression)"
}

lab_up
lay_out
ln -s "$(type -P bash)" "$scratch/burner"
named='"burner (process " in'

start_fakedns --fault loss=1%
start_burner "$first_cpu" -20 # as urgent as the sender
for server in $server4 $server6; do
    expect_verdict 3 "$server: a burner on the Tester's CPU" \
        "r['lost'] == r['sent'] // 100 and $named r['why'] and 'CPU $first_cpu' in r['why']" "$server"
done
expect_trial 1 "--max-others 100: whatever they do" "r['lost'] == r['sent'] // 100" $server4 \
    --cpus "$first_cpu" --max-others 100
stop_pid "$burner"
start_burner "$first_cpu" -20 "$brief_ones"
expect_verdict 3 "processes that end before they are seen" \
    "r['lost'] == r['sent'] // 100 and 'CPU $first_cpu' in r['why'] and
        any(c['cpu'] == $first_cpu and c['unseen_ns'] > c['others_ns'] for c in r['cpus'])" "$server4"
stop_pid "$burner"
stop_fakedns

# The server runs on the other CPU, by sockets. Whoever else runs there is nobody of the server's: in the machine's
# namespace, in one that has nothing to do with the lab, and in the server's own.
told_apart="any(c['cpu'] == $last_cpu and c['server_ran_ns'] > 0 and
    {('fakedns', 'server'), ('burner', 'other')} <= {(g['name'], g['side']) for g in c['guests']} for c in r['cpus'])"
if [[ $last_cpu != "$first_cpu" ]]; then
    for fault in '' --fault=loss=1%; do
        start_fakedns --xdp-mode off ${fault:+"$fault"}
        taskset -apc "$last_cpu" "$fakedns_pid" >/dev/null
        for where in '' 'unshare --net' "${on_dut[*]}"; do
            read -ra burner_in <<<"$where"
            start_burner "$last_cpu" 0
            # Each family meets each place once, with losses or without.
            [[ $server == "$server4" ]] && server=$server6 || server=$server4
            what="$server: a burner${where:+ by $where} on the server's CPU"
            if [[ -n $fault ]]; then
                expect_verdict 3 "$what, queries lost" "r['lost'] >= r['sent'] // 100 and $named r['why'] and
                    'CPU $last_cpu,' in r['why'] and $told_apart" "$server"
            else
                expect_verdict 0 "$what" "r['valid'] == r['sent'] and $told_apart and
                    any($named d and 'CPU $last_cpu,' in d for d in r['doubts'])" "$server"
                check "$what: which is told" grep -Eq "^  doubt .*burner \(process" "$said"
                check "$what: with the share" grep -Eq "^  CPU $last_cpu +.*runs the server; others had [0-9.]+ %" "$said"
            fi
            stop_pid "$burner"
        done
        stop_fakedns
    done

    # One program starts server and noise, and all three have one name.
    harness=$scratch/fakedns
    ln -s "$(type -P bash)" "$harness"
    start_in dut "$harness" -c "'$bin/fakedns' --interface d0 --xdp-mode off &
        echo \$! >'$scratch/server'
        '$harness' -c 'while :; do :; done' & echo \$! >'$scratch/noise'; wait"
    harness_pid=$STARTED_PID
    for _ in {1..300}; do
        ! grep -q '^fakedns: ready ' "$STARTED_LOG" || break
        sleep 0.1
    done
    server_pid=$(<"$scratch/server")
    noise_pid=$(<"$scratch/noise")
    started_pids+=("$server_pid" "$noise_pid")
    taskset -apc "$last_cpu" "$server_pid" >/dev/null
    taskset -apc "$last_cpu" "$noise_pid" >/dev/null
    sides() { echo "[{g['side'] for c in r['cpus'] for g in c['guests'] if g['process'] == $1}]"; }
    expect_verdict 0 "a harness, the server and noise of one name" "r['valid'] == r['sent'] and
        $(sides "$server_pid") == [{'server'}] and $(sides "$noise_pid") == [{'other'}] and
        any('fakedns (process $noise_pid)' in d for d in r['doubts'])" "$server4"

    # Who the server is can be said.
    expect_verdict 0 "the noise is named the server" "$(sides "$noise_pid") == [{'server'}] and
        $(sides "$server_pid") <= [{'other'}]" "$server4" --server-process "$noise_pid"
    expect_verdict 0 "the server is named" "$(sides "$server_pid") == [{'server'}] and
        $(sides "$noise_pid") == [{'other'}]" "$server6" --server-process "$server_pid"
    expect_verdict 0 "all of a name are the server" "$(sides "$server_pid") == [{'server'}] and
        $(sides "$noise_pid") == [{'server'}] and not any('fakedns' in d for d in r['doubts'])" "$server4" --server-process fakedns
    status=0
    trial "$server4" --server-process nobody || status=$?
    expect 2 "nobody has that name" '^dnsgauge: --server-process nobody: no process of this machine has this name'
    stop_pid "$server_pid"
    stop_pid "$noise_pid"
    stop_pid "$harness_pid"
fi
finish
