#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests dnsgauge experiment: two servers times two durations, killed with kill -9 twice, and
# resumed. The servers' zone has so few names that the test knows which rates fail: those at which a
# trial asks for more names. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
dnsgauge=$bin/dnsgauge

skip_unless_root
skip_unless_built dnsgauge dnsgauge-zone
skip_unless_installed knot nsd

# 128 names last for 256 queries/s in half a second, and for 128 in a whole one. With these options
# a stall of this machine makes no trial invalid, and no reply late.
write_file() {
    file=$scratch/experiment.toml
    directory=$scratch/results
    said=$scratch/said
    cat >"$file" <<TOML
title = "Two servers"
scaled-down = "128 names"

[variables]
namespace = "$lab_name-dut"

[search]
interface = "g0"
address = "198.18.0.2"
names = "10.0.0.0/16"
timeout = 1
beyond-selftest = true
min-rate = 64
max-rate = 576
resolution = 128
repeat = 1
pause = 0
max-lateness = 60
max-overrun = 60
max-others = 100

[matrix]
server = ["knot", "nsd"]
duration = [0.5, 1]

[servers.knot]
label = "Knot DNS"
prepare = ["\${bin}/dnsgauge-zone", "server", "knot", "--directory", "\${directory}", "--names", "10.0.0.0/25", "--type", "AAAA", "--listen", "\${address}"]
start = ["ip", "netns", "exec", "\${namespace}", "\${directory}/start"]

[servers.nsd]
label = "NSD"
prepare = ["\${bin}/dnsgauge-zone", "server", "nsd", "--directory", "\${directory}", "--names", "10.0.0.0/25", "--type", "AAAA", "--listen", "\${address}"]
start = ["ip", "netns", "exec", "\${namespace}", "\${directory}/start"]

[table]
columns = ["server", "duration"]
TOML
}

experiment=("$dnsgauge" experiment)
run() {
    status=0
    in_ns tester "${experiment[@]}" "$@" >"$said" 2>&1 || status=$?
}

trials() { cat "$directory"/*.jsonl 2>/dev/null | grep -c '"record":"trial"'; }
servers_running() { [[ -n $(ip netns pids "$lab_name-dut") ]]; }

# A killed process' children end a moment later.
no_server() {
    local turn
    for turn in {1..50}; do
        servers_running || return 0
        sleep 0.1
    done
    return 1
}

# kill_when WHAT CMD...: starts the experiment with --resume, and kills it as soon as CMD succeeds.
kill_when() {
    local what=$1 turn
    shift
    start_in tester "${experiment[@]}" "$file" --directory "$directory" --resume
    for turn in {1..600}; do
        "$@" && break
        sleep 0.05
    done
    "$@" || fail "$what does not come: $(cat "$STARTED_LOG")"
    kill -KILL "$STARTED_PID"
    stop_pid "$STARTED_PID" 2>/dev/null
    check "$what: kill -9 leaves no server" no_server
}

has_trials() { [[ $(trials) -ge $1 ]]; }

# holds EXPRESSION: succeeds if the Python expression is true. r is the result, walks has the rates
# in each cell's journal.
holds() {
    /usr/bin/python3 - "$directory" "$1" <<'PYTHON'
import glob
import json
import sys

with open(f"{sys.argv[1]}/experiment.json", encoding="utf-8") as file:
    r = json.load(file)
walks = {}
for path in glob.glob(f"{sys.argv[1]}/*.jsonl"):
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    walks[path.rsplit("/", 1)[1]] = [x["trial"]["rate"] for x in lines if x.get("record") == "trial"]
rates = {c["name"]: c["search"] and c["search"]["rates"] for c in r["cells"]}
if not eval(f"({sys.argv[2]})"):
    sys.exit(f"not so: {sys.argv[2]}: {rates} {walks}")
PYTHON
}

test_plan() {
    run "$file" --plan
    expect 0 "the plan" '^4 cells, about 4. s'
    check "has the line of each search" [ "$(grep -c '^dnsgauge search .*--duration=' "$said")" -eq 4 ]
    sed 's/^pause = 0/paws = 0/' "$file" >"$scratch/wrong.toml"
    run "$scratch/wrong.toml" --directory "$directory"
    expect 2 "an unknown key" "^dnsgauge: $scratch/wrong.toml:17: unknown key \"paws\""
    sed 's/^timeout = 1/timeout = ""/' "$file" >"$scratch/wrong.toml"
    run "$scratch/wrong.toml" --directory "$directory"
    expect 2 "an empty setting" "^dnsgauge: $scratch/wrong.toml:11: timeout has no value"
    sed 's/^names = .*/names = "10.0.0.0\/24"/' "$file" >"$scratch/wrong.toml"
    run "$scratch/wrong.toml" --directory "$directory"
    expect 2 "an impossible grid" "^dnsgauge: $scratch/wrong.toml:10: names: .*has 256"
    sed '/^beyond-selftest/d' "$file" >"$scratch/wrong.toml"
    run "$scratch/wrong.toml" --directory "$directory"
    expect 2 "no self-test, in the file's words" \
        '^dnsgauge: cell .* dnsgauge selftest --rate 576 --.*; or give beyond-selftest, and'
    check "and no directory is made of it" [ ! -e "$directory" ]
}

