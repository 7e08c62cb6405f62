#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# replay_peers_test.sh unbound|bind9|knot-resolver|pdns-recursor: dnsgauge replay, drool and dnsjit (the parts that
# Shotgun is made of) play one capture to a resolver that is started anew before each. By tcpdump's recordings on the
# resolver's side the response rates and the RCODEs' shares agree, and dnsgauge tells the same. Prints errors of the
# times side by side. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
# servers.sh reads these.
# shellcheck disable=SC2034
zone_tool=$bin/dnsgauge-zone dut_addresses=("$server4")
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
# shellcheck source-path=SCRIPTDIR source=root.sh
. "$lib_directory/root.sh"
give_server_a_cpu
PATH=$PATH:/usr/sbin
kind=${1:?which resolver: ${resolver_kinds[*]}}
clients=198.19.0.0/16
duration=6
skip_unless_root
skip_unless_built dnsgauge dnsgauge-queries dnsgauge-zone fakedns
skip_unless_installed "$kind"
for program in tcpdump knotd drool dnsjit; do
    command -v $program >/dev/null || skip "no $program on this machine: see tools/install-packages"
done
/usr/bin/python3 -c 'import scapy' 2>/dev/null || skip "no python3-scapy: see tools/install-packages"

play_dnsgauge() {
    in_ns tester "$dnsgauge" replay --interface g0 --server "$server4" --capture "$capture" --clients $clients \
        --cpus "$tester_cpu" --runs 1 --duration $duration --timeout 2 --beyond-selftest --max-lateness 60 --max-overrun 60 \
        --max-others 100 --journal "$scratch/journal" --json "$result"
}

# alone COMMAND...: runs the command on the Tester's CPU, where it comes before others, as dnsgauge's sender does.
alone() { nice -n -20 "$lab_tool" --name "$lab_name" exec --cpu "$tester_cpu" tester -- "$@"; }

play_drool() { alone drool replay --timing keep --no-responses --no-tcp "$capture" "$server4" 53; }

play_dnsjit() { alone dnsjit "$lib_directory/../bench/replay.lua" "$capture" "$server4" 53; }

lab_up --auth
lay_out
# Debian's drool reads no nanoseconds: the capture that all play has microseconds.
capture=$scratch/capture.pcap
ip -n "$lab_name-dut" route add $clients via 198.18.0.1
start_root 198.18.2.1
run_fakedns auth --interface a0 || no_fakedns fakedns
"$bin/dnsgauge-queries" make --rate 500 --duration $duration --clients 50 --nxdomain 10 --names 10.0.0.0/22 \
    --types A=60,AAAA=40 --server "$server4" --output "$scratch/made.pcap"
tcpdump -r "$scratch/made.pcap" -w "$capture" 2>"$scratch/said" || fail "tcpdump copies no capture: $(cat "$scratch/said")"

played=()
for player in dnsgauge drool dnsjit; do
    check "$kind starts for $player" start_resolver "$kind" "$scratch/resolver" a --hints "$root_hints" \
        --family 4 --workers 1
    start_tcpdump -i d0 -U --time-stamp-precision nano -B 16384 -w "$scratch/$player.pcap" \
        "host $server4 and udp port 53"
    if ! "play_$player" >"$said" 2>&1; then
        fail "$player does not play the capture: $(cat "$said")"
    fi
    end_tcpdump
    check "and $kind stops" stop_server
    rm -r "$scratch/resolver"
    played+=("$player=$scratch/$player.pcap")
done
if "$lib_directory/check_replay_peers.py" "$capture" "$server4" "$result" "${played[@]}" >"$scratch/compared" 2>&1; then
    pass "all players have the same response rate and RCODEs of $kind:"
else
    fail "the players differ, with $kind:"
fi
cat "$scratch/compared"
check "nothing is left at the end" no_program
finish
