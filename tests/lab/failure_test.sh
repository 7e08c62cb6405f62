#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# failure_test.sh [starvation]: tests what happens to a machine while a trial runs, and to its disk and
# memory: the trial says so, and has no false figure. With "starvation": what happens to the machine's CPUs,
# which other trials beside would not bear. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built
stepping_clock=$(realpath "${STEPPING_CLOCK:-$bin/../tests/stepping_clock.so}")
refused_pinning=$(realpath "${REFUSED_PINNING:-$bin/../tests/refused_pinning.so}")
for library in "$stepping_clock" "$refused_pinning"; do
    [[ -e $library ]] || skip "no $library: build it first"
done

tester_link() { ip -n "$lab_name-tester" link set g0 "$@"; }
dut_link() { ip -n "$lab_name-dut" link set d0 "$@"; }

# meanwhile COMMAND SERVER [options]: makes a trial of three seconds and 6,000 queries, and runs the
# command in its middle. The trial's exit status is in $status.
meanwhile() {
    local command=$1
    shift
    start_trial "$@" --duration 3 --timeout 0.5
    sleep 0.7
    $command
    end_trial
}

# expect STATUS WHAT PATTERN EXPRESSION: checks the last trial, and that its counts are true.
expect() {
    if [[ $status -eq $1 ]] && grep -Eq -- "$3" "$said"; then
        pass "$2"
    else
        fail "$2: exit status $status, not $1 with '$3': $(cat "$said")"
    fi
    check "$2: the counts" holds "$adds_up and r['rtt_ns']['count'] == r['valid'] <= r['sent'] <= 6000
        and ($4)"
}

# refused WHAT PATTERN COMMAND...: checks for exit status 2 and one line besides notes.
refused() {
    local what=$1 pattern=$2
    shift 2
    status=0
    in_ns tester "$@" >"$said" 2>&1 || status=$?
    if [[ $status -eq 2 && $(grep -vc '^dnsgauge: note: ' "$said") -eq 1 ]] &&
        grep -Eq "^dnsgauge: .*$pattern" "$said"; then
        pass "$what: $(tail -n 1 "$said")"
    else
        fail "$what: exit status $status, or not one line with '$pattern': $(cat "$said")"
    fi
}

# The Tester's neighbours go with its link.
mend_tester() {
    local at
    tester_link up
    ip -n "$lab_name-tester" address replace 2001:2::1/64 dev g0 nodad
    for at in 198.18.0.2 2001:2::2; do
        ip -n "$lab_name-tester" neighbour replace $at lladdr 02:00:c6:12:00:02 dev g0 nud permanent
    done
}

# ---- the link and who is at its other end

blink_tester() {
    tester_link down
    sleep 0.3
    mend_tester
}
# The link is down so shortly that perhaps no query meets it.
flicker_dut() { ip -n "$lab_name-dut" -batch - <<<$'link set d0 down\nlink set d0 up'; }
cut_dut() { dut_link down; }

test_link() {
    local how
    for how in blink_tester cut_dut; do
        meanwhile $how $server4
        expect 3 "$how" 'invalid: the link of g0 went down' "r['verdict'] == 'invalid' and r['valid'] > 0"
        mend_tester
        dut_link up
    done
    # At one query a second no sender notices the link, which was still down for a moment.
    meanwhile flicker_dut $server4 --rate 1
    expect 3 "flicker_dut" 'invalid: the link of g0 went down' "r['sent'] == 3"
    expect_trial 0 "then the next trial" "$all_valid" $server4
}

new_mac=02:00:c6:12:00:99
# Only a Tester that stands still for 0.7 s stalls at this rate.
slow=100
move_server() { dut_link address $new_mac; }
move_server_visibly() {
    move_server
    ip -n "$lab_name-tester" neighbour replace 198.18.0.2 lladdr $new_mac dev g0 nud permanent
}

# The server is behind the kernel's stack, which looks at Ethernet addresses.
test_neighbour() {
    meanwhile move_server $server4 --rate $slow
    expect 1 "another card, unnoticed" '^  verdict +fail' "r['lost'] > 0 < r['valid']"
    dut_link address 02:00:c6:12:00:02
    meanwhile move_server_visibly $server4
    expect 3 "another card, known to the Tester" \
        "invalid: queries went to the Ethernet address 02:00:c6:12:00:02, but g0 has another" \
        "r['lost'] > 0 < r['valid']"
    dut_link address 02:00:c6:12:00:02
    mend_tester
    expect_trial 3 "a wrong --server-mac" \
        "r['lost'] == r['sent'] and 'is --server-mac wrong?' in r['why']" \
        $server4 --server-mac $new_mac --rate 100 --duration 1
}

