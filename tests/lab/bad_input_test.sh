#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Bad input to dnsgauge trial: one line on stderr that says what is wrong, exit status 2, and
# nothing changed. Exit status 77: it cannot be tested here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
skip_unless_root

bin=${DNSGAUGE_BIN:-$lib_directory/../../build/bin}
good=(--interface g0 --server 198.18.0.2 --rate 100 --duration 0.1 --timeout 0.1 --names 10.0.0.0/24)

carries_program() { in_ns tester ip link show g0 | grep -q xdp; }

# refuse WHAT PATTERN [options]: after the good ones, of which they replace what they repeat.
refuse() {
    local what=$1 pattern=$2 status=0
    shift 2
    in_ns tester "${as_whom[@]}" "$bin/dnsgauge" trial "$@" >"$scratch/out" 2>"$scratch/refused" ||
        status=$?
    if [[ $status -eq 2 && $(wc -l <"$scratch/refused") -eq 1 && ! -s $scratch/out ]] &&
        grep -Eq "^dnsgauge: .*$pattern" "$scratch/refused"; then
        pass "$what: $(<"$scratch/refused")"
    else
        fail "$what: exit status $status, says: $(<"$scratch/refused")"
    fi
    [[ -n ${expect_program:-} ]] || ! carries_program || fail "$what: a program stayed attached"
}

# with OPTION VALUE: the good options, but this one's value another.
with() {
    options=()
    local i
    for ((i = 0; i < ${#good[@]}; i += 2)); do
        [[ ${good[i]} == "${1%%=*}" ]] || options+=("${good[i]}" "${good[i + 1]}")
    done
    options+=("$@")
}

refuse_with() { # WHAT PATTERN OPTION VALUE
    local what=$1 pattern=$2
    shift 2
    with "$@"
    refuse "$what" "$pattern" "${options[@]}"
}

lab_up
as_whom=()
in_ns tester "$bin/dnsgauge" trial "${good[@]}" >/dev/null 2>&1
check "the good options are good: exit status 1, nobody answers" test $? -eq 1

refuse "no options" "required"
refuse "an unknown option" "no-such" "${good[@]}" --no-such 1
refuse_with "an unknown interface" "no interface.*nowhere" --interface nowhere
in_ns tester ip link add downer type veth peer name upper
refuse_with "a down interface" "downer is down.*ip link set" --interface downer
in_ns tester ip link del downer
refuse_with "loopback" "Ethernet" --interface lo
refuse_with "a server that is this host" "this (very )?host" --server 198.18.0.1
refuse_with "no route" "route" --server 203.0.113.1
refuse_with "no neighbour" "198.18.0.77.*--server-mac" --server 198.18.0.77
refuse_with "no address" "address" --server nonsense
for rate in 0 -5 1.5 many 99999999999; do
    refuse_with "rate $rate" "--rate" "--rate=$rate"
done
for duration in 0 -1 long 1e9 nan; do
    refuse_with "duration $duration" "--duration" "--duration=$duration"
done
for timeout in 0 -1 soon 61; do
    refuse_with "timeout $timeout" "--timeout" "--timeout=$timeout"
done
for names in 10.0.0.0 10.0.0.0/33 10.0.0/8 nonsense/8; do
    refuse_with "names $names" "names|range|prefix" --names "$names"
done
refuse_with "host bits in a range" "10.0.0.0/8" --names 10.1.0.0/8
refuse_with "more queries than names" "allow-repeats" --names 10.0.0.0/30
refuse "a bad zone" "zone" "${good[@]}" --zone "a..b"
refuse "a bad prefix" "2001:db8::/95" "${good[@]}" --answer-prefix 2001:db8::/95
refuse "a bad type" "qtype" "${good[@]}" --qtype MX
for port in 0 65536 x; do
    refuse "port $port" "port" "${good[@]}" --port "$port"
    refuse "$port source ports" "source-ports" "${good[@]}" --source-ports "$port"
done
refuse "source ports beyond the last" "65535" "${good[@]}" --first-source-port 65000
refuse "accept 101" "accept" "${good[@]}" --accept 101
refuse "VLAN 4095" "vlan" "${good[@]}" --vlan 4095
refuse "a bad MAC address" "02:00.*Ethernet address" "${good[@]}" --server-mac 02:00
refuse "a CPU that is not there" "CPU 999" "${good[@]}" --cpus 999
refuse "a bad list of CPUs" "cpus" "${good[@]}" --cpus 0,,1
refuse "more senders than queues" "queue" "${good[@]}" --cpus 0,1
refuse "DO without EDNS" "edns-size" "${good[@]}" --dnssec-ok
refuse "an unwritable result" "json" "${good[@]}" --json /nowhere/result.json
refuse "a result that is a directory" "directory" "${good[@]}" --json /tmp
refuse "an unwritable per-query file" "per-query" "${good[@]}" --per-query /nowhere/queries.csv
refuse "zero-copy on veth" "zero-copy" "${good[@]}" --af-xdp zero-copy

as_whom=(setpriv --reuid 65534 --clear-groups)
refuse "no privilege" "root|CAP_" "${good[@]}"
as_whom=()

start_in tester "$bin/fakedns" --interface g0
for _ in {1..50}; do
    carries_program && break
    sleep 0.1
done
expect_program=yes
refuse "an interface that carries a program" "carries the XDP program.*fakedns" "${good[@]}"
finish
