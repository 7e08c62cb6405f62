#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests trials that play captures: queries of real clients (dig, dnsperf, Unbound and BIND), recorded by tcpdump, are
# played, recorded again, and compared by a script that shares nothing with dnsgauge. Exit status 77: this test cannot
# run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
PATH=$PATH:/usr/sbin
skip_unless_root
skip_unless_built dnsgauge dnsgauge-queries fakedns
for program in tcpdump dnsperf unbound named; do
    command -v $program >/dev/null || skip "no $program on this machine: see tools/install-packages"
done
/usr/bin/python3 -c 'import scapy' 2>/dev/null || skip "no python3-scapy: see tools/install-packages"

here=$(dirname "$0")
clients4=198.19.0.0/16
clients6=2001:2:0:19::/64

# record FILE FILTER: records the DUT's packets, both ways.
record() {
    start_tcpdump -i d0 -U --time-stamp-precision nano -B 16384 -w "$1" "$2"
}

# play SERVER [options]: plays the capture to the server.
play() {
    play_whole "$1" --capture-server "$1" "${@:2}"
}

# play_whole SERVER [options]: the same, with the queries to any server.
play_whole() {
    local server=$1
    shift
    rm -f "$result"
    in_ns tester "$dnsgauge" trial --interface g0 --server "$server" --capture "$capture" \
        --timeout 1 --max-others 100 --max-lateness 60 --max-overrun 60 \
        --json "$result" "$@" >"$said" 2>&1
    status=$?
    keep_results "$result"
}

# ask_through SERVER COMMAND...: starts a resolver that sends all queries to the server, asks it some, and
# stops it.
ask_through() {
    local resolver i
    start_in tester "$@"
    resolver=$STARTED_PID
    wait_for_dns tester 127.0.0.1 5301 010-000-001-000.dns64perf.test || fail "$1 does not answer: $(cat "$STARTED_LOG")"
    for i in {0..29}; do
        in_ns tester dig +tries=1 +time=2 -p 5301 @127.0.0.1 010-000-002-$(printf %03d "$i").dns64perf.test AAAA >/dev/null
    done
    stop_pid "$resolver"
}

# ask_unbound SERVER
ask_unbound() {
    cat >"$scratch/unbound.conf" <<CONF
server:
    interface: 127.0.0.1@5301
    username: ""
    chroot: ""
    directory: "$scratch"
    pidfile: ""
    use-syslog: no
    use-caps-for-id: yes
    module-config: "iterator"
    do-not-query-localhost: no
    local-zone: "test." nodefault
remote-control:
    control-enable: no
forward-zone:
    name: "."
    forward-addr: $1
CONF
    ask_through unbound -d -c "$scratch/unbound.conf"
}

# ask_bind SERVER
ask_bind() {
    cat >"$scratch/named.conf" <<CONF
options {
    directory "$scratch";
    pid-file none;
    session-keyfile none;
    listen-on port 5301 { 127.0.0.1; };
    listen-on-v6 { none; };
    recursion yes;
    dnssec-validation no;
    forward only;
    forwarders { $1; };
};
controls { };
CONF
    ask_through named -g -n 1 -c "$scratch/named.conf"
}

lab_up
lay_out
capture=$scratch/first.pcap
for address in 198.18.0.11/24 198.18.0.12/24; do
    ip -n "$lab_name-tester" address add $address dev g0
done
ip -n "$lab_name-tester" address add 2001:2::11/64 dev g0 nodad
ip -n "$lab_name-dut" route add $clients4 via 198.18.0.1
ip -n "$lab_name-dut" route add $clients6 via 2001:2::1
start_fakedns --xdp-mode off
for i in {0..299}; do
    printf '010-000-000-%03d.dns64perf.test AAAA\n' $((i % 256))
done >"$scratch/list"

record "$capture" "udp port 53"
for client in 198.18.0.1 198.18.0.11 198.18.0.12; do
    in_ns tester dig +tries=1 +time=2 -b $client @$server4 WWW.example. TYPE1234 >/dev/null
    in_ns tester dnsperf -s $server4 -a $client -d "$scratch/list" -n 1 -Q 300 >/dev/null