# Ends the server that runs.
test_dead_server() {
    meanwhile stop_fakedns $server4 --rate $slow
    expect 1 "a server that dies" 'fail: .*; the server stopped answering at [0-2]\.[0-9] s' \
        "r['lost'] > 0 < r['valid'] and 'stopped answering' in r['why']"
}

# ---- CPU

test_starvation() {
    start_in tester /usr/bin/python3 -c '
import os, time
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
print("ready", flush=True)
end = time.monotonic() + 8
while time.monotonic() < end:
    busy = time.monotonic() + 0.3
    while time.monotonic() < busy:
        pass
    time.sleep(0.1)'
    local hog=$STARTED_PID hog_log=$STARTED_LOG
    status=0
    trial $server4 --cpus "$(cpu_of min)" --duration 2 --timeout 1 --max-lateness 0.05 \
        --max-overrun 0.05 || status=$?
    expect 3 "a CPU that another process takes" 'invalid: (a query was sent [0-9.]+ ms late|sending took)' \
        "r['sending']['lateness_ns']['max'] > 50000000"
    grep -q ready "$hog_log" && kill -0 "$hog" 2>/dev/null || fail "nothing took it: $(cat "$hog_log")"
    stop_pid "$hog" 2>/dev/null
}

test_pinning() {
    export LD_PRELOAD=$refused_pinning
    status=0
    trial $server4 --cpus "$(cpu_of min)" || status=$?
    unset LD_PRELOAD
    expect 3 "a CPU that is taken away" "invalid: a sender could not be pinned to CPU $(cpu_of min)" \
        "r['sent'] == r['valid'] == $rate"
}

# ---- a queue that stands still

cpu_of() { /usr/bin/python3 -IS -c "import os; print($1(os.sched_getaffinity(0)))"; }

# A thread on the last CPU processes the other end's packets ("settle" binds the thread that is new
# since a link went down). The end's ring takes all packets that are sent meanwhile, none of which
# leaves in time.
stall_dut() {
    in_ns dut /usr/bin/python3 -IS -c '
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
end = time.monotonic() + 0.8
while time.monotonic() < end:
    pass' "$(cpu_of max)"
}

test_stalled_queue() {
    [[ $(cpu_of min) != $(cpu_of max) ]] || { echo "not tried: only one CPU"; return; }
    "$lab_tool" --name "$lab_name" settle
    meanwhile stall_dut $server4 --rate 200 --max-lateness 0.2 --cpus "$(cpu_of min)"
    expect 3 "a queue that stands still" \
        'invalid: the driver of g0 still had a query [0-9.]+ ms after the query was due' \
        "200e6 < r['sending']['driver_lag_ns'] and r['late'] + r['lost'] > 0"
    expect_trial 0 "one that does not" "$all_valid and r['sending']['driver_lag_ns'] < 200e6" \
        $server4 --rate 200 --max-lateness 0.2
}

# ---- clocks

# Every reading of the wall clock gives another hour: no measurement may use it.
test_wall_clock() {
    export LD_PRELOAD=$stepping_clock
    expect_trial 0 "a wall clock that jumps" "$all_valid and r['rtt_ns']['max'] < 3e9
        and abs(r['since_ns'] / 1e9 - $(unset LD_PRELOAD && date +%s)) > 1800
        and 4e9 <= r['until_ns'] - r['since_ns'] < 60e9
        and 2e9 <= r['sending']['duration_ns'] < 60e9" $server4 --duration 2 --timeout 2
    unset LD_PRELOAD
}

test_time_namespace() {
    local offset
    for offset in 100000 -1; do
        refused "a time namespace, $offset s" 'in this time namespace .*nsenter' \
            unshare --time --fork --monotonic $offset "$dnsgauge" trial --interface g0 \
            --server $server4 --names "$names" --rate 100 --duration 1
    done
}

# In this time namespace the clock differs from the kernel programs' clock, so the sockets of fakedns hold the answers.
test_fakedns_in_time_namespace() {
    local in_user='^fakedns: sockets send the answers that wait: in this time namespace'
    start_in dut unshare --time --fork --kill-child --monotonic 1000 "$bin/fakedns" \
        --interface d0 --fault delay=50%:20ms
    for _ in {1..300}; do
        grep -q '^fakedns: ready ' "$STARTED_LOG" && break
        sleep 0.1
    done
    check "fakedns with delays in one: $(head -n 1 "$STARTED_LOG")" grep -q "$in_user" "$STARTED_LOG"
    expect_trial 0 "its delays" "$all_valid and r['rtt_ns']['min'] < 20e6 <= r['rtt_ns']['p90']" \
        $server4
    stop_pid "$STARTED_PID" 2>/dev/null
    no_program dut d0
}

# ---- disk and memory

