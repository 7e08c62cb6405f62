#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# A second sender on the DUT's side throws at the Tester what nobody asked for (hostile.py), beside a
# trial: of its own queries the Tester must lose none and mistake none, and of the rest count each
# packet as what it is. Exit status 77: cannot be run.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built

# Fewer queries than the Tester has slots: a reply that comes again always finds its query.
usual=(--duration 2 --timeout 1.5)
queries_sent=4000
queries_lost=0
last_cpu=$(($(nproc) - 1))

# What the DUT's end had no room for, and what the Tester's lost.
dropped() {
    {
        in_ns dut awk '$1 == "d0:" { print $13 }' /proc/net/dev
        in_ns tester ethtool -S g0 | awk '/rx_queue_[0-9]*_drops:/ { print $2 }'
    } | awk '{ sum += $1 } END { print sum }'
}

# beside_trial SERVER MODE [arguments of hostile.py]: the trial's exit status in $status, what the
# other one sent in $scratch/hostile.json; fails if the trial was over before that was.
beside_trial() {
    local server=$1 mode=$2 family=4 in_time=1 hostile sender
    [[ $server != *:* ]] || family=6
    shift 2
    sender=(taskset -c "$last_cpu" /usr/bin/python3 -B "$lib_directory/hostile.py" "$mode" d0 "$family" "$@")
    start_trial "$server" "${usual[@]}" "${tolerances[@]}"
    in_ns dut "${sender[@]}" >"$scratch/hostile.out" 2>&1
    hostile=$?
    tail -n 1 "$scratch/hostile.out" >"$scratch/hostile.json"
    kill -0 "$trial_pid" 2>/dev/null && in_time=0
    end_trial
    [[ $hostile -eq 0 ]] || fail "hostile.py: $(cat "$scratch/hostile.out")"
    return $in_time
}

# exact EXPRESSION: of Python, r being the result, h what was sent by how it must be counted; with
# that every query was sent, and got its answer, but for those that the server loses.
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

# A busy machine kept the server from answering for so long that answers may have been too late.
was_starved() {
    /usr/bin/python3 -IS -c 'import json, sys
sys.exit(json.load(open(sys.argv[1]))["rtt_ns"]["max"] < 1e9)' "$result"
}

# attack WHAT SERVER EXPRESSION MODE [arguments of hostile.py, RATE standing for a rate]: as fast as
# it goes; where the link itself had no room for all of it, or the server no CPU, once more and more
# slowly.
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
    # Of a busy machine this may be said, but nothing else.
    if [[ $status -eq 3 ]] && grep -Eq 'invalid: (a query was sent .* late|sending took .* longer)' "$said"; then
        echo "note: $what: $(grep invalid: "$said")"
    else
        check "$what: exit status $((queries_lost != 0)), not $status" \
            test "$status" -eq $((queries_lost != 0))
    fi
}

# With the Tester's usual tolerances, where what is thrown at it could slow it down.
test_flood() {
    tolerances=(--max-lateness 0.05 --max-overrun 0.05)
    start_fakedns
    attack "a flood, IPv4" $server4 'counted == sent' flood 1.5 RATE
    attack "a flood, IPv6" $server6 'counted == sent' flood 1.5 RATE
    stop_fakedns
    # What the Tester's kernel then drops is no excuse for a server.
    queries_lost=$((queries_sent / 10))
    start_fakedns --fault loss=10%
    attack "a flood beside a server that loses" $server6 'counted == sent' flood 1.5 RATE
    stop_fakedns
    queries_lost=0
}

# A server that answers by sockets: what it sends can be recorded.
test_replay() {
    tolerances=()
    start_fakedns --xdp-mode off
    attack "replies again, IPv4" $server4 'counted == sent and sent["duplicate"] > 1000' replay 1.5 \
        "$scratch/recorded4"
    attack "replies again, IPv6" $server6 'counted == sent and sent["duplicate"] > 1000' replay 1.5 \
        "$scratch/recorded6"
    # Of another trial, which may have had the same identities.
    attack "replies of an earlier trial" $server6 \
        'r["unexpected"] + r["duplicate"] == h["stale"] > 500' again "$scratch/recorded6"
    stop_fakedns
}

lab_up
lay_out
# Room for more than the Tester looks at.
for host in tester/g0 dut/d0; do
    ip -n "$lab_name-${host%/*}" link set "${host#*/}" mtu 3000 || fail "no MTU of 3000"
done
test_flood
test_replay
finish
