#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# internet_runs_test.sh KIND [RUNS]: the resolver, each time with an empty cache, is asked the same 4,000 names RUNS (5)
# times, and asks "fakedns --internet", which counts by kind of server, type and answer. The counters of the runs
# agree, as far as the resolver's own chance lets them; tools/RESOLVER.md tells how far. In an Internet without
# distance, loss and broken servers, which leaves less to chance, they agree better. Exit status 77: this test cannot
# run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
server=198.18.0.2
# servers.sh reads these.
# shellcheck disable=SC2034
zone_tool=$bin/dnsgauge-zone dut_addresses=("$server")
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
kind=${1:?which resolver: ${resolver_kinds[*]}}
runs=${2:-5}
conformance=$lib_directory/../../tools/internet-conformance
count=4000
rate=800

skip_unless_root
skip_unless_built dnsgauge-zone fakedns
skip_unless_installed "$kind"
command -v dnsperf >/dev/null || skip "no dnsperf on this machine: see tools/install-packages"
/usr/bin/python3 -c 'import dns' 2>/dev/null ||
    skip "no python3-dnspython on this machine: see tools/install-packages"

# run WORLD NUMBER: makes a run. What fakedns said is in the file WORLD.NUMBER.
run() {
    run_fakedns auth --internet "$scratch/$1.toml" --interface a0 ||
        { fail "fakedns --internet: $(cat "$STARTED_LOG")" && finish; }
    local internet=$STARTED_PID log=$STARTED_LOG
    start_resolver "$kind" "$scratch/resolver" a --hints "$scratch/hints" --workers 1 ||
        fail "$kind does not start"
    in_ns tester dnsperf -s "$server" -d "$scratch/names" -n 1 -e -c 1 -T 1 -q $count -Q $rate -t 5 >"$said" 2>&1
    # What the resolver still asks for belongs to the run.
    sleep 3
    stop_server || fail "$kind does not stop"
    stop_pid "$internet"
    rm -r "$scratch/resolver"
    cp "$log" "$scratch/$1.$2"
    check "$1 Internet, run $2: all names were asked for: $(sed -n 's/^ *Response codes: *//p' "$said")" \
        grep -Eq "Queries sent: +$count" "$said"
}

# agree WORLD SHARE CHANCES: makes the runs, and compares them: compare_internet_runs.py says what the numbers are.
agree() {
    local number
    for ((number = 1; number <= runs; number++)); do
        run "$1" $number
    done
    if "$lib_directory/compare_internet_runs.py" "$2" "$3" "$scratch/$1".[0-9]* >"$said" 2>&1; then
        pass "$kind, $1 Internet: runs agree"
    else
        fail "$kind, $1 Internet: runs differ"
    fi
    cat "$said"
}

lab_up --setup resolver
said=$scratch/said
"$conformance" names --count $count >"$scratch/names"
"$bin/fakedns" --internet --root-hints >"$scratch/hints"
: >"$scratch/usual.toml"
cat >"$scratch/sound.toml" <<'TOML'
latency = "0ms"
registry-latency = "0ms"
loss = "0%"
characters = ["lame 0%"]
TOML
agree usual 10 3
agree sound 2 2
finish