test_kill_and_resume() {
    kill_when "the first server's start" servers_running
    kill_when "the middle" has_trials 6
    run "$file" --directory "$directory"
    expect 2 "a directory that is in use needs --resume" '^dnsgauge: there is a journal .*--resume'
    run "$file" --directory "$directory" --resume
    expect 0 "it goes on to the end" 'SCALED DOWN'
    check "every trial once, none repeated, none lost" holds \
        'len(walks) == 4 and all(walk == [64, 576, 320, 192] for walk in walks.values())'
    check "the right result" holds "rates == {'knot-0.5': [192], 'knot-1': [64], 'nsd-0.5': [192],
        'nsd-1': [64]}"
    check "the table is whole" holds "r['schema'] == 'dnsgauge/experiment/1' and r['complete']
        and not r['rfc8219_compliant'] and r['scaled_down'] == '128 names'
        and r['tables'][0]['heads'] == [['Server', 'Knot DNS', 'Knot DNS', 'NSD', 'NSD'],
                                        ['Test duration (s)', '0.5', '1', '0.5', '1']]
        and r['tables'][0]['rows'][0] == ['Median (qps)', '192', '64', '192', '64']"
    local form
    for form in txt csv md tex; do
        check "the labels are in tables.$form" \
            sh -c "grep -q 'Scaled down' '$directory/tables.$form' &&
                   grep -q 'not compliant' '$directory/tables.$form' &&
                   grep -q '^[| ]*N ' '$directory/tables.$form' || grep -q '^N,1,1,1,1' '$directory/tables.$form'"
    done
    check "no server is left" no_server
}

test_finished() {
    cat "$directory"/*.jsonl >"$scratch/before"
    run "$file" --directory "$directory" --resume --form csv
    expect 0 "a finished one is told again" '^Median \(qps\),192,64,192,64'
    check "with the certificate's word on each cell" holds \
        "all(c['search']['certificate']['record'] for c in r['cells'])"
    check "without a trial" sh -c "cat '$directory'/*.jsonl | cmp -s - '$scratch/before'"
    sed -i 's/^repeat = 1/repeat = 2/' "$file"
    run "$file" --directory "$directory" --resume
    expect 2 "journals of another file are refused" 'line 1: it is of another search: repeat was 1'
    check "and left alone" sh -c "cat '$directory'/*.jsonl | cmp -s - '$scratch/before'"
}

# Hardly any trial keeps these times, and no trial of many queries does.
test_invalid_retries() {
    sed -e 's/^repeat = .*/repeat = 1/' -e 's/^pause = 0/pause = 1/' \
        -e 's/^max-lateness = 60/max-lateness = 0.000001/' -e 's/"knot", "nsd"/"knot"/' \
        -e 's/\[0.5, 1\]/0.5/' "$file" >"$scratch/invalid.toml"
    printf '[run]\ninvalid-retries = 1\n' >>"$scratch/invalid.toml"
    directory=$scratch/invalid
    run "$scratch/invalid.toml" --directory "$directory"
    expect 3 "an invalid trial is made again as often as it may be" 'is invalid'
    check "after the pause" holds "(lambda one, again: one['rate'] == again['rate'] and
        again['since_ns'] - one['until_ns'] >= 1e9)(*
            [x['trial'] for x in map(json.loads, open(glob.glob(sys.argv[1] + '/*.jsonl')[0]))
             if x.get('record') == 'trial'][-2:])"
}

lab_up
write_file
test_plan
test_kill_and_resume
test_finished
test_invalid_retries
finish
