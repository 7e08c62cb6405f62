#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests the features of kernel and driver for sending and for timestamps: the Tester uses the features that
# there are, does without the others, and says in the result which ones it used. veth stamps nothing, but
# the kernel stamps packets that it copies. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"

skip_unless_root
skip_unless_built
patience=0.5 # no other test runs

stamps() { echo "list(r['circumstances']['timestamps'].values()) == ['$1', '$2', 0]"; }
no_rtt='all(not r["rtt_hardware_ns"][name] for name in r["rtt_hardware_ns"])'
no_rtt+=' and set(r["rtt_hardware_ns"]) == set(r["rtt_ns"])'

test_stamps() {
    local status=0 copied=none mode
    ! is_since 6 11 || copied=software
    for mode in auto off; do
        expect_trial 0 "timestamps $mode: none" "$all_valid and $no_rtt and $(stamps none none)" \
            $server4 --hardware-timestamps $mode
    done
    expect_trial 0 "timestamps any: $copied ones of what is sent" \
        "$all_valid and $no_rtt and $(stamps none $copied)" $server6 --hardware-timestamps any \
        --per-query "$queries"
    check "each query is in the file" [ "$(wc -l <"$queries")" -eq $((rate + 1)) ]
    trial $server4 --hardware-timestamps on || status=$?
    check "timestamps on: exit status 2, not $status" [ "$status" -eq 2 ]
    check "in one line that says why" grep -q '^dnsgauge: .*g0 has no clock' "$said"
    check "and nothing is written" [ ! -e "$result" ]
}

test_stamps_generic() {
    local copied=none
    ! is_since 6 11 || copied=software
    start_fakedns
    expect_trial 0 "timestamps any, generic XDP" "$all_valid and $(stamps none $copied)
        and r['circumstances']['xdp_mode'] == 'generic'" $server4 --hardware-timestamps any \
        --xdp-mode generic
    stop_fakedns
}

# The kernel runs another program, which asks the driver.
test_stamping_program() {
    local turn
    is_since 6 8 || return
    start_in tester "$dnsgauge" trial --interface g0 --server $server4 --names 10.0.0.0/8 --rate 100 \
        --duration 60 --hardware-timestamps any
    for turn in {1..100}; do
        ip -n "$lab_name-tester" -d link show g0 | grep -q 'name reply_clock_har' && break
        sleep 0.1
    done
    check "timestamps any: the program that takes them is attached" [ "$turn" -lt 100 ]
    stop_pid "$STARTED_PID"
}

test_sending() {
    local budget=32
    ! is_since 6 17 || budget=256
    expect_trial 0 "a kick sends $budget" "$all_valid and 0 < r['sending']['kicks']
        and r['circumstances']['kick_budget'] == $budget" $server4
    expect_trial 0 "busy polling" "$all_valid and r['circumstances']['busy_poll']
        and r['sending']['kicks'] > r['sent']" $server4 --busy-poll
}

# Prints the kernel's limit of the time that waking a CPU may take, in microseconds.
wake_limit() { od -An -td4 /dev/cpu_dma_latency; }

test_idle_cpus() {
    expect_trial 0 "idle CPUs sleep" "$all_valid and r['circumstances']['idle_cpus'] == 'sleep'" \
        $server4 --idle-cpus sleep
    [ -w /dev/cpu_dma_latency ] || return 0
    local before
    before=$(wake_limit)
    expect_trial 0 "idle CPUs poll" "$all_valid and r['circumstances']['idle_cpus'] == 'poll'" $server4
    check "idle CPUs may sleep again" [ "$(wake_limit)" = "$before" ]
}

# Adds the huge pages of one sender; the number is restored when the test ends.
pages=/proc/sys/vm/nr_hugepages
free_pages() { awk '/^HugePages_Free/ { print $2 }' /proc/meminfo; }
give_back() {
    [[ -z ${pages_before-} ]] || echo "$pages_before" >$pages
    pages_before=
}

test_pages() {
    local kind
    expect_trial 0 "memory" "$all_valid
        and r['circumstances']['umem_pages'] in ('huge', 'normal')" $server4
    pages_before=$(<$pages)
    echo $((pages_before + 16)) 2>/dev/null >$pages
    if (($(free_pages) >= 8)); then
        expect_trial 0 "memory in huge pages" \
            "$all_valid and r['circumstances']['umem_pages'] == 'huge'" $server4
        check "which are free again" [ "$(free_pages)" -ge 8 ]
    else
        echo "not tried: this kernel has no huge pages to spare"
    fi
    give_back
}

lab_up
trap 'give_back; lab_clean_up' EXIT
lay_out
start_fakedns
test_stamps
test_stamping_program
test_sending
test_idle_cpus
test_pages
stop_fakedns
test_stamps_generic
finish
