#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# "fakedns --internet" answers by AF_XDP byte for byte as it does by sockets, at once and after a latency, and counts
# the same. Answers by TCP are late, too, also where connections are too many. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

skip_unless_root
skip_unless_built fakedns
/usr/bin/python3 -c 'import dns' 2>/dev/null ||
    skip "no python3-dnspython on this machine: see tools/install-packages"

lab_up
said=$scratch/said
world=$scratch/world.toml
# Servers of every character, and longer answers than usual.
cat >"$world" <<'TOML'
latency = "lognormal:5ms:1"
registry-latency = "1ms"
slow-latency = "uniform:20ms:80ms"
loss = "5%"
characters = ["lame 5%", "servfail 5%", "refused 5%", "silent 5%", "slow 5%", "no-edns 5%", "truncating 5%", "drops-large 5%"]
text-octets = ["40 30%", "400 20%", "1100 30%", "1800 20%"]
TOML
in_ns dut ip route add local 198.18.128.0/17 dev lo
in_ns dut ip -6 route add local 2001:2:0:80::/64 dev lo
in_ns tester ip route add 198.18.128.0/17 via 198.18.0.2
in_ns tester ip -6 route add 2001:2:0:80::/64 via 2001:2::2

awk 'BEGIN {
    split("A AAAA MX TXT NS HTTPS SOA CAA", types)
    split("www.shop%d.com|site%d.org|a%d.b.example.net|%dx.y.co.uk|mail.firm%dq.de|none%d|host.in%d.info", forms, "|")
    for (i = 0; i < 160; i++)
        printf forms[i % 7 + 1] " %s\n", i, types[i % 8 + 1]
}' | "$bin/fakedns" --internet "$world" --predict - >"$scratch/predicted"

# ask_all MODE: asks a server with that --xdp-mode. What it answers is in answers-MODE, what it counts in counts-MODE.
ask_all() {
    local mode=$1 server
    check "$mode: the Internet is served" run_fakedns dut --internet "$world" --xdp-mode "$mode" --interface d0
    server=$STARTED_PID
    cp "$STARTED_LOG" "$said"
    status=0
    expect 0 "$mode: it says so" "XDP $mode\$"
    in_ns tester "$lib_directory/ask_internet.py" <"$scratch/predicted" >"$scratch/answers-$mode" 2>"$said"
    status=$?
    expect 0 "$mode: it answers" "asked [0-9]+, answered [1-9][0-9][0-9]+"
    kill -TERM "$server"
    for _ in {1..50}; do kill -0 "$server" 2>/dev/null && sleep 0.1; done
    cp "$STARTED_LOG" "$scratch/counts-$mode"
}

# counted MODE ROW: prints the total of a row.
counted() { awk -v row="$2" '$1 == row { print $5 }' "$scratch/counts-$1"; }

for mode in native generic off; do ask_all "$mode"; done
asked=$(wc -l <"$scratch/answers-off")
for mode in native generic; do
    check "$mode: the answers equal the sockets' answers, byte for byte" cmp "$scratch/answers-$mode" "$scratch/answers-off"
    check "$mode: all went by AF_XDP" [ "$(counted $mode xdp),$(counted $mode udp)" = "$asked,0" ]
    check "$mode: the counts equal the sockets' counts" cmp \
        <(sed -E '/^(fakedns|udp|xdp)/d' "$scratch/counts-$mode") <(sed -E '/^(fakedns|udp|xdp)/d' "$scratch/counts-off")
done
check "off: all went by sockets" [ "$(counted off udp),$(counted off xdp)" = "$asked,0" ]
check "no answer is left" [ "$(grep -c -E '^(waiting|unsent) 0$' "$scratch/counts-native")" -eq 2 ]
for kind in records alias referral nodata nxdomain hinfo refused truncated formerr notimp badvers lame servfail lost; do
    check "there were answers of the kind $kind" [ "$(counted native $kind)" -gt 0 ]
done
check "some were longer than 700 octets" grep -Eq ' [0-9a-f]{1400}' "$scratch/answers-off"

# A limit: what is beyond it is no longer than the query, and sends the client to TCP.
for mode in native off; do
    check "$mode: the Internet has a limit" run_fakedns dut --internet "$world" --interface d0 --xdp-mode $mode --rate-limit 20
    check "$mode: of a burst of 500 few answers are longer than their queries: $(in_ns tester /usr/bin/python3 - \
        198.18.128.1 2>&1 <<'PYTHON' | tee "$said"
import select, socket, sys
query = bytes.fromhex("0000 0000 0001 0000 0000 0000 00 0002 0001")
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
for i in range(500):
    udp.sendto(i.to_bytes(2, "big") + query[2:], (sys.argv[1], 53))
answers = []
while select.select([udp], [], [], 1)[0]:
    answers.append(udp.recv(4096))
longer = [a for a in answers if len(a) > len(query)]
short = [a for a in answers if len(a) <= len(query) and a[2] & 2]
print(len(longer), len(short), max(map(len, answers), default=0))
# The world loses some of its answers, those within the limit too.
assert 10 <= len(longer) <= 60 and len(short) >= 300 and max(map(len, longer)) > 400
print("so it is")
PYTHON
    )" grep -qx 'so it is' "$said"
    kill -USR1 "$STARTED_PID"
    stop_pid "$STARTED_PID"
    check "$mode: they are counted" [ "$(awk '$1 == "limited" { sum = $5 } END { print sum + 0 }' "$STARTED_LOG")" -ge 300 ]
done

# By TCP two questions at once are answered after the handshake's time and the server's latency, a further one after the
# latency alone.
far_ms=400
sed -i "s/^registry-latency.*/registry-latency = \"${far_ms}ms\"/" "$world"
check "far servers are served" run_fakedns dut --internet "$world" --interface d0
for server in 198.18.128.1 2001:2:0:80::1; do
    in_ns tester "$lib_directory/time_tcp.py" "$server" >"$said" 2>&1
    status=$?
    expect 0 "$server: by TCP three answers come: $(paste -sd ' ' "$said")" '^third '
    check "$server: the first two after twice $far_ms ms, the third after once" \
        awk -v far=$far_ms '$1 != "third" { bad += $2 < 2 * far } $1 == "third" { bad += $2 < far || $2 >= 2 * far }
                            END { exit bad != 0 || NR != 3 }' "$said"
done

# More connections than descriptors: those that came first make room. On a busy machine the server may close one before
# it has read that one's question: then there was no answer to send. So there are several rounds.
open=$(find "/proc/$STARTED_PID/fd" -mindepth 1 | wc -l)
prlimit --pid "$STARTED_PID" --nofile=$((open + 20)):
for _ in {1..4}; do
    in_ns tester "$lib_directory/time_tcp.py" 198.18.128.1 60 >"$said" 2>&1
    status=$?
    expect 0 "the last of 61 connections has its answers, where 20 have a descriptor" '^third '
done
kill -TERM "$STARTED_PID"
for _ in {1..50}; do kill -0 "$STARTED_PID" 2>/dev/null && sleep 0.1; done
check "the answers to those that were closed are unsent" grep -Eq '^unsent [1-9]' "$STARTED_LOG"
finish
