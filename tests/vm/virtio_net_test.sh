#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Runs in the guest: trials between two virtio-net interfaces with several queues, a driver other
# than veth. The interfaces get the addresses that tools/lab gives.
set -u
# shellcheck source-path=SCRIPTDIR source=../lab/trial_lib.sh
. "$(dirname "$0")/../lab/trial_lib.sh"
# shellcheck source-path=SCRIPTDIR source=two_interfaces.sh
. "$(dirname "$0")/two_interfaces.sh"
rate=500
# QEMU may get no time to take the packets.
stalled+='|the kernel did not send'

# ran MODE: checks the trial's XDP mode, and the other modes that it must have used.
ran() {
    echo "r['circumstances']['xdp_mode'] == '$1' and r['circumstances']['af_xdp_mode'] == 'copy'
        and r['circumstances']['driver'] == 'virtio_net' and r['circumstances']['queues'] == 2
        and r['circumstances']['sender_cpus'] == [0, 1] and r['own_losses']['interface'] == {}"
}

# counters HOST INTERFACE NAME: prints the driver's counter of each queue.
counters() { in_ns "$1" ethtool -S "$2" | sed -n "s/^ *$3: //p"; }
every() { (($# > 1)) && ! printf '%s\n' "$@" | grep -qx 0; }

test_native() {
    start_fakedns --xdp-mode native
    expect_trial 0 "A over IPv4, all native, two queues" "$all_valid and $(ran native)" $server4 \
        --qtype A --xdp-mode native --cpus 0,1
    expect_trial 0 "AAAA over IPv6, all native, two queues" "$all_valid and $(ran native)" \
        $server6 --xdp-mode native --cpus 0,1
    grep through "$said"
    # shellcheck disable=SC2046
    check "both transmit queues sent" every $(counters tester g0 'tx_queue_[01]_packets')
    # shellcheck disable=SC2046
    check "replies came to both receive queues" every $(counters tester g0 'rx_queue_[01]_packets')
    stop_fakedns
}

test_generic() {
    start_fakedns --xdp-mode generic
    expect_trial 0 "all generic" "$all_valid and $(ran generic)" $server6 --xdp-mode generic \
        --cpus 0,1
    grep through "$said"
    stop_fakedns
}

test_doctor() {
    local status=0
    in_ns tester "$dnsgauge" doctor --interface g0 >"$said" 2>&1 || status=$?
    check "the doctor finds nothing that prevents a benchmark" [ "$status" -eq 0 ]
    ((status == 0)) || cat "$said"
}

test_zero_copy() {
    local status=0
    trial $server4 --af-xdp zero-copy || status=$?
    check "zero-copy is refused: exit status 2, not $status" [ "$status" -eq 2 ]
    check "and the reason" grep -q '^dnsgauge: the driver of g0 has no zero-copy AF_XDP' "$said"
}

uname -sr
scratch=$(mktemp -d)
lay_out
lay_end tester g0 1
lay_end dut d0 2
test_native
test_generic
test_zero_copy
test_doctor
finish
