#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Runs in the guest: trials between two interfaces whose driver, igb or virtio_net, has zero-copy AF_XDP, with
# two queues. The guest is slow: what counts is that each query leaves, that each reply is counted once, and
# that nothing of the driver's is taken for a loss.
set -u
# shellcheck source-path=SCRIPTDIR source=../lab/trial_lib.sh
. "$(dirname "$0")/../lab/trial_lib.sh"
# shellcheck source-path=SCRIPTDIR source=two_interfaces.sh
. "$(dirname "$0")/two_interfaces.sh"
rate=500
stalled+='|the kernel did not send'

# start_server [echo] [options]: starts fakedns, and waits for its link, which igb resets.
start_server() {
    start_fakedns "$@"
    has_carrier dut d0
}

# has_carrier HOST INTERFACE: waits until the link is up.
has_carrier() {
    for _ in {1..50}; do
        [[ $(in_ns "$1" cat "/sys/class/net/$2/carrier" 2>/dev/null) != 1 ]] || return 0
        sleep 0.1
    done
    fail "$2 has no carrier"
}

# sent_by MODE QUEUES: holds of a trial that sent by this AF_XDP mode, and to which nothing of its own was lost.
sent_by() {
    echo "r['circumstances']['af_xdp_mode'] == '$1' and r['circumstances']['xdp_mode'] == 'native'
        and r['circumstances']['driver'] == '$driver' and r['circumstances']['queues'] == $2
        and r['own_losses']['interface'] == {} and r['circumstances']['link_wait_ns'] > 0"
}

# Each trial finds the link as the last one left it: igb resets its link whenever a program comes or goes.
test_trials() {
    local server mode
    for mode in native generic; do
        start_server --xdp-mode "$mode"
        for server in $server4 $server6; do
            expect_trial 0 "$server: zero-copy, fakedns $mode" "$all_valid and $(sent_by zero-copy 1)" \
                "$server" --af-xdp zero-copy
            expect_trial 0 "$server: copy, fakedns $mode" "$all_valid and $(sent_by copy 1)" "$server" \
                --af-xdp copy
        done
        grep -E '^  (through|link|RTT)' "$said"
        stop_fakedns
    done
}

test_two_queues() {
    start_server --xdp-mode native
    expect_trial 0 "two queues" "$all_valid and $(sent_by zero-copy 2)" $server6 --cpus 0,1
    stop_fakedns
}

# The server answers by AF_XDP sockets of its own, bound in zero-copy mode.
test_server() {
    start_server --fault late=10%:20ms
    expect_trial 0 "late answers, by FakeDNS' AF_XDP sockets" \
        "$all_valid and r['rtt_ns']['max'] >= 20_000_000 and $(sent_by zero-copy 1)" $server4
    stop_fakedns
    start_server --fault loss=10%
    # Each CPU of the server's counts its queries.
    expect_trial 1 "losses are the server's: fail, not invalid" \
        "abs(r['lost'] - r['sent'] // 10) <= 1 and r['verdict'] == 'fail' and $(sent_by zero-copy 1)" $server4
    stop_fakedns
    start_server echo --io af_xdp --threads 2
    expect_trial 1 "echo by AF_XDP" "r['invalid']['total'] == r['sent'] and $(sent_by zero-copy 1)" $server4
    stop_fakedns
}

# The driver sends nothing, or too late, while only its receive queue is polled.
test_busy_poll() {
    local status=0
    start_server --xdp-mode native
    trial $server4 --af-xdp zero-copy --busy-poll || status=$?
    check "busy polling is refused: exit status 2, not $status" [ "$status" -eq 2 ]
    check "and the reason" grep -q 'did not send its first frames .* leave --busy-poll out' "$said"
    stop_fakedns
}

test_doctor() {
    local status=0
    in_ns tester "$dnsgauge" doctor --interface g0 >"$said" 2>&1 || status=$?
    check "the doctor finds nothing that prevents a benchmark" [ "$status" -eq 0 ]
    check "the doctor knows of zero-copy" grep -Eq '^ok +zero-copy +the driver has it$' "$said"
    ((status == 0)) || cat "$said"
}

uname -sr
scratch=$(mktemp -d)
lay_out
lay_end tester g0 1
lay_end dut d0 2
driver=$(in_ns tester ethtool -i g0 | sed -n 's/^driver: //p')
test_trials
test_two_queues
test_server
test_busy_poll
has_carrier tester g0
test_doctor
finish