done
for client in 2001:2::1 2001:2::11; do
    in_ns tester dig +tries=1 +time=2 +dnssec -b $client @$server6 . NS >/dev/null
    in_ns tester dnsperf -s $server6 -a $client -d "$scratch/list" -n 1 -Q 300 -e >/dev/null
done
for server in $server4 $server6; do
    ask_unbound $server
    ask_bind $server
done
end_tcpdump

for family in 4 6; do
    server=server$family
    clients=clients$family
    record "$scratch/again.pcap" "udp dst port 53"
    play "${!server}" --clients "${!clients}" --expect answered
    end_tcpdump
    expect 0 "the capture is played over IPv$family, and all is answered" "verdict +pass"
    check "sent is what was captured, and all of it valid" holds "
        r['sent'] == r['valid'] == r['workload']['queries'] > 600 and r['workload']['kind'] == 'captures'"
    check "the rate is the mean rate of what was sent" holds "abs(r['rate'] - r['sent'] / r['duration_s']) <= 1"
    if "$here/compare_replay.py" "$capture" "$scratch/again.pcap" "${!server}" "$result" >"$said" 2>&1; then
        pass "IPv$family came again as it was, from its ports: $(head -n 1 "$said")"
    else
        fail "the replay over IPv$family differs: $(cat "$said")"
    fi
done

play $server4 --clients $clients4 --speed 4 --load-factor 3 --expect answered
expect 0 "three slices at once, four times as fast" "3 played at once, 4 times as fast"
check "the ports are the clients'" holds "r['workload']['client_ports']"
check "the slices' clients are others" holds "r['workload']['clients'] > 3 and r['sent'] == r['valid']"
play $server4 --expect captured --duration 2
expect 0 "all replies are as the capture's answers were" "replies expected: captured, "

# The same, prepared: a trial maps the file.
original=$capture
capture=$scratch/first.prepared
"$bin/dnsgauge-queries" convert "$original" --server $server4 --output "$capture" 2>"$said"
status=$?
expect 0 "a capture is prepared" "prepared: [0-9]+ queries of [0-9]+ clients, [0-9]+ of them with an answer"
record "$scratch/again.pcap" "udp dst port 53"
play_whole $server4 --clients $clients4 --expect captured --letter-case exact
end_tcpdump
expect 0 "a prepared capture is played, and all replies are as its answers were" "expected: captured, letters exact"
if "$here/compare_replay.py" "$original" "$scratch/again.pcap" $server4 "$result" >"$said" 2>&1; then
    pass "and it is what was captured: $(head -n 1 "$said")"
else
    fail "the replay of the prepared capture differs: $(cat "$said")"
fi
play_whole $server4 --clients $clients4 --expect captured --duration 1
expect 0 "a second of the file itself" "verdict +pass"
check "which takes the file's size" holds "r['workload']['memory_octets'] == $(stat -c %s "$capture")"
play_whole $server4 --clients $clients4 --expect answered --duration 1 --mix-case 3
expect 0 "with letters of another case, which come back" "letters mixed by 3, letters exact"
capture=$original
gzip -k "$capture"
capture=$capture.gz
play $server4 --duration 1 --expect answered
expect 0 "one second from one address" "verdict +pass"
check "the second ends after a second" holds "
    r['sent'] == r['valid'] >= 1 and r['duration_s'] <= 1.5 and r['workload']['left_out']['outside'] >= 1"

/usr/bin/python3 -IS - "$original" "$scratch/twice.pcap" <<'PYTHON'
import struct, sys
with open(sys.argv[1], "rb") as file:
    octets = file.read()
place, twice = 24, octets[:24]
while place < len(octets):
    after = place + 16 + struct.unpack_from("=I", octets, place + 8)[0]
    twice += 2 * octets[place:after]
    place = after
with open(sys.argv[2], "wb") as file:
    file.write(twice)
PYTHON
capture=$scratch/twice.pcap
play $server4 --duration 1 --expect answered
check "packets that were captured twice are one doubt" holds "len([d for d in r['doubts'] if 'come again' in d]) == 1"
capture=$original.gz

