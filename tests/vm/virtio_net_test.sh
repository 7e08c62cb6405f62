#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Runs in the guest: trials between two virtio-net interfaces with several queues, a driver other
# than veth. The interfaces get the addresses that tools/lab gives.
set -u
# shellcheck source-path=SCRIPTDIR source=../lab/trial_lib.sh
. "$(dirname "$0")/../lab/trial_lib.sh"
rate=500
# QEMU may get no time to take the packets.
stalled+='|the kernel did not send'

# Prints the guest's interface with a MAC address.
interface_with() { basename "$(dirname "$(grep -l "$1" /sys/class/net/*/address)")"; }

# lay_end HOST INTERFACE NUMBER: moves an interface of QEMU's to a namespace.
lay_end() {
    local host=$1 interface=$2 number=$3 peer=$((3 - $3)) address
    ip netns add "$lab_name-$host"
    ip link set "$(interface_with "02:00:c6:12:00:0$number")" name "$interface" \
        netns "$lab_name-$host"
    in_ns "$host" sysctl -qw "net.ipv6.conf.$interface.accept_dad=0" \
        "net.ipv6.conf.$interface.router_solicitations=0"
    # Two more queues are then left, one for each CPU's XDP_TX.
    in_ns "$host" ethtool -L "$interface" combined 2
    in_ns "$host" ip address add "198.18.0.$number/24" dev "$interface"
    in_ns "$host" ip address add "2001:2::$number/64" dev "$interface" nodad
    in_ns "$host" ip link set dev "$interface" up
    for address in "198.18.0.$peer" "2001:2::$peer"; do
        in_ns "$host" ip neighbour replace "$address" lladdr "02:00:c6:12:00:0$peer" \
            dev "$interface" nud permanent
    done
}

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
