#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# internet_walk_test.sh [COUNT]: a script that follows referrals from the root finds what "fakedns --internet --predict"
# says of COUNT names (1,500) and types, with servers of every character; dig and kdig read answers by both families,
# UDP and TCP; what cannot be served is told. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
count=${1:-1500}

skip_unless_root
skip_unless_built fakedns
/usr/bin/python3 -c 'import dns' 2>/dev/null ||
    skip "no python3-dnspython on this machine: see tools/install-packages"

lab_up
said=$scratch/said
world=$scratch/world.toml
cat >"$world" <<'TOML'
latency = "0ms"
registry-latency = "0ms"
slow-latency = "0ms"
loss = "0%"
TOML
cat >"$scratch/listed" <<'LIST'
# dnsgauge-queries names writes such lines.
www.listed.nosuch-top-level. A 30 AAAA 40
a\.b\000\\.listed.nosuch-top-level. A 50 TYPE65280 60
LIST

in_ns dut timeout 20 "$bin/fakedns" --internet "$world" --interface d0 >"$said" 2>&1
status=$?
expect 2 "a host that has no route to the servers is told how to have one" \
    'ip route add local 198.18.128.0/17 dev lo'

in_ns dut ip route add local 198.18.128.0/17 dev lo
in_ns dut ip -6 route add local 2001:2:0:80::/64 dev lo
in_ns tester ip route add 198.18.128.0/17 via 198.18.0.2
in_ns tester ip -6 route add 2001:2:0:80::/64 via 2001:2::2
check "the Internet is served" run_fakedns dut --internet "$world" --names "$scratch/listed" --interface d0
internet=$STARTED_PID log=$STARTED_LOG

# Numbered and other names, deeper names, and registries' names.
awk -v count="$count" 'BEGIN {
    split("A AAAA MX TXT NS HTTPS SOA CAA", types)
    split("www.shop%d.com|site%d.org|a%d.b.example.net|%dx.y.co.uk|mail.firm%dq.de|none%d|host.in%d.info", forms, "|")
    for (i = 0; i < count; i++)
        printf forms[i % 7 + 1] " %s\n", i, types[i % 8 + 1]
}' >"$scratch/names"
printf '%s\n' . com "co.uk NS" "a.root-servers.net AAAA" "dns-003.info NS" "ns1.com A" \
    "www.listed.nosuch-top-level AAAA" 'a\.b\000\\.listed.nosuch-top-level TYPE65280' \
    'a\046b\000\092.listed.nosuch-top-level A' >>"$scratch/names"
"$bin/fakedns" --internet "$world" --names "$scratch/listed" --predict - <"$scratch/names" >"$scratch/predicted"
check "each name is predicted" [ "$(wc -l <"$scratch/predicted")" -eq $((count + 9)) ]
in_ns tester "$lib_directory/walk_internet.py" 198.18.128.1 <"$scratch/predicted" >"$said" 2>&1
status=$?
expect 0 "the script finds what is predicted" "walked: $((count + 9)), different: 0"
tail -n 3 "$said"
sed '/"node":"host"/s/"rcode":"NOERROR"/"rcode":"NXDOMAIN"/' "$scratch/predicted" | head -n 100 >"$scratch/wrong"
in_ns tester "$lib_directory/walk_internet.py" 198.18.128.1 <"$scratch/wrong" >"$said" 2>&1
status=$?
expect 1 "the script finds a prediction that is wrong" "predicted .'NXDOMAIN'"

for server in 198.18.128.1 2001:2:0:80::1; do
    for way in +notcp +tcp; do
        in_ns tester dig +norecurse $way "@$server" wWw.eXample.ORG A >"$said" 2>&1
        status=$?
        expect 0 "dig $way @$server: the question comes back as it was" '^;wWw\.eXample\.ORG\.'
        expect 0 "dig $way @$server: a referral" '^(org|ORG)\..*NS.*ns1\.'
    done
done
if command -v kdig >/dev/null; then
    in_ns tester kdig +norecurse +dnssec @198.18.128.1 . NS >"$said" 2>&1
    status=$?
    expect 0 "kdig: thirteen root servers" 'ANSWER: 13'
fi
in_ns tester dig +norecurse @198.18.255.254 www.example.org A >"$said" 2>&1
status=$?
expect 0 "a server that has no such zone refuses" 'REFUSED'

kill -TERM "$internet"
for _ in {1..50}; do kill -0 "$internet" 2>/dev/null && sleep 0.1; done
check "fakedns ends" eval '! kill -0 "$internet" 2>/dev/null'
said=$log status=0
expect 0 "the end prints the counters" '^referral +[1-9]'
expect 0 "and the answers by TCP" '^tcp +[1-9]'
finish