# A Tester that stands still for more than a second has not played the capture.
start_in tester "$dnsgauge" trial --interface g0 --server $server4 --capture "$capture" --duration 4 \
    --capture-server $server4 --expect answered --timeout 1 --max-others 100 --max-lateness 1 --max-overrun 60 \
    --json "$result"
trial=$STARTED_PID
for _ in {1..100}; do
    has_program && break
    sleep 0.1
done
sleep 0.5
kill -STOP "$trial"
sleep 2
kill -CONT "$trial"
status=0
wait "$trial" || status=$?
cp "$STARTED_LOG" "$said"
expect 3 "more than a second behind is invalid" 'invalid: a query was sent [0-9.,]+ ms late \(--max-lateness allows 1000[.]000 ms\)'

# What cannot be played is told in one line.
player=play
refused() {
    local what=$1 pattern=$2
    shift 2
    $player $server4 "$@"
    if ((status == 2)) && grep -q -- "$pattern" "$said" && (($(wc -l <"$said") == 1)); then
        pass "$what"
    else
        fail "$what: $status, $(cat "$said")"
    fi
}
refused "too few addresses for the clients" '3 clients need an address each' --clients 198.19.0.0/31
refused "another pace" "pace constant: the queries of captures leave at their own times" --pace constant
refused "clients of another family" 'of one family' --clients $clients6
refused "a rate beside a capture" 'excludes --rate' --rate 100
refused "all skipped" 'outside of --skip' --skip 10000
play $server4 --capture "$scratch/first.pcap" --duration 1 --clients $clients4 --expect answered
expect 0 "two captures at once" "2 played at once"
check "the rate is the captures' mean" holds "abs(r['rate'] * r['duration_s'] - r['sent']) <= r['duration_s'] + 1"
check "both captures' clients are others" holds "len(r['workload']['files']) == 2 and r['workload']['clients'] >= 2"
/usr/bin/python3 - "$scratch/odd.pcap" $server4 <<'PYTHON'
import sys
from scapy.all import DNS, DNSQR, IP, TCP, UDP, Dot1Q, Ether, fragment, wrpcap

def asked(number):
    return UDP(sport=4000 + number, dport=53) / DNS(id=number, qd=DNSQR(qname=f"name-{number}.test"))

ip = IP(src="192.0.2.1", dst=sys.argv[2])
wrpcap(sys.argv[1], [
    Ether() / Dot1Q(vlan=7) / ip / asked(1),
    Ether(type=0x88a8) / Dot1Q(vlan=8) / Dot1Q(vlan=9) / ip / asked(2),
    *(Ether() / part for part in fragment(ip / asked(3), fragsize=16)),
    Ether() / ip / TCP(sport=4004, dport=53, flags="PA") / b"\x00\x02ab",
    Ether() / ip / asked(5)])
PYTHON
capture=$scratch/first.prepared
refused "a prepared capture that does not say who was asked" 'convert --server'
player=play_whole
head -c 10000 "$scratch/first.prepared" >"$scratch/cut.prepared"
capture=$scratch/cut.prepared
refused "a prepared capture that is cut off" 'cut[.]prepared: it is cut off or damaged: it has 10000 octets'
player=play
capture=$scratch/odd.pcap
play $server4 --expect answered --clients $clients4
expect 0 "queries with VLAN tags are played; fragments and TCP are told" "left out +tcp 1, fragments 3"
check "and counted" holds "r['sent'] == r['valid'] == 3 and r['workload']['left_out']['fragments'] == 3 and
    r['workload']['left_out']['tcp'] == 1"
head -c 1000 "$scratch/first.pcap" >"$scratch/cut.pcap"
head -c 1000 "$scratch/first.pcap.gz" >"$scratch/cut.gz"
capture=$scratch/cut.pcap
refused "a capture that is cut off" 'damaged after packet'
capture=$scratch/cut.gz
refused "a packed capture that is cut off" 'cannot read the capture .*cut.gz'

finish
