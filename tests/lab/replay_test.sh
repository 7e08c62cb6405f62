#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests trials that play captures: what real clients asked (dig, dnsperf), recorded by tcpdump, is
# played, recorded again, and compared by a script that shares nothing with dnsgauge. Exit status 77:
# this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built dnsgauge dnsgauge-queries fakedns
for program in tcpdump dnsperf; do
    command -v $program >/dev/null || skip "no $program on this machine: see tools/install-packages"
done
/usr/bin/python3 -c 'import scapy' 2>/dev/null || skip "no python3-scapy: see tools/install-packages"

here=$(dirname "$0")
clients4=198.19.0.0/16
clients6=2001:2:0:19::/64

# record FILE: starts tcpdump on the DUT's interface, with its process ID in $recorder.
record() {
    local turn
    start_in dut tcpdump -i d0 -U --time-stamp-precision nano -B 16384 -w "$1" udp dst port 53
    recorder=$STARTED_PID
    for turn in {1..100}; do
        grep -q '^tcpdump: listening' "$STARTED_LOG" && return
        sleep 0.1
    done
    fail "tcpdump does not start: $(cat "$STARTED_LOG")"
    finish
}

end_record() {
    sleep 1
    stop_pid "$recorder"
}

# play SERVER [options]: plays the capture to the server.
play() {
    local server=$1
    shift
    rm -f "$result"
    in_ns tester "$dnsgauge" trial --interface g0 --server "$server" --capture "$capture" \
        --capture-server "$server" --timeout 2 --max-others 100 --max-lateness 60 --max-overrun 60 \
        --expect answered --json "$result" \
        "$@" >"$said" 2>&1
    status=$?
}

holds() {
    /usr/bin/python3 -c "
import json
r = json.load(open('$result'))
assert $1, r" 2>>"$said"
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

record "$capture"
for client in 198.18.0.1 198.18.0.11 198.18.0.12; do
    in_ns tester dig +tries=1 +time=2 -b $client @$server4 WWW.example. TYPE1234 >/dev/null
    in_ns tester dnsperf -s $server4 -a $client -d "$scratch/list" -n 1 -Q 300 >/dev/null
done
for client in 2001:2::1 2001:2::11; do
    in_ns tester dig +tries=1 +time=2 +dnssec -b $client @$server6 . NS >/dev/null
    in_ns tester dnsperf -s $server6 -a $client -d "$scratch/list" -n 1 -Q 300 -e >/dev/null
done
end_record

for family in 4 6; do
    server=server$family
    clients=clients$family
    record "$scratch/again.pcap"
    play "${!server}" --clients "${!clients}"
    end_record
    expect 0 "the capture is played over IPv$family, and all is answered" "verdict +pass"
    check "sent is what was captured, and all of it valid" holds "
        r['sent'] == r['valid'] == r['workload']['queries'] > 600 and r['workload']['kind'] == 'captures'"
    if "$here/compare_replay.py" "$capture" "$scratch/again.pcap" "${!server}" "$result" >"$said" 2>&1; then
        pass "IPv$family came again as it was: $(head -n 1 "$said")"
    else
        fail "the replay over IPv$family differs: $(cat "$said")"
    fi
done

play $server4 --clients $clients4 --speed 4 --load-factor 3
expect 0 "three slices at once, four times as fast" "3 played at once, 4 times as fast"
check "the slices' clients are others" holds "r['workload']['clients'] > 3 and r['sent'] == r['valid']"
play $server4 --duration 1
expect 0 "one second from one address" "verdict +pass"
check "the second ends after a second" holds "
    r['sent'] == r['valid'] >= 1 and r['duration_s'] <= 1.5 and r['workload']['left_out']['outside'] > 300"

# What cannot be played is told in one line.
refused() {
    local what=$1 pattern=$2
    shift 2
    play $server4 "$@"
    if ((status == 2)) && grep -q -- "$pattern" "$said" && (($(wc -l <"$said") == 1)); then
        pass "$what"
    else
        fail "$what: $status, $(cat "$said")"
    fi
}
refused "too few addresses for the clients" '3 clients need an address each' --clients 198.19.0.0/31
refused "clients of another family" 'of one family' --clients $clients6
refused "a rate beside a capture" 'excludes --rate' --rate 100
refused "all skipped" 'outside of --skip' --skip 10000
head -c 1000 "$capture" >"$scratch/cut.pcap"
refused "a capture that is cut off" 'damaged behind packet' --capture "$scratch/cut.pcap"

finish
