#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# mlr_server_test.sh KIND: tests dnsgauge search --method mlr against a real server, as packaged, over both
# families. The server's capacity here is unknown, so trials of another command confirm the bounds: the server keeps
# the loss ratio at half of each lower bound, and does not keep it at one and a half times each upper bound.
#
# Others on this machine may take CPU time from the search and not from the trials after it, or the other way
# round. So the loss ratios are large enough to come from an overloaded server, not from a stall. A round of search and
# trials that contradict each other is made again, twice at most. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=series_lib.sh
. "$lib_directory/series_lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
dnsgauge=$bin/dnsgauge
kind=${1:?which server: ${server_kinds[*]}}
# servers.sh reads these.
# shellcheck disable=SC2034
zone_tool=$dnsgauge-zone
server_names=10.0.0.0/16
# shellcheck disable=SC2034
dut_addresses=(198.18.0.2 2001:2::2)

skip_unless_root
skip_unless_built dnsgauge dnsgauge-zone
skip_unless_installed "$kind"

rounds=3
highest=500000 # queries/s: more than a server of one worker answers
ratios=(2 20)  # percent
duration=1

# ask_server COMMAND SERVER [options]: runs that subcommand of dnsgauge against the server.
ask_server() {
    local subcommand=$1 server=$2
    shift 2
    in_ns tester "$dnsgauge" "$subcommand" --interface g0 --server "$server" --cpus "$tester_cpu" \
        --names "$server_names" --qtype A --allow-repeats --duration $duration --timeout 0.5 --max-lateness 60 \
        --max-overrun 0.25 --max-others 100 "$@"
}

search() { # SERVER
    keep_results "$journal" "$result"
    rm -f "$journal" "$result"
    status=0
    ask_server search "$1" --method mlr --beyond-selftest --loss-ratios "$(IFS=, && echo "${ratios[*]}")" --width 5 \
        --first-duration 0.25 --min-rate 1000 --max-rate $highest --pause 0.2 --journal "$journal" \
        --json "$result" >"$table" 2>"$said" || status=$?
}

# is_told SERVER: does the result have both bounds for each loss ratio, as near as --width says, and did trials of the
# full duration make the lower ones?
is_told() {
    steps_hold "r['end'] == 'complete' and r['server'] == '$1' and len(r['goals']) == ${#ratios[@]} and
        all(g['lower_bound'] < g['upper_bound'] <= 1.05 * g['lower_bound'] + 1 for g in r['goals']) and
        all(any(x['rate'] == g['lower_bound'] and x['duration_s'] >= $duration and
                x['valid'] >= (100 - ratio) / 100 * x['sent'] for x in t)
            for g, ratio in zip(r['goals'], [$(IFS=, && echo "${ratios[*]}")])) and
        r['goals'][0]['lower_bound'] <= r['goals'][1]['lower_bound']"
}

# bound PLACE lower|upper: prints a bound of the loss ratio at that place, from 0.
bound() {
    /usr/bin/python3 -IS -c 'import json, sys
print(json.load(open(sys.argv[1], encoding="utf-8"))["goals"][int(sys.argv[2])][sys.argv[3] + "_bound"])' "$result" "$@"
}

# trial_says STATUS SERVER RATE RATIO: makes a trial, and another one where the Tester itself was late. Succeeds if
# it ends with that status.
trial_says() {
    local turn
    for turn in 1 2 3; do
        status=0
        ask_server trial "$2" --rate "$3" --accept $((100 - $4)) --json "$scratch/trial.json" \
            >"$scratch/trial" 2>&1 || status=$?
        keep_results "$scratch/trial.json"
        ((status == 3)) || break
    done
    ((status == $1)) && return
    echo "$2, $4 % at $3/s: exit status $status, not $1: $(grep -E 'verdict|valid|sending|dnsgauge:' "$scratch/trial")"
    return 1
}

# confirmed SERVER: makes one round. Fails, and prints why, where the trials contradict the search.
confirmed() {
    local at
    search "$1"
    ((status == 0)) || { echo "exit status $status: $(tail -n 3 "$said")" && return 1; }
    is_told "$1" || return 1
    for at in "${!ratios[@]}"; do
        trial_says 0 "$1" $(($(bound "$at" lower) / 2)) "${ratios[at]}" || return 1
        trial_says 1 "$1" $(($(bound "$at" upper) * 3 / 2)) "${ratios[at]}" || return 1
    done
}

test_bounds() { # SERVER
    local round
    for ((round = 1; round <= rounds; round++)); do
        if confirmed "$1"; then
            pass "$kind, $1: trials far below and far above confirm the bounds of round $round:"
            cat "$table"
            return
        fi
    done
    fail "$kind, $1: trials contradict the bounds in each of $rounds rounds"
}

lab_up
lay_out
give_server_a_cpu
start_server "$kind" "$scratch/$kind" && keep_on_cpu || { fail "no $kind" && finish; }
for server in "${dut_addresses[@]}"; do
    test_bounds "$server"
done
check "$kind ends" stop_server
check "nothing is left at the end" no_program
finish
