#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# internet_soak_test.sh [SECONDS]: over each IP version, for so long (120), dnsgauge asks one name server of "fakedns
# --internet" at half of FakeDNS' highest rate here, and a script asks servers of every character. The Internet is the
# default one: servers are near and far, lose queries, and are broken. Each answer is as predicted, FakeDNS has counted
# the missing ones, and its memory stays the same. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
seconds=${1:-120}
conformance=$lib_directory/../../tools/internet-conformance
names=100000
floods=(100000 200000 400000) # queries a second; with far too many, FakeDNS answers fewer than it can
script_rate=150  # queries a second
priority=-15     # of FakeDNS, which others on its CPU would make lose answers
missing_most=0.1 # percent of the answers that may be missing without FakeDNS having counted them
growth_most=256  # KiB

skip_unless_root
skip_unless_built
/usr/bin/python3 -c 'import dns' 2>/dev/null ||
    skip "no python3-dnspython on this machine: see tools/install-packages"

# cpu_of min|max: prints the first or last CPU that this test may use.
cpu_of() { /usr/bin/python3 -IS -c "import os; print($1(os.sched_getaffinity(0)))"; }

# ask SERVER RATE SECONDS: makes a trial with the list. Whoever else has the CPUs makes no trial invalid.
ask() {
    in_ns tester "$dnsgauge" trial --interface g0 --server "$1" --queries "$scratch/list" --cpus "$(cpu_of min)" \
        --rate "$2" --duration "$3" --timeout 1 --accept 98 --max-lateness 60 --max-overrun 60 --max-others 100 \
        --beyond-selftest --json "$result" >"$said" 2>&1
    status=$?
    keep_results "$result"
}

# of_result EXPRESSION: prints what a Python expression makes of the result r.
of_result() {
    /usr/bin/python3 -IS -c 'import json, sys; r = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' \
        "$result" "$1"
}

# counted ROW: prints the last number of a row of the counters that FakeDNS prints now.
counted() {
    local before turn
    before=$(grep -c '^unsent ' "$log")
    kill -USR1 "$internet"
    for turn in {1..50}; do
        (($(grep -c '^unsent ' "$log") > before)) && break
        sleep 0.1
    done
    awk -v row="$1" '$1 == row { last = $NF } END { print last }' "$log"
}

# watch_memory FILE: writes the KiB of memory that FakeDNS has, each second.
watch_memory() {
    while sed -n 's/^VmRSS:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$internet/status" 2>/dev/null; do
        sleep 1
    done >"$1"
}

# Prints, of the memory in a file, the most of the first quarter, the most of all, and how much that is more.
memory_of() {
    awk '{ m[NR] = $1 } END {
        for (i = 1; i <= NR; i++) {
            if (i <= NR / 4 && m[i] > first) first = m[i]
            if (m[i] > most) most = m[i]
        }
        print first, most, most - first
    }' "$1"
}

# soak FAMILY SERVER: asks over this IP version.
soak() {
    local family=$1 server=$2 lost unsent script answers watch first most growth missing
    lost=$(counted lost) unsent=$(counted unsent)
    start_in tester "$lib_directory/soak_internet.py" ask "$scratch/fates" "$seconds" "$script_rate" "$family" "$server"
    script=$STARTED_PID answers=$STARTED_LOG
    watch_memory "$scratch/memory" &
    watch=$!
    started_pids+=("$watch")
    ask "$server" "$rate" "$seconds"
    expect 0 "$family: $rate queries/s for $seconds s: $(of_result "f'{r[\"sent\"]:,} sent, {r[\"valid\"]:,} valid'")"
    wait "$script"
    status=$?
    stop_pid "$watch"
    tail -n 2 "$answers"
    said=$answers expect 0 "$family: answers of servers of every character are as predicted" ', different 0,'
    check "$family: each answer to a trial's queries is as predicted, and none is late" \
        [ "$(of_result "r['invalid']['total'] + r['late']")" -eq 0 ]
    lost=$(($(counted lost) - lost)) unsent=$(($(counted unsent) - unsent))
    # The trial knows nothing of the few that are lost to the script.
    missing=$(of_result "100 * max(0, r['lost'] - $lost - $unsent) / r['sent']")
    check "$family: $(of_result "r['lost']") answers are missing; FakeDNS counted $lost lost, $unsent unsent" \
        awk -v missing="$missing" -v most="$missing_most" 'BEGIN { exit !(missing <= most) }'
    read -r first most growth < <(memory_of "$scratch/memory")
    check "$family: memory of FakeDNS: $first KiB in the first quarter, $most KiB at most: grew by $growth KiB" \
        [ "$growth" -le "$growth_most" ]
}

lab_up
lay_out
in_ns dut ip route add local 198.18.128.0/17 dev lo
in_ns dut ip -6 route add local 2001:2:0:80::/64 dev lo
in_ns tester ip route add 198.18.128.0/17 via 198.18.0.2
in_ns tester ip -6 route add 2001:2:0:80::/64 via 2001:2::2
"$conformance" names --count $names | "$bin/fakedns" --internet --predict - >"$scratch/fates"
read -r server4 server6 < <("$lib_directory/soak_internet.py" list "$scratch/fates" "$scratch/list")
check "the Internet is served" run_fakedns dut --internet --interface d0
internet=$STARTED_PID log=$STARTED_LOG
taskset -apc "$(cpu_of max)" "$internet" >/dev/null
renice -n "$priority" -p "$internet" >/dev/null
rate=0
for flood in "${floods[@]}"; do
    ask "$server4" "$flood" 3
    half=$(of_result "int(r['valid'] / (r['sending']['duration_ns'] / 1e9) / 2)")
    ((half <= rate)) || rate=$half
done
echo "$((2 * rate)) answers a second at most, by $server4, which is asked $(wc -l <"$scratch/list") questions"
soak ipv4 "$server4"
soak ipv6 "$server6"
stop_pid "$internet"
finish
