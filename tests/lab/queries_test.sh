#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests dnsgauge-queries with captures that tcpdump made of real clients (dig, dnsperf), of each link
# type that tcpdump offers here: the program reads all of a client's queries, octet by octet, with their times. Exit
# status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built dnsgauge-queries fakedns
for program in tcpdump dnsperf; do
    command -v $program >/dev/null || skip "no $program on this machine: see tools/install-packages"
done

prepare=$bin/dnsgauge-queries
reader=$(dirname "$0")/read_capture.py

# record FILE INTERFACE [options]: records what a DNS server and its clients say.
record() {
    local file=$1 interface=$2
    shift 2
    start_tcpdump -i "$interface" -B 16384 -s 2048 -U -w "$file" "$@" port 53
}

# Ends the recording. Fails if tcpdump lost packets.
end_record() {
    end_tcpdump
    grep -q '^0 packets dropped by kernel' "$STARTED_LOG"
}

# same_as_reader WHAT FILE: what dnsgauge-queries reads is what the script reads.
same_as_reader() {
    "$reader" "$2" >"$scratch/expected" || fail "$1: the script cannot read the capture"
    "$prepare" convert "$2" --output "$scratch/copy.pcap" 2>"$said" || fail "$1: $(cat "$said")"
    "$reader" "$scratch/copy.pcap" >"$scratch/found"
    if [[ -s $scratch/expected ]] && cmp -s "$scratch/expected" "$scratch/found"; then
        pass "$1: $(wc -l <"$scratch/expected") queries"
    else
        fail "$1: $(diff "$scratch/expected" "$scratch/found" | head -n 4)"
    fi
}

ask_all() {
    local server
    for server in $server4 $server6; do
        in_ns tester dig +tries=1 +time=2 @$server 010-000-000-001.dns64perf.test AAAA >/dev/null
        in_ns tester dig +tries=1 +time=2 +noedns +norecurse @$server WWW.example. TYPE1234 >/dev/null
        in_ns tester dig +tries=1 +time=2 +dnssec +subnet=192.0.2.0/24 +cookie @$server . NS >/dev/null
        in_ns tester dig +tries=1 +time=2 +tcp @$server 010-000-000-001.dns64perf.test A >/dev/null
        in_ns tester dnsperf -s $server -d "$scratch/list" -n 1 -Q 2000 -c 4 -e -D >"$said" 2>&1 &&
            grep -q 'Queries completed: *500 ' "$said" || fail "dnsperf: $(cat "$said")"
    done
}

lab_up
lay_out
start_fakedns --xdp-mode off
for i in {0..499}; do
    printf '010-000-000-%03d.dns64perf.test AAAA\n' $((i % 256))
done >"$scratch/list"

for link in EN10MB LINUX_SLL LINUX_SLL2; do
    interface=any
    [[ $link != EN10MB ]] || interface=d0
    # On a busy machine tcpdump may lose packets, which is no fault of what this test tries.
    lost=yes
    for _ in {1..5}; do
        record "$scratch/$link.pcap" $interface -y $link
        ask_all
        end_record && lost= && break
    done
    [[ -z $lost ]] || fail "tcpdump lost packets five times: $(cat "$STARTED_LOG")"
    same_as_reader "tcpdump's capture as $link" "$scratch/$link.pcap"
done

"$prepare" stats "$scratch/EN10MB.pcap" --json "$result" >/dev/null 2>"$said"
check "the statistics fit the queries" /usr/bin/python3 -c "
import json
r = json.load(open('$result'))
assert r['queries'] == r['answers'] == 2 * (500 + 4), r['queries']
assert r['tcp_messages'] == 4 and r['left_out']['tcp'] == 0, r
assert r['types']['AAAA'] == 2 * 501 and r['types']['TYPE1234'] == 2, r['types']
assert r['clients']['distinct'] == 2, r['clients']
assert r['rcodes']['NOERROR'] == 2 * 502 and r['rcodes']['REFUSED'] == 4, r['rcodes']
assert sum(i['queries'] for i in r['over_time']) == r['queries']"

cp "$scratch/EN10MB.pcap" "$scratch/own.pcap"
ln "$scratch/own.pcap" "$scratch/other.pcap"
for output in own other; do
    status=0
    "$prepare" convert "$scratch/own.pcap" --output "$scratch/$output.pcap" 2>"$said" || status=$?
    expect 2 "no output replaces an input" 'would replace the input'
done
check "which is as it was" cmp "$scratch/EN10MB.pcap" "$scratch/own.pcap"
yes 'www.example.org A' | head -c 400M | gzip -1 >"$scratch/bomb.gz"
(ulimit -v 2000000 && exec "$prepare" convert "$scratch/bomb.gz" --output /dev/null) 2>"$said"
check "a bomb is refused, and the limit told: $(cat "$said")" \
    grep -Eq 'unpacks to more than 64 MiB, .*--unpacked-most' "$said"

"$prepare" make --duration 1 --output "$scratch/made.pcap"
check "tcpdump reads what dnsgauge-queries makes, and finds nothing wrong in it" \
    /usr/bin/python3 -c "
import subprocess
text = subprocess.run(['tcpdump', '-nvvr', '$scratch/made.pcap'], capture_output=True, check=True).stdout
lines = text.decode().splitlines()
assert len(lines) > 1000 and not any('bad' in line for line in lines), lines[:4]
assert sum('[udp sum ok]' in line for line in lines) * 2 == len(lines)"

finish
