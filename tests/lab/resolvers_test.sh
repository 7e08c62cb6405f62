#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# resolvers_test.sh unbound|bind9|pdns-recursor: a validating resolver with QNAME minimisation finds
# FakeDNS by itself, from a signed root with an insecure delegation, and gets every one of 10,000
# names: over IPv4 alone, then over IPv6 alone, with no XDP program on the resolver's end of the veth
# pair. Unbound scrambles the letters of its questions (0x20) besides.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
kind=$1
names=10000
PATH=$PATH:/usr/sbin:/sbin

write_root() {
    mkdir "$scratch/root"
    cat >"$scratch/root/zone" <<END
. 3600 SOA a.root. admin.root. 1 3600 600 86400 60
. 3600 NS a.root.
a.root. 3600 A 198.18.0.1
a.root. 3600 AAAA 2001:2::1
dns64perf.test. 3600 NS ns.dns64perf.test.
ns.dns64perf.test. 3600 A 198.18.0.2
ns.dns64perf.test. 3600 AAAA 2001:2::2
END
    cat >"$scratch/root/hints" <<END
. 3600 NS a.root.
a.root. 3600 A 198.18.0.1
a.root. 3600 AAAA 2001:2::1
END
    cat >"$scratch/root/conf" <<END
server:
    rundir: "$scratch/root"
    user: root
    listen: [ 198.18.0.1@53, 2001:2::1@53 ]
database:
    storage: "$scratch/root"
policy:
  - id: signed
    algorithm: ecdsap256sha256
zone:
  - domain: .
    file: "$scratch/root/zone"
    zonefile-sync: -1
    dnssec-signing: on
    dnssec-policy: signed
END
}

# The root's key as "TAG ALGORITHM DIGEST-TYPE DIGEST".
root_key() { keymgr -c "$scratch/root/conf" . ds | awk '$5 == 2 || $4 == 2' | head -n 1 | sed 's/^.*DS //'; }

write_unbound() {
    cat >"$scratch/conf" <<END
server:
    interface: $listener@5353
    do-ip4: $([[ $family -eq 4 ]] && echo yes || echo no)
    do-ip6: $([[ $family -eq 6 ]] && echo yes || echo no)
    username: ""
    chroot: ""
    directory: "$scratch"
    pidfile: ""
    use-syslog: no
    root-hints: "$scratch/root/hints"
    trust-anchor: ". DS $1"
    qname-minimisation: yes
    qname-minimisation-strict: yes
    use-caps-for-id: yes
    local-zone: "test." nodefault
remote-control:
    control-enable: no
END
    resolver=(unbound -d -c "$scratch/conf")
}

write_bind9() {
    local -a key
    read -ra key <<<"$1"
    cat >"$scratch/conf" <<END
options {
    directory "$scratch";
    pid-file none;
    session-keyfile none;
    listen-on port 5353 { 127.0.0.1; };
    listen-on-v6 port 5353 { ::1; };
    recursion yes;
    dnssec-validation yes;
    qname-minimization strict;
};
trust-anchors { . static-ds ${key[0]} ${key[1]} ${key[2]} "${key[3]}"; };
zone "." { type hint; file "$scratch/root/hints"; };
controls { };
END
    resolver=(named -"$family" -g -n 1 -c "$scratch/conf")
}

write_pdns-recursor() {
    mkdir -p "$scratch/recursor"
    echo "clearTA('.') addTA('.', '$1')" >"$scratch/recursor/lua"
    cat >"$scratch/recursor/recursor.conf" <<END
local-address=$listener
local-port=5353
query-local-address=$own_address
socket-dir=$scratch/recursor
hint-file=$scratch/root/hints
lua-config-file=$scratch/recursor/lua
dnssec=validate
qname-minimization=yes
dont-query=
daemon=no
disable-syslog=yes
security-poll-suffix=
END
    resolver=(pdns_recursor --config-dir="$scratch/recursor")
}

# start_fakedns WHERE ARGUMENT...: starts fakedns and waits until it is ready. Its process ID is in
# $fakedns.
start_fakedns() {
    run_fakedns "$@" || fail "fakedns ${*:2}: $(cat "$STARTED_LOG")"
    fakedns=$STARTED_PID
    fakedns_log=$STARTED_LOG
}

ask() { in_ns tester dig +tries=1 +time=5 -p 5353 "@$listener" "$@"; }

case $kind in
unbound) program=unbound ;;
bind9) program=named ;;
pdns-recursor) program=pdns_recursor ;;
*)
    echo "usage: resolvers_test.sh unbound|bind9|pdns-recursor" >&2
    exit 2
    ;;
esac
skip_unless_root
for tool in knotd keymgr dnsperf "$program"; do
    command -v "$tool" >/dev/null || skip "no $tool on this machine: see tools/install-packages"
done
lab_up
write_root
start_in tester knotd -c "$scratch/root/conf"
check "the root answers" wait_for_dns tester 198.18.0.1 53 .

for ((i = 0; i < names; i++)); do
    printf '010-000-%03d-%03d.dns64perf.test %s\n' $((i / 256)) $((i % 256)) \
        "$([[ $((i % 2)) -eq 0 ]] && echo A || echo AAAA)"
done >"$scratch/names"

asked() { awk -v row="$1" '$1 == row { value = $2 } END { print value }' "$fakedns_log"; }

# test_family 4|6: a resolver that has not asked anything yet sends by that family alone.
test_family() {
    local family=$1 listener=127.0.0.1 own_address=198.18.0.1 resolver_log resolver_pid
    if ((family == 6)); then
        listener=::1
        own_address=2001:2::1
    fi
    "write_$kind" "$(root_key)"
    start_fakedns dut --interface d0 --xdp-mode native --aaaa-share 50
    start_in tester "${resolver[@]}"
    resolver_pid=$STARTED_PID
    resolver_log=$STARTED_LOG
    check "IPv$family: $kind answers" wait_for_dns tester "$listener" 5353 .
    check "IPv$family: it validates" grep -q 'flags:.* ad[ ;]' <(ask +dnssec . SOA)
    check "IPv$family: the zone is insecure, and resolves" \
        grep -q 'status: NOERROR' <(ask +dnssec 010-000-000-001.dns64perf.test)
    in_ns tester dnsperf -s "$listener" -p 5353 -d "$scratch/names" -n 1 -c 1 -q 50 -t 10 \
        >"$scratch/said" 2>&1
    check "IPv$family: $names names, not one SERVFAIL: $(grep 'Response codes' "$scratch/said")" \
        grep -Eq "Response codes: *NOERROR $names \(100.00%\)" "$scratch/said"
    check "IPv$family: none lost" grep -Eq 'Queries lost: *0 ' "$scratch/said"
    check "IPv$family: a miss is a miss" grep -q 'status: NXDOMAIN' <(ask no-such-name.dns64perf.test)
    ((failures == 0)) || tail -n 20 "$resolver_log" "$scratch/said"
    check "IPv$family: no XDP program is on the resolver's end" eval '! has_program'
    stop_pid "$resolver_pid"
    stop_pid "$fakedns"
    check "IPv$family: the kernel program answered: $(asked type-A) A, $(asked type-AAAA) AAAA" \
        [ "$(asked type-A)" -ge $((names / 2)) -a "$(asked type-AAAA)" -ge $((names / 2)) ]
    check "IPv$family: no socket had to" \
        [ "$(awk '/^rcode-/ { sum += $3 } END { print sum + 0 }' "$fakedns_log")" -eq 0 ]
}

test_family 4
test_family 6
finish
