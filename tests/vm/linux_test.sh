#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# The kernel loads and runs the programs, and trials in a lab come out right. Runs in a guest with another
# kernel, or without one.
set -u
# shellcheck source-path=SCRIPTDIR source=../lab/trial_lib.sh
. "$(dirname "$0")/../lab/trial_lib.sh"
rate=500
[[ -v RESULTS_UNCHECKED ]] || { # in a guest all is there
    skip_unless_root
    skip_unless_built
}
# veth of Linux 6.1 drops packets that do not fit its ring of 256.
stalled+='|.* dropped .* on (its|their) way out'

# ---- programs under test runs; bpf.route mostly waits

run_bpf_tests() {
    local name
    for name in "$@"; do
        "$bin/bpf_${name}_test" >"$scratch/$name.said" 2>&1
        echo $? >"$scratch/$name.status"
    done
}

# Shows, for each program, the configuration that needs the most instructions.
show_verified() {
    sed -n 's/.*\(verified instructions of .*:\) /\1 at most /p' "$scratch/budget.said" |
        sort -k 4,4 -k 7,7nr | sort -u -k 4,4
}

test_bpf() {
    local name
    local -a lanes
    run_bpf_tests absence_clock arrival_clock budget echo fakedns fault &
    lanes+=($!)
    run_bpf_tests route corpus internet &
    lanes+=($!)
    run_bpf_tests reply_clock equivalence
    wait "${lanes[@]}"
    for name in absence_clock arrival_clock budget corpus echo equivalence fakedns fault internet reply_clock route; do
        if [[ $(<"$scratch/$name.status") -eq 0 ]]; then
            pass "bpf.$name: $(grep 'All tests passed' "$scratch/$name.said")"
        else
            fail "bpf.$name: $(tail -n 100 "$scratch/$name.said")"
        fi
    done
    show_verified
}

# ---- trials

modes='(r["circumstances"]["driver"], r["circumstances"]["af_xdp_mode"]) == ("veth", "copy")'
native="$modes and r['circumstances']['xdp_mode'] == 'native'"
generic="$modes and r['circumstances']['xdp_mode'] == 'generic'"

test_answers_by_xdp() {
    start_fakedns --xdp-mode native --aaaa-share 60
    expect_trial 0 "A by XDP, IPv4" "$all_valid and $native" $server4 --qtype A
    expect_trial 0 "AAAA by XDP, IPv6, with EDNS: 60 % have one" \
        "$native and r['valid'] == 300 and r['invalid']['no_answer'] == 200" $server6 \
        --edns-size 1232 --accept 60
    expect_trial 1 "another zone: all refused" \
        'r["invalid"]["rcode"] == r["rcodes"]["REFUSED"] == 500' $server6 --zone other.test
    stop_fakedns
}

test_answers_by_sockets() {
    start_fakedns --xdp-mode off
    expect_trial 0 "AAAA by sockets, IPv4" "$all_valid and $native" $server4
    expect_trial 0 "AAAA by sockets, IPv6, to generic XDP" "$all_valid and $generic" $server6 \
        --xdp-mode generic
    stop_fakedns
    expect_trial 1 "no server: all lost" 'r["lost"] == r["sent"] == 500' $server4 --timeout 0.5
}

# Each fault has exactly its share of 1,000 names in a row.
test_faults() {
    start_fakedns --fault delay=10%:2ms,duplicate=10%,loss=10%,garbage=10%
    expect_trial 1 "faults, by XDP and AF_XDP" 'r["valid"] == 800 and r["duplicate"] == 100 and
        r["lost"] == r["invalid"]["malformed"] == 100' $server6 --duration 2
    stop_fakedns
    check "answers were held by AF_XDP" grep -Eq '^delay +100 +0 ' "$STARTED_LOG"
}

# An echo has no answer record and no AA: the Tester must see each query come back, and must say so.
test_echo() {
    local model
    for model in xdp af_xdp io_uring; do
        start_fakedns echo --io $model
        expect_trial 1 "echo by $model" 'r["invalid"]["no_answer"] == r["sent"] == 500' $server6 \
            --accept-answers aa
        stop_fakedns
        check "echo by $model: exact count" grep -Eq '^total +500 +0 +0$' "$STARTED_LOG"
    done
}

# Where the server's reads are seen depends on the kernel: in the socket since Linux 6.3, at the end of system calls before.
test_probe() {
    local server
    start_fakedns --xdp-mode off --fault loss=10%
    for server in "$server4" "$server6"; do
        expect_trial 1 "the probe follows each query to $server" '(p := r["probe"])["followed"] == r["sent"] == 1000 and
            r["lost"] == p["unanswered"] == 100 and p["unseen"] == p["forgotten"] == 0 and
            900 == p["left"] == p["queue_ns"]["count"] == p["server_ns"]["count"]' "$server" --probe --duration 2
    done
    stop_fakedns
}

echo "$(uname -sr), $(</proc/cpuinfo grep -c ^processor) CPUs"
lab_up
lay_out
test_bpf
test_answers_by_xdp
test_answers_by_sockets
test_faults
test_echo
test_probe
finish