# on_small_disk KIB COMMAND...: runs the command in the Tester's namespace, with a disk of that size
# at $scratch/disk. The disk's content at the end is in $scratch/left.
on_small_disk() {
    mkdir -p "$scratch/disk" "$scratch/left"
    status=0
    # shellcheck disable=SC2016
    in_ns tester unshare --mount sh -c '
        mount -t tmpfs -o size="$1"k none "$2/disk" || exit 99
        scratch=$2
        shift 2
        "$@"
        status=$?
        cp -r "$scratch/disk/." "$scratch/left"
        exit $status' sh "$1" "$scratch" "${@:2}" >"$said" 2>&1 || status=$?
}

test_disk() {
    rm -f "$result"
    on_small_disk 32 "$dnsgauge" trial --interface g0 --server $server4 --names "$names" \
        --rate $rate --duration 2 --timeout 0.5 --max-lateness 60 --max-overrun 60 \
        --json "$result" --per-query "$scratch/disk/queries"
    expect 3 "a full disk under --per-query" 'invalid: the --per-query or the --key-log file could not be written' \
        "r['sent'] == r['valid'] == 4000"
    rm -f "$result"
    # One line in an existing file takes all of this disk; the metrics alone may fit in 4 KiB.
    # shellcheck disable=SC2016
    on_small_disk 4 sh -c 'echo full >"$0" && exec "$@"' "$scratch/disk/full" \
        "$dnsgauge" trial --interface g0 --server $server4 --names "$names" \
        --rate $rate --duration 0.1 --timeout 0.1 --max-lateness 60 --max-overrun 60 \
        --dns-metrics "$scratch/disk/metrics"
    check "a full disk under --dns-metrics: exit status 2, not $status" test $status -eq 2
    check "which is said: $(tail -n 1 "$said")" \
        grep -q "^dnsgauge: cannot write --dns-metrics $scratch/disk/metrics: No space left" "$said"
    check "and half a file is none" test ! -e "$scratch/left/metrics"
}

# Some names have no answer: lower rates pass, higher rates fail.
test_full_journal() {
    local command
    command=("$dnsgauge" search --interface g0 --server "$server4" --beyond-selftest --names "$names"
        --timeout 0.5 --duration 0.1 --max-lateness 60 --max-overrun 60 --max-others 100 --min-rate 40
        --max-rate 10000 --resolution 50 --repeat 1 --pause 0 --journal)
    on_small_disk 32 "${command[@]}" "$scratch/disk/journal"
    check "a full disk under the journal: exit status 2, not $status" test $status -eq 2
    check "which is said: $(tail -n 1 "$said")" \
        grep -q '^dnsgauge: cannot write the journal .*: No space left.*--resume$' "$said"
    cp "$scratch/left/journal" "$scratch/journal"
    status=0
    in_ns tester "${command[@]}" "$scratch/journal" --resume >"$said" 2>&1 || status=$?
    check "then it can be gone on with: exit status 0, not $status" test $status -eq 0
    check "and no trial was lost, none made again" journal_is_whole
}

journal_is_whole() {
    /usr/bin/python3 -IS - "$scratch/left/journal" "$scratch/journal" <<'PYTHON'
import json, sys
before, after = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
whole = before[:before.rindex("\n") + 1]
assert after.startswith(whole)
trials = [x["trial"] for x in map(json.loads, after.splitlines()) if x.get("record") == "trial"]
assert len(trials) > whole.count('"record":"trial"') > 0, trials
# A trial that this machine spoiled is made again, as it should be.
rates = [x["rate"] for x in trials if x["verdict"] != "invalid"]
assert len(rates) == len(set(rates)), trials
PYTHON
}

test_memory() {
    local common=("$dnsgauge" trial --interface g0 --server "$server4" --names 0.0.0.0/0
        --allow-repeats --duration 1 --source-ports 60000)
    # 48 GiB.
    if (($(awk '/MemTotal/ { print $2 }' /proc/meminfo) < 40 << 20)); then
        refused "more slots than there is memory" 'no memory for .* outstanding queries.*shorter timeout' \
            "${common[@]}" --rate 10000000 --timeout 60
    else
        echo "note: this machine has memory for any number of slots"
    fi
    # 256 MiB of slots.
    refused "more than the process may have" 'cannot map 256 MiB for outstanding queries.*shorter' \
        sh -c 'ulimit -v 180000 && exec "$@"' sh "${common[@]}" --rate 400000 --timeout 10
}

lab_up
lay_out
start_fakedns
if [[ ${1-} == starvation ]]; then
    test_starvation
    test_stalled_queue
    finish
fi
test_link
test_pinning
test_wall_clock
test_time_namespace
test_disk
test_memory
stop_fakedns
test_fakedns_in_time_namespace
start_fakedns --fault loss=0.3%
test_full_journal
stop_fakedns
start_fakedns --xdp-mode off
test_neighbour
test_dead_server
finish
