# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# The place of the replays, unless --site names another: a cable joins the Tester to the DUT, ssh reaches the DUT as
# root, and the DUT reaches the Internet. BIND has max-cache-size 30g; what else it has is by default.

# Each capture has one of ten resolvers' queries in an hour: load factor 1 is one capture.
options=(--interface eth1 --server 198.18.0.2 --clients 10.128.0.0/9)
for number in {1..10}; do
    options+=(--capture "/srv/captures/resolver-$number.pcap")
done
label=([old]="BIND 9.11.34" [new]="BIND 9.16.19")
# Only one of the two runs at a time. The cache of a resolver that is started anew is empty.
restart=(
    [old]="ssh root@dut 'systemctl stop named-9.16 && systemctl restart named-9.11'"
    [new]="ssh root@dut 'systemctl stop named-9.11 && systemctl restart named-9.16'"
)
