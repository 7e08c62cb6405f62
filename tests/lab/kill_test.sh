#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# kill_test.sh [SEED]: kills each of the project's programs with kill -9, twenty times at random
# moments. Whatever the program was doing, no XDP program stays on an interface, no process and no
# pin is left, journals and records are readable, a search goes on, and the next run works. Exit
# status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built

seed=${1:-$$}
RANDOM=$seed
kills=0
common=(--interface g0 --server "$server4" --timeout 1 --max-lateness 60 --max-overrun 60 --max-others 100)

# ---- what a killed process must not leave

# A process that dies with another one dies a moment later.
no_process() {
    for _ in {1..50}; do
        [[ -n $(ip netns pids "$lab_name-$1") ]] || return 0
        sleep 0.1
    done
    return 1
}
pins() { find /sys/fs/bpf -mindepth 1 2>/dev/null | sort; }
namespaces() { ip netns list | grep -c "^$lab_name"; }

# nothing_left WHAT tester|dut INTERFACE: checks that a killed process left nothing.
nothing_left() {
    no_program "$2" "$3" || fail "$1: a program is left on $3"
    no_process "$2" || fail "$1: processes are left: $(ip netns pids "$lab_name-$2" |
        xargs ps -o pid,args -p)"
    [[ $(pins) == "$pins_before" ]] || fail "$1: /sys/fs/bpf: $(pins)"
    [[ $(namespaces) -eq 2 ]] || fail "$1: $(ip netns list)"
    rm -f "$scratch"/*.tmp*
}

# ---- who is killed

# quietly CMD...: runs CMD, and shows its output only if it fails.
quietly() { "$@" >"$said" 2>&1 || { cat "$said" && return 1; }; }

# a_moment MOST: waits for at most MOST hundredths of a second.
a_moment() {
    local hundredths=$((RANDOM % $1))
    sleep "$((hundredths / 100)).$(printf %02d $((hundredths % 100)))"
}

# kill_started WHAT MOST: kills the process of start_in after a moment.
kill_started() {
    a_moment "$2"
    kill -KILL "$STARTED_PID" 2>/dev/null || fail "$1: it had ended: $(cat "$STARTED_LOG")"
    stop_pid "$STARTED_PID" 2>/dev/null
    kills=$((kills + 1))
}

next_trial() { expect_trial 0 "$1: the next trial" "$all_valid" $server4 --duration 0.2 --timeout 1; }

kill_trials() {
    local turn
    for turn in 1 2 3 4 5; do
        start_in tester "$dnsgauge" trial "${common[@]}" --names "$names" --rate $rate \
            --duration 10 --per-query "$queries" --json "$result"
        kill_started "trial $turn" 200
        nothing_left "trial $turn" tester g0
    done
    next_trial "after five trials"
}

# Checks that every record is whole.
readable() {
    /usr/bin/python3 -IS -c '
import glob, json, sys
for path in glob.glob(sys.argv[1] + "/*.json"):
    with open(path, encoding="utf-8") as file:
        json.load(file)' "$scratch/state"
}

kill_selftests() {
    local turn
    local command=(env DNSGAUGE_STATE="$scratch/state" "$dnsgauge" selftest "${common[@]}"
        --duration 0.2 --pause 0)
    for turn in 1 2 3; do
        start_in tester "${command[@]}" --min-rate 1000 --max-rate 10000
        kill_started "self-test $turn" 250
        nothing_left "self-test $turn" tester g0
        check "self-test $turn: its record is whole or not there" readable
    done
    check "after three self-tests: the next one" quietly in_ns tester "${command[@]}" \
        --rate 1000 --confirm 5
    check "its record is whole" readable
}

# The searches' servers have no answer to some names. It is unknown which rates fail, but the same rates fail in every
# search.
search=("$dnsgauge" search "${common[@]}" --beyond-selftest --names 10.0.0.0/16 --duration 0.2
    --min-rate 40 --max-rate 5000 --resolution 500 --repeat 2 --pause 0)

# lines EXPRESSION: checks the Python expression, where t is the trials in the journal, whose last
# line may be torn.
lines() {
    /usr/bin/python3 -IS - "$journal" "$1" <<'PYTHON'
import json, os, sys
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")[:-1] if os.path.exists(sys.argv[1]) else []
t = [(x["repetition"], x["trial"]["rate"], x["trial"]["verdict"])
     for x in map(json.loads, lines) if x.get("record") == "trial"]
# A search makes an invalid trial again.
walk = [[(rate, verdict) for turn, rate, verdict in t if turn == n and verdict != "invalid"] for n in (1, 2)]
if not eval(f"({sys.argv[2]})"):
    sys.exit(f"not so: {sys.argv[2]}: {t}")
PYTHON
}

kill_searches() {
    local turn whole resume=()
    journal=$scratch/journal
    for turn in 1 2 3 4 5 6; do
        cp "$journal" "$scratch/before" 2>/dev/null || : >"$scratch/before"
        start_in tester "${search[@]}" --journal "$journal" "${resume[@]}"
        kill_started "search $turn" 400
        nothing_left "search $turn" tester g0
        check "search $turn: its journal is readable" lines True
        # All lines but a torn last one.
        whole=$(wc -l <"$scratch/before")
        [[ $whole -eq 0 ]] ||
            cmp -s <(head -n "$whole" "$scratch/before") <(head -n "$whole" "$journal") ||
            fail "search $turn: what was in its journal has changed"
        [[ ! -e $journal ]] || resume=(--resume)
    done
    check "after six kills the search ends" quietly in_ns tester "${search[@]}" \
        --journal "$journal" "${resume[@]}"
    # Only the first repetition tries the upper end; the lower end is far below it.
    check "no trial is lost, none was made again" lines 'len(walk[1]) > 3 and
        walk[0] == [(5000, "fail"), *walk[1]] and len(set(walk[0])) == len(walk[0])'
    start_in tester "${search[@]}" --journal "$scratch/other" --before-trial \
        "trap '' HUP TERM; sleep 1000 & wait"
    kill_started "search with a command" 150
    nothing_left "search with a command" tester g0
}

kill_calibrations() {
    local turn
    for turn in 1 2; do
        start_in tester env DNSGAUGE_STATE="$scratch/state" "$dnsgauge" calibrate "${common[@]}" \
            --duration 0.2 --fakedns-interface d0 --fakedns-netns "$lab_name-dut" --min-rate 1000 \
            --max-rate 1000
        kill_started "calibration $turn" 400
        nothing_left "calibration $turn" tester g0
        nothing_left "calibration $turn, FakeDNS" dut d0
    done
}

# kill_server WHAT [arguments of fakedns]: kills fakedns at random moments.
kill_server() {
    local what=$1
    shift
    start_in dut "$bin/fakedns" "$@"
    kill_started "$what" 150
    nothing_left "$what" dut d0
}

kill_servers() {
    kill_server fakedns --interface d0
    kill_server "fakedns with delays" --interface d0 --fault delay=50%:1ms
    kill_server "echo of two processes" echo --interface d0 --io epoll --forks 2
    # During a trial, which must notice only that answers are missing.
    start_fakedns
    start_trial $server4 --duration 6 --timeout 0.5
    a_moment 100
    sleep 0.5
    kill -KILL "$fakedns_pid"
    kills=$((kills + 1))
    end_trial
    stop_fakedns 2>/dev/null
    nothing_left "fakedns beside a trial" dut d0
    check "a trial whose server is killed: exit status 1, not $status" test $status -eq 1
    check "its counts" holds "$adds_up and r['sent'] == 12000 and r['lost'] > 0 < r['valid']
        and r['verdict'] == 'fail'"
    start_fakedns
    next_trial "after all servers"
    stop_fakedns
}

echo "seed $seed"
lab_up
lay_out
pins_before=$(pins)
start_fakedns
kill_trials
kill_selftests
stop_fakedns
start_fakedns --fault loss=0.3%
kill_searches
stop_fakedns
kill_calibrations
kill_servers
check "kills: $kills" test $kills -ge 20
finish
