#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# hostile_test.sh [SECONDS]: during a trial a second sender on the DUT's side throws packets at the Tester
# that nobody asked for (hostile.py), for so long. The Tester must lose and mistake none of its own queries,
# and must count each other packet as what it is. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built

seconds=${1:-1.5}
duration=$((${seconds%.*} + 1))
usual=(--duration $duration --timeout 1.5)
names=10.0.0.0/12
queries_sent=$((rate * duration))
queries_lost=0
prepare=: # before each trial
last_cpu=$(($(nproc) - 1))

# Prints the packets that the DUT's end had no room for, and those that the Tester's end lost.
dropped() {
    {
        in_ns dut awk '$1 == "d0:" { print $13 }' /proc/net/dev
        in_ns tester ethtool -S g0 | awk '/rx_queue_[0-9]*_drops:/ { print $2 }'
    } | awk '{ sum += $1 } END { print sum }'
}

# beside_trial SERVER MODE [arguments of hostile.py]: makes a trial beside hostile.py. The trial's
# exit status is in $status, and $scratch/hostile.json says what hostile.py sent. Fails if the trial
# ended before hostile.py did.
beside_trial() {
    local server=$1 mode=$2 family=4 in_time=1 hostile sender
    [[ $server != *:* ]] || family=6
    shift 2
    sender=(taskset -c "$last_cpu" /usr/bin/python3 -B "$lib_directory/hostile.py" "$mode" d0 "$family" "$@")
    $prepare
    start_trial "$server" "${usual[@]}" "${tolerances[@]}"
    in_ns dut "${sender[@]}" >"$scratch/hostile.out" 2>&1
    hostile=$?
    tail -n 1 "$scratch/hostile.out" >"$scratch/hostile.json"
    kill -0 "$trial_pid" 2>/dev/null && in_time=0
    end_trial
    [[ $hostile -eq 0 ]] || fail "hostile.py: $(cat "$scratch/hostile.out")"
    return $in_time
}

# exact EXPRESSION: checks the Python expression, where r is the result and h the packets sent, by
# the class that must count them. Also checks that every query was sent and got its answer, except
# for those that the server loses.
exact() {
    /usr/bin/python3 -IS - "$result" "$scratch/hostile.json" "$1" <<PYTHON
import collections, json, sys
with open(sys.argv[1]) as file:
    r = json.load(file)
with open(sys.argv[2]) as file:
    h = collections.Counter(json.load(file))
strays = ("duplicate", "unexpected", "wrong_source", "bad_checksum", "fragments")
counted = {name: r[name] for name in strays}
sent = {name: h[name] for name in strays}
print(f"sent {dict(h)}")
own = r["valid"] == r["rcodes"]["NOERROR"] == r["rtt_ns"]["count"] == $queries_sent - $queries_lost \
    and r["sent"] == $queries_sent and r["lost"] == $queries_lost \
    and r["late"] == r["invalid"]["total"] == 0
if not (own and eval(f"({sys.argv[3]})")):
    sys.exit(f"not so: {sys.argv[3]}: {counted}: sent {r['sent']}, valid {r['valid']}, late "
             f"{r['late']}, lost {r['lost']}, invalid {r['invalid']}, {r['own_losses']}")
PYTHON
}

# Tells whether a busy machine kept the server from answering for so long that answers may have been
# too late.
was_starved() {
    /usr/bin/python3 -IS -c 'import json, sys
sys.exit(json.load(open(sys.argv[1]))["rtt_ns"]["max"] < 1e9)' "$result"
}

