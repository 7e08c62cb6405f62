#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests that clients on a plain end of a veth pair, which carries no XDP program, get their answers from
# fakedns, from a misbehaving fakedns and from the echo, over IPv4 and IPv6. (lab.clients_dnsperf and
# lab.resolver_… ask from such an end, too.) Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built
command -v kdig >/dev/null || skip "no kdig on this machine: see tools/install-packages"

name=010-001-002-003.dns64perf.test

dig_asks() { in_ns tester dig +short +tries=1 +time=2 "@$1" $name A; }
kdig_asks() { in_ns tester kdig +short +noretry +time=2 "@$1" $name A; }

# ask_all WHAT: lets each client try once in each address family.
ask_all() {
    local server
    for server in $server4 $server6; do
        check "$1: dig, $server" [ "$(dig_asks $server)" = 10.1.2.3 ]
        check "$1: kdig, $server" [ "$(kdig_asks $server)" = 10.1.2.3 ]
    done
    check "$1: no XDP program is on the client's end" eval '! has_program'
}

# answered_by_xdp: prints the answers by XDP, from the counters that fakedns printed at its end.
answered_by_xdp() { awk '$1 == "A" { value = $2 } END { print value + 0 }' "$STARTED_LOG"; }

test_modes() {
    local mode
    for mode in native generic; do
        start_fakedns --xdp-mode $mode
        ask_all "$mode XDP"
        stop_fakedns
        check "$mode XDP: the kernel program gave the four answers" [ "$(answered_by_xdp)" -eq 4 ]
    done
}

test_faults() {
    start_fakedns --xdp-mode native --fault loss=0.1%
    ask_all "with faults"
    stop_fakedns
    check "with faults: the kernel program gave the four answers" [ "$(answered_by_xdp)" -eq 4 ]
}

# The echo returns the query as its reply: dig finds no answer record, and yet gets a reply.
test_echo() {
    local server
    start_fakedns echo --io xdp --xdp-mode native
    for server in $server4 $server6; do
        check "echo: dig, $server" grep -q 'status: NOERROR' \
            <(in_ns tester dig +tries=1 +time=2 +noedns "@$server" $name A)
    done
    stop_fakedns
}

# Containers' veth pairs come with GRO off: frames that native XDP sends are lost there.
test_without_gro() {
    in_ns tester ethtool -K g0 gro off
    start_fakedns
    check "GRO off: fakedns takes generic XDP" grep -q '^fakedns: ready .* XDP generic$' "$STARTED_LOG"
    check "GRO off: it says why" grep -q '^fakedns: the other end of d0.*gro on' "$STARTED_LOG"
    ask_all "GRO off"
    stop_fakedns
    start_fakedns --xdp-mode native
    check "GRO off: native XDP comes with a warning" \
        grep -q '^fakedns: the other end of d0.* are lost' "$STARTED_LOG"
    stop_fakedns
    in_ns tester ethtool -K g0 gro on
}

lab_up
lay_out
test_modes
test_faults
test_echo
if is_since 6 3; then test_without_gro; fi
finish
