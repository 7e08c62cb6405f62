# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# Lays QEMU's two interfaces, which are on one wire, as the ends of a lab: a test sources this file after
# trial_lib.sh.

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
