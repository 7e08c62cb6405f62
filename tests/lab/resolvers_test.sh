#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# resolvers_test.sh unbound|bind9|knot-resolver|pdns-recursor: a validating resolver with QNAME
# minimisation, as "dnsgauge-zone resolver" configures it, finds FakeDNS by itself, from a signed root with an insecure
# delegation, and gets every one of 10,000 names: over IPv4 alone, then over IPv6 alone, with no XDP program on the
# resolver's end of the veth pair. Unbound and Knot Resolver scramble the letters of their questions (0x20) besides.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# servers.sh reads these. The resolver runs beside the program that asks it. shellcheck disable=SC2034
zone_tool=$bin/dnsgauge-zone on_dut=("${on_tester[@]}")
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
# shellcheck source-path=SCRIPTDIR source=root.sh
. "$lib_directory/root.sh"
# shellcheck disable=SC2034
server_port=5353
kind=${1:?which resolver: ${resolver_kinds[*]}}
names=10000
PATH=$PATH:/usr/sbin:/sbin

# start_fakedns WHERE ARGUMENT...: starts fakedns and waits until it is ready. Its process ID is in
# $fakedns.
start_fakedns() {
    run_fakedns "$@" || fail "fakedns ${*:2}: $(cat "$STARTED_LOG")"
    fakedns=$STARTED_PID
    fakedns_log=$STARTED_LOG
}

dig_it() { in_ns tester dig +tries=1 +time=5 -p 5353 "@$listener" "$@"; }

skip_unless_root
skip_unless_built dnsgauge-zone fakedns
skip_unless_installed "$kind"
for tool in knotd keymgr dnsperf; do
    command -v "$tool" >/dev/null || skip "no $tool on this machine: see tools/install-packages"
done
lab_up
start_root 198.18.0.2 2001:2::2

for ((i = 0; i < names; i++)); do
    printf '010-000-%03d-%03d.dns64perf.test %s\n' $((i / 256)) $((i % 256)) \
        "$([[ $((i % 2)) -eq 0 ]] && echo A || echo AAAA)"
done >"$scratch/names"

asked() { awk -v row="$1" '$1 == row { value = $2 } END { print value }' "$fakedns_log"; }

# test_family 4|6: a resolver that has not asked anything yet sends by that family alone.
test_family() {
    local family=$1 listener=127.0.0.1
    ((family == 4)) || listener=::1
    dut_addresses=("$listener")
    start_fakedns dut --interface d0 --xdp-mode native --aaaa-share 50
    check "IPv$family: $kind answers" start_resolver "$kind" "$scratch/resolver" a \
        --hints "$root_hints" --trust-anchor "$(root_key)" --family "$family"
    check "IPv$family: it validates" grep -q 'flags:.* ad[ ;]' <(dig_it +dnssec . SOA)
    check "IPv$family: the zone is insecure, and resolves" \
        grep -q 'status: NOERROR' <(dig_it +dnssec 010-000-000-001.dns64perf.test)
    in_ns tester dnsperf -s "$listener" -p 5353 -d "$scratch/names" -n 1 -c 1 -q 50 -t 10 \
        >"$scratch/said" 2>&1
    check "IPv$family: $names names, not one SERVFAIL: $(grep 'Response codes' "$scratch/said")" \
        grep -Eq "Response codes: *NOERROR $names \(100.00%\)" "$scratch/said"
    check "IPv$family: none lost" grep -Eq 'Queries lost: *0 ' "$scratch/said"
    check "IPv$family: a miss is a miss" grep -q 'status: NXDOMAIN' <(dig_it no-such-name.dns64perf.test)
    ((failures == 0)) || tail -n 20 "$scratch"/resolver/run/{output,*.log} "$scratch/said"
    check "IPv$family: no XDP program is on the resolver's end" eval '! has_program'
    check "IPv$family: $kind stops" stop_server
    rm -r "$scratch/resolver"
    stop_pid "$fakedns"
    check "IPv$family: the kernel program answered: $(asked type-A) A, $(asked type-AAAA) AAAA" \
        [ "$(asked type-A)" -ge $((names / 2)) -a "$(asked type-AAAA)" -ge $((names / 2)) ]
    check "IPv$family: no socket had to" \
        [ "$(awk '/^rcode-/ { sum += $3 } END { print sum + 0 }' "$fakedns_log")" -eq 0 ]
}

test_family 4
test_family 6
finish
