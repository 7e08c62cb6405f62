#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Other projects' clients ask "fakedns --internet", over both families. dnsperf's counts equal fakedns' counters and
# the predictions, by UDP, with EDNS and by TCP. kdig shows the predicted records. delv, which needs a resolver
# (Unbound), finds them, too, and tells that nothing is signed. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# servers.sh reads these.
# shellcheck disable=SC2034
zone_tool=$bin/dnsgauge-zone dut_addresses=(198.18.0.2 2001:2::2)
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
conformance=$lib_directory/../../tools/internet-conformance
roots=(198.18.128.1 2001:2:0:80::1)

skip_unless_root
skip_unless_built dnsgauge-zone fakedns
skip_unless_installed unbound
for program in dnsperf kdig delv; do
    command -v $program >/dev/null || skip "no $program on this machine: see tools/install-packages"
done

# start_internet: starts fakedns anew, with counters at zero.
start_internet() {
    run_fakedns auth --internet "$scratch/world.toml" --interface a0 ||
        { fail "fakedns --internet: $(cat "$STARTED_LOG")" && finish; }
    internet=$STARTED_PID log=$STARTED_LOG
}

# Prints how many of the root's answers fakedns has counted at its end, in the rows whose names fit the pattern.
of_root() { awk -v row="^$1\$" '$1 == "root" { sum = 0 } $1 ~ row { sum += $2 } END { print sum + 0 }' "$log"; }

# said_number PATTERN: prints the number in the first line of dnsperf's that fits, or 0.
said_number() {
    local number
    number=$(sed -nE "s/^ *$1.*/\1/p" "$said" | head -n 1)
    echo "${number:-0}"
}

# test_dnsperf WHAT ROOT [options]: asks a root server each question once. What is below no top-level domain does not
# exist, of all else the root has records or refers to a top-level domain. A machine that stalls may lose packets
# elsewhere, so a run that loses is made again.
test_dnsperf() {
    local what=$1 root=$2 absent
    shift 2
    absent=$(grep -c '"rcode":"NXDOMAIN".*"zones":\[\]' "$scratch/predicted")
    for _ in 1 2 3; do
        start_internet
        in_ns dut dnsperf -s "$root" -d "$scratch/names" -n 1 -q 50 -c 1 -T 1 -t 5 "$@" >"$said" 2>&1
        stop_pid "$internet"
        (($(said_number 'Queries lost: +([0-9]+)'))) || break
    done
    check "dnsperf, $what: $count queries, all answered, $absent with NXDOMAIN, as predicted" [ \
        "$(said_number 'Queries completed: +([0-9]+)') $(said_number 'Response codes:.*NXDOMAIN ([0-9]+)')" = \
        "$count $absent" ]
    check "dnsperf, $what: fakedns has counted the same" [ "$(of_root 'type-.*') $(of_root nxdomain)" = "$count $absent" ]
    [[ $* != *tcp* ]] || check "dnsperf, $what: all by TCP" [ "$(of_root tcp)" -eq "$count" ]
}

# sorted_answer: prints "TYPE DATA" of lines such as "NAME TTL IN TYPE DATA", for type $1.
sorted_answer() { awk -v type="$1" '$4 == type { $1 = $2 = $3 = ""; sub(/^ +/, ""); print }' | sort; }

# agree WHO PROGRAM: of each line of the file "hosts", PROGRAM prints the records when it is called with the server's
# addresses, name and type.
agree() {
    local who=$1 address4 address6 name type wanted found bad=0 asked=0
    shift
    while IFS=$'\t' read -r address4 address6 name type wanted; do
        found=$("$1" "$address4" "$address6" "$name" "$type" </dev/null | sorted_answer "$type" | paste -sd '|')
        asked=$((asked + 1))
        [[ $found == "$wanted" ]] || { echo "$name $type: $wanted, but found $found" && bad=$((bad + 1)); }
    done <"$scratch/hosts"
    check "$who: $asked names have the records that are predicted" [ $bad -eq 0 -a $asked -ge 20 ]
}

kdig_udp4() { in_ns dut kdig +norecurse +noall +answer +bufsize=1232 "@$1" "$3" "$4"; }
kdig_udp6() { in_ns dut kdig +norecurse +noall +answer +bufsize=1232 "@$2" "$3" "$4"; }
kdig_tcp4() { in_ns dut kdig +norecurse +noall +answer +tcp "@$1" "$3" "$4"; }
kdig_tcp6() { in_ns dut kdig +norecurse +noall +answer +tcp "@$2" "$3" "$4"; }
delv_4() { in_ns tester delv -i "@${dut_addresses[0]}" "$3" "$4"; }
delv_6() { in_ns tester delv -i "@${dut_addresses[1]}" "$3" "$4"; }

lab_up --setup resolver
said=$scratch/said
cat >"$scratch/world.toml" <<'TOML'
latency = "0ms"
registry-latency = "0ms"
slow-latency = "0ms"
loss = "0%"
characters = ["lame 0%"]
TOML
count=2000
"$conformance" names --count $count >"$scratch/names"
"$bin/fakedns" --internet "$scratch/world.toml" --predict - <"$scratch/names" >"$scratch/predicted"
# A server by both families, and the records, of twenty names with records.
/usr/bin/python3 -IS - "$scratch/predicted" >"$scratch/hosts" <<'PYTHON'
import json
import sys

left = 20
for line in open(sys.argv[1], encoding="utf-8"):
    fate = json.loads(line)
    server = fate["zones"][-1]["servers"][0] if fate["zones"] else {}
    is_plain = fate["node"] in ("apex", "host") and fate["type"] in ("A", "AAAA", "MX", "NS")
    if left and is_plain and fate["records"] and "ipv6" in server and "*" not in fate["name"]:
        data = sorted(f"{record['type']} {record['data']}" for record in fate["records"])
        print(server["ipv4"], server["ipv6"], fate["name"].rstrip("."), fate["type"], "|".join(data), sep="\t")
        left -= 1
PYTHON

test_dnsperf "UDP, IPv4" "${roots[0]}"
test_dnsperf "UDP, IPv6, EDNS" "${roots[1]}" -e
test_dnsperf "TCP, IPv4" "${roots[0]}" -m tcp
test_dnsperf "TCP, IPv6, EDNS" "${roots[1]}" -m tcp -e

start_internet
agree "kdig, UDP, IPv4" kdig_udp4
agree "kdig, UDP, IPv6" kdig_udp6
agree "kdig, TCP, IPv4" kdig_tcp4
agree "kdig, TCP, IPv6" kdig_tcp6
"$bin/fakedns" --internet --root-hints >"$scratch/hints"
check "unbound answers" start_resolver unbound "$scratch/resolver" a --hints "$scratch/hints"
agree "delv, IPv4" delv_4
agree "delv, IPv6" delv_6
read -r _ _ name type _ <"$scratch/hosts"
for address in "${dut_addresses[@]}"; do
    in_ns tester delv -i "@$address" "$name" "$type" >"$said" 2>&1
    status=$?
    expect 0 "delv -i @$address: the answer is not validated" '^; answer not validated'
    in_ns tester delv -i "@$address" d1.no-such-tld A >"$said" 2>&1
    status=$?
    expect 0 "delv -i @$address: a name does not exist" '^; negative response, answer not validated'
    in_ns tester delv "@$address" "$name" "$type" >"$said" 2>&1
    status=$?
    expect 0 "delv @$address: by the real root's key nothing is valid" 'resolution failed: broken trust chain'
done
check "unbound stops" stop_server
finish
