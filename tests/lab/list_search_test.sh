#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests searches and experiments with a list of queries, against Knot DNS. The list's first 128 names exist;
# the others do not, though the list wants them to. So the test knows which rates fail: those at which a trial
# asks for more. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
dnsgauge=$bin/dnsgauge
# servers.sh reads these.
# shellcheck disable=SC2034
zone_tool=$dnsgauge-zone
# shellcheck disable=SC2034
server_names=10.0.0.0/25
# shellcheck disable=SC2034
dut_addresses=(198.18.0.2 2001:2::2)

skip_unless_root
skip_unless_built dnsgauge dnsgauge-zone
skip_unless_installed knot

write_list() {
    local i
    for i in {0..127}; do
        printf '010-000-000-%03d.dns64perf.test A answers=1\n' "$i"
    done
    for i in {1..1000}; do
        echo "no-$i.dns64perf.test A rcode=NOERROR"
    done
}

# search [options]: makes a search that does not depend on how busy this machine is.
search() {
    status=0
    keep_results "$journal" "$result"
    [[ " $* " == *" --resume "* ]] || rm -f "$journal" "$result"
    in_ns tester "$dnsgauge" search --beyond-selftest --interface g0 --server 198.18.0.2 --queries "$list" \
        --duration 0.5 --timeout 1 --min-rate 64 --max-rate 1088 --resolution 32 --repeat 1 --pause 0 \
        --max-lateness 60 --max-overrun 60 --max-others 100 --journal "$journal" --json "$result" "$@" \
        >"$said" 2>&1 || status=$?
}

refused() { # WHAT PATTERN [options]
    local what=$1 pattern=$2
    shift 2
    status=0
    in_ns tester "$dnsgauge" search --beyond-selftest --interface g0 --server 198.18.0.2 --min-rate 64 \
        --max-rate 1088 --journal "$journal.2" "$@" >"$said" 2>&1 || status=$?
    expect 2 "refused: $what" "$pattern"
}

# told FILE EXPRESSION: succeeds if the Python expression is true of the object r in the file.
told() {
    /usr/bin/python3 -IS -c 'import json, sys
r = json.load(open(sys.argv[1], encoding="utf-8"))
sys.exit(0 if eval(f"({sys.argv[2]})") else f"not so: {sys.argv[2]}: {r}")' "$1" "$2"
}

test_search() {
    search
    expect 0 "a search with a list" 'not compliant with RFC 8219:.*queries of a list'
    check "which finds the rate at which the good names end" told "$result" "r['rates'] == [256] and
        r['end'] == 'complete' and r['options']['queries'] == '$list'"
    check "each trial begins with the list's first query" /usr/bin/python3 -c '
import json, sys
trials = [line["trial"] for line in map(json.loads, open(sys.argv[1])) if line.get("record") == "trial"]
assert trials
for trial in trials:
    assert trial["workload"]["kind"] == "list" and trial["valid"] == min(trial["sent"], 128), trial
    assert trial["invalid"]["rcode"] == trial["sent"] - trial["valid"], trial' "$journal"
    search --resume
    expect 0 "a finished search is told again"
    echo "www.example A" >>"$list"
    search --resume
    expect 2 "a list with another content is another search" '^dnsgauge: .*queries'
    refused "standard input" '^dnsgauge: .*--queries -: --resume cannot read' --queries -
    refused "names that no trial has asked for" '^dnsgauge: --fresh-names .*--queries' --queries "$list" \
        --fresh-names
    refused "rates of its own" '^dnsgauge: --pace steps=1:9:1 has rates of its own, and this command chooses' \
        --queries "$list" --pace steps=1:9:1
}

test_experiment() {
    cat >"$scratch/experiment.toml" <<TOML
title = "A list at two durations"
scaled-down = "128 names"

[search]
interface = "g0"
address = "198.18.0.2"
queries = "$list"
expect = "answered"
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
server = ["knot"]
duration = [0.5, 1]

[servers.knot]
label = "Knot DNS"
start = ["sleep", "1000"]

[table]
columns = ["server", "duration"]
TOML
    status=0
    in_ns tester "$dnsgauge" experiment "$scratch/experiment.toml" --directory "$scratch/results" \
        >"$said" 2>&1 || status=$?
    expect 0 "an experiment with a list" 'Knot DNS'
    keep_results "$scratch/results/experiment.json"
    # The grid has 192 and 320 around 256 queries/s, at which half a second asks for 128 names.
    check "finds both rates" told "$scratch/results/experiment.json" \
        "[cell['search']['rates'] for cell in r['cells']] == [[192], [64]]"
}

lab_up
journal=$scratch/journal
result=$scratch/result.json
said=$scratch/said
list=$scratch/list.txt
write_list >"$list"
start_server knot "$scratch/knot" || { fail "no Knot DNS" && finish; }
test_search
write_list >"$list"
test_experiment
finish
