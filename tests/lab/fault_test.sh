#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests that a trial of a misbehaving fakedns counts exactly what fakedns predicted: every class, both
# address families, over UDP and TCP, answers held by AF_XDP and by sockets. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built

# A late answer comes before the trial's end, which is 10 ms after the last timeout.
faults=loss=1%,delay=4%:exponential:1ms,late=1%:505ms,duplicate=3%,wrong-address=1.5%
faults+=,wrong-question=0.5%,wrong-id=0.7%,servfail=2%,truncated=0.8%,empty=1.2%,garbage=0.9%
faults+=,wrong-owner=0.6%,extra-record=1.1%,missing-record=0.4%,trailing-octets=1.3%,extended-rcode=0.3%
faults+=,not-authoritative=1.4%

# misbehaves WHAT SERVER NAMES RATE DURATION [options of fakedns]: checks a trial against the
# prediction. A machine that stalls may lose packets elsewhere, so a trial that differs is made once
# again. The trial also has the options of `over`.
over=()
misbehaves() {
    local what=$1 server=$2 names=$3 rate=$4 duration=$5 turn
    shift 5
    "$bin/fakedns" --fault "$faults" --predict "$names" >"$scratch/predicted" || fail "$what"
    for turn in 1 2; do
        start_fakedns --fault "$faults" "$@"
        trial "$server" --names "$names" --rate "$rate" --duration "$duration" --timeout 0.5 \
            "${over[@]}"
        stop_fakedns
        if "$lib_directory/check_predicted.py" "$scratch/predicted" "$result" "$STARTED_LOG"; then
            pass "$what"
            return
        fi
    done
    fail "$what: $(cat "$said")"
}

# padded SIZE [options of dig]: checks that dig gets an answer of that size.
padded() {
    local size=$1
    shift
    in_ns tester dig +tries=3 +time=1 "@$server4" 010-000-000-001.dns64perf.test A "$@" |
        grep -q "rcvd: $size\$"
}

refused() {
    local status=0
    in_ns dut "$bin/fakedns" --interface d0 "$@" >"$scratch/refused" 2>&1 || status=$?
    check "refused: $*" test "$status/$(wc -l <"$scratch/refused")" = 2/1
}

lab_up
lay_out
misbehaves "1,024 a second, IPv4" "$server4" 10.0.0.0/22 1024 1
misbehaves "1,024 a second, IPv6" "$server6" 10.0.0.0/22 1024 1
misbehaves "1,024 a second, by sockets" "$server4" 10.0.0.0/22 1024 1 --xdp-mode off
misbehaves "1,024 a second, generic XDP" "$server4" 10.0.0.0/22 1024 1 --xdp-mode generic
misbehaves "1,024 a second, padded" "$server6" 10.0.0.0/22 1024 1 --pad-to 512
over=(--transport tcp --connections 3)
misbehaves "1,024 a second, TCP, IPv4" "$server4" 10.0.0.0/22 1024 1
misbehaves "1,024 a second, TCP, IPv6" "$server6" 10.0.0.0/22 1024 1
over=()
misbehaves "20,480 a second, IPv4" "$server4" 10.1.0.0/16 20480 3.2
misbehaves "20,480 a second, IPv6" "$server6" 10.1.0.0/16 20480 3.2

start_fakedns --pad-to 1200 --xdp-mode off
check "padding, with EDNS" padded 1200 +bufsize=1232
check "padding, as far as the client takes it" padded 700 +bufsize=700
check "filler, without EDNS" padded 512 +noedns
check "no padding over TCP" padded 64 +noedns +tcp
stop_fakedns
start_fakedns --pad-to 1200
expect_trial 0 "padded answers are valid" "$all_valid" "$server4" --edns-size 1232
stop_fakedns

refused --fault loss=1
refused --fault loss=0.01%
refused --fault delay=1%
refused --fault loss=60%,empty=60%
refused --pad-to 1500
refused --pad-to 40
refused --fault-cpu 0
refused --fault-cpu 1000 --fault delay=1%:1ms
refused --predict 10.0.0.0/8
finish