# attack WHAT SERVER EXPRESSION MODE [arguments of hostile.py, RATE standing for a rate]: attacks as
# fast as possible, and again more slowly where the link had no room for all packets, or the server
# no CPU.
attack() {
    local what=$1 server=$2 expression=$3 pace before complete arguments
    shift 3
    for pace in 0 100000 50000 20000 10000; do
        arguments=("${@//RATE/$pace}")
        before=$(dropped)
        complete=
        beside_trial "$server" "${arguments[@]}" && complete=1
        [[ -z $complete || $(dropped) -ne $before ]] || was_starved || break
    done
    [[ -n $complete && $(dropped) -eq $before ]] || fail "$what: the link never had room for all"
    check "$what: exact" exact "$expression"
    # A busy machine may cause the first two reasons; test_noise looks at the third. The last is right wherever
    # queries were lost and the kernel dropped packets of the flood that it counts with replies.
    if [[ $status -eq 3 ]] && grep -Eq 'invalid: (a query was sent .* late|sending took .* longer|queries went to the Ethernet address)|lost; but g0 dropped .* it is unknown' "$said"; then
        echo "note: $what: $(grep invalid: "$said")"
    else
        check "$what: exit status $((queries_lost != 0)), not $status: $(grep -E 'verdict' "$said")" \
            test "$status" -eq $((queries_lost != 0))
    fi
}

# Uses the Tester's default tolerances, because the attack could slow the Tester down.
test_flood() {
    tolerances=(--max-lateness 0.05 --max-overrun 0.05)
    start_fakedns
    attack "a flood, IPv4" $server4 'counted == sent' flood "$seconds" RATE
    attack "a flood, IPv6" $server6 'counted == sent' flood "$seconds" RATE
    stop_fakedns
    # A server that loses never passes; where drops cannot be told apart, the trial is invalid.
    queries_lost=$((queries_sent / 10))
    start_fakedns --fault loss=10%
    attack "a flood beside a server that loses" $server6 'counted == sent' flood "$seconds" RATE
    stop_fakedns
    queries_lost=0
}

# Has the Tester's kernel know the server as it knows any host: it believes who says otherwise.
forget_neighbours() {
    local server
    for server in $server4 $server6; do
        ip -n "$lab_name-tester" neigh replace "$server" lladdr 02:00:c6:12:00:02 dev g0 nud reachable
    done
}

# Lies about the server's MAC address, about routes and the size of packets: they reach the Tester's kernel, and
# change neither a figure nor where queries go. Where the kernel believed them, the trial is invalid and says so.
test_noise() {
    local server
    tolerances=(--max-lateness 0.05 --max-overrun 0.05)
    prepare=forget_neighbours
    start_fakedns
    for server in $server4 $server6; do
        attack "lies about neighbours and routes, $server" $server \
            'counted == sent == {name: 0 for name in strays} and h["ignored"] > 1000
             and r["circumstances"]["next_hop_mac"] == "02:00:c6:12:00:02"' noise "$seconds" RATE
        if ip -n "$lab_name-tester" neigh show "$server" dev g0 | grep -q 'lladdr 02:00:c6:12:00:02'; then
            echo "note: $server: the kernel believed no lie"
        else
            check "$server: the trial is invalid, because the kernel believed a lie" \
                grep -q 'invalid: queries went to the Ethernet address 02:00:c6:12:00:02' "$said"
        fi
    done
    prepare=:
    for server in $server4 $server6; do
        ip -n "$lab_name-tester" neigh replace "$server" lladdr 02:00:c6:12:00:02 dev g0 nud permanent
    done
    stop_fakedns
}

# The server answers by sockets, so that its packets can be recorded.
test_replay() {
    tolerances=()
    start_fakedns --xdp-mode off
    attack "replies again, IPv4" $server4 'counted == sent and sent["duplicate"] > 1000' replay "$seconds" \
        "$scratch/recorded4"
    attack "replies again, IPv6" $server6 'counted == sent and sent["duplicate"] > 1000' replay "$seconds" \
        "$scratch/recorded6"
    # The replies are another trial's, which may have had the same identities.
    attack "replies of an earlier trial" $server6 \
        'r["unexpected"] + r["duplicate"] == h["stale"] > 500' again "$scratch/recorded6"
    stop_fakedns
}

lab_up
lay_out
# An MTU larger than the datagrams that the Tester reads.
for host in tester/g0 dut/d0; do
    ip -n "$lab_name-${host%/*}" link set "${host#*/}" mtu 3000 || fail "no MTU of 3000"
done
test_flood
test_noise
test_replay
finish
