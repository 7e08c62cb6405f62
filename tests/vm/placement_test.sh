#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Runs in the guest, which has 8 CPUs in two sockets, two memory nodes, and virtio-net interfaces with four queues:
# interrupts, queues and threads go where dnsgauge placement puts them, by the kernel's own counters, and back.
set -u
# shellcheck source-path=SCRIPTDIR source=../lab/trial_lib.sh
. "$(dirname "$0")/../lab/trial_lib.sh"
# shellcheck source-path=SCRIPTDIR source=two_interfaces.sh
. "$(dirname "$0")/two_interfaces.sh"
rate=300

placement() {
    status=0
    in_ns dut "$dnsgauge" placement "$@" --record "$scratch/record" >"$said" 2>&1 || status=$?
}

# Prints what the test changes.
state() {
    in_ns dut sh -c 'grep . /sys/class/net/d0/threaded /sys/class/net/d0/queues/*/[rx]ps_cpus
        grep . /proc/irq/*/smp_affinity_list; ethtool -l d0; ethtool -x d0'
    hashed
}

# Prints what the receive hash of d0 takes.
hashed() { in_ns dut sh -c 'ethtool -n d0 rx-flow-hash udp4; ethtool -n d0 rx-flow-hash udp6'; }

# Prints the number of d0's interrupt of that name: input.0, output.3.
interrupt() {
    local device
    device=$(in_ns dut sh -c 'basename $(realpath /sys/class/net/d0/device)')
    sed -n "s/^ *\([0-9]*\):.* $device-$1\$/\1/p" /proc/interrupts
}

# on CPU NAME...: does the kernel handle these interrupts on that CPU?
on() {
    local cpu=$1 name
    shift
    for name in "$@"; do
        [[ $(<"/proc/irq/$(interrupt "$name")/smp_affinity_list") == "$cpu" ]] || return 1
    done
}

look() {
    rm -f "$1"
    placement show --interface d0 --json "$1"
}

# grew CONDITION: looks at the machine before and after a trial; o and r are what was seen.
grew() {
    look "$scratch/before"
    trial $server4 --qtype A --cpus 0 --duration 2 >"$scratch/trial" 2>&1
    look "$scratch/after"
    python3 -I - "$scratch/before" "$scratch/after" "$1" <<'PYTHON'
import json, sys
o, r = (json.load(open(file)) for file in sys.argv[1:3])
cpus = {c["cpu"]: c["interrupts"] - b["interrupts"]
        for b, c in zip(o["handled"]["cpus"], r["handled"]["cpus"])}
queues = {q["queue"]: q["packets"] - b["packets"]
          for b, q in zip(o["handled"]["queues"], r["handled"]["queues"]) if q["packets"] is not None}
print("interrupts by CPU", {n: c for n, c in cpus.items() if c}, "packets by queue", queues)
if not eval(f"({sys.argv[3]})"):
    sys.exit(f"not so: {sys.argv[3]}")
PYTHON
}

test_topology() {
    look "$scratch/shown"
    cat "$said"
    check "two sockets of two cores of two threads, two nodes" python3 -I -c "
import json
cpus = json.load(open('$scratch/shown'))['topology']
assert len(cpus) == 8 and {c['socket'] for c in cpus} == {0, 1} and {c['node'] for c in cpus} == {0, 1}
assert len({c['core'] for c in cpus}) == 4, cpus"
}

test_one_cpu() {
    placement apply --interface d0 --irq-cpus 7
    expect 0 "all interrupts on CPU 7" 'smp_affinity_list: .* -> 7'
    check "the kernel says so" on 7 {input,output}.{0,1,2,3}
    # Each of the eight interrupts moves when it occurs the next time.
    check "CPU 7 handled them" grew "cpus[7] > 50 and all(n == 7 or c <= 16 for n, c in cpus.items())
        and sum(c for q, c in queues.items() if q.startswith('rx')) >= 600"
    placement restore
    expect 0 "put back" again
}

test_one_each() {
    local queue
    placement apply --interface d0 --irq-cpus 1,3,5,6 --rps-cpus 4-7 --xps-cpus 0,2,4,6
    expect 0 "an interrupt for each CPU, RPS, XPS" 'rps_cpus: 0* -> 0*f0'
    for queue in 0 1 2 3; do
        check "queue $queue" on $((queue < 3 ? 2 * queue + 1 : 6)) "input.$queue" "output.$queue"
    done
    check "RPS" in_ns dut grep -qx f0 /sys/class/net/d0/queues/rx-3/rps_cpus
    check "XPS" in_ns dut grep -qx 10 /sys/class/net/d0/queues/tx-2/xps_cpus
    check "these CPUs handled interrupts" grew "sum(cpus.values()) > 50 and
        all(n in (1, 3, 5, 6) or c <= 16 for n, c in cpus.items())"
    placement restore
    expect 0 "put back" again
}

test_channels_and_threads() {
    placement apply --interface d0 --channels 2 --napi-threads 2,6
    expect 0 "two queues, threads on CPUs 2 and 6" '^channels: d0: rx 0 tx 0 combined 4 -> .* combined 2'
    check "the card has two" in_ns dut sh -c 'ethtool -l d0 | tail -2 | grep -q "Combined:.*2"'
    check "threads are pinned" sh -c "grep -q 'napi/d0-.*: 0-7 -> 2' '$said' &&
        grep -q 'napi/d0-.*: 0-7 -> 6' '$said'"
    placement restore
    expect 0 "put back" again
}

# The driver has a hash once it is told what to take. The test does not judge the queues that packets go to: with
# addresses alone in the hash, QEMU's cards still gave each queue a quarter of the packets.
test_hash() {
    local before
    before=$(hashed)
    placement apply --interface d0 --rss-key symmetric --rss-fields sd
    expect 0 "a key and the addresses alone" '^rss-key: d0: .* -> 6d:5a:6d:5a:'
    check "the driver has the key" in_ns dut sh -c 'ethtool -x d0 | grep -q "^6d:5a:6d:5a:6d:5a:"'
    check "it takes no port" bash -c '! grep -q "L4 bytes" <<<"$1"' - "$(hashed)"
    placement restore
    expect 0 "put back" again
    check "what the hash takes" [ "$(hashed)" = "$before" ]
    placement apply --interface d0 --irq-cpus 1 --rss-key 6d:5a
    expect 2 "a key of another length" 'rss-key 6d:5a: d0 takes 40 octets'
    placement apply --interface d0 --irq-cpus 1 --rss-fields sx
    expect 2 "no letters of ethtool's" 'rss-fields sx: must be letters of ethtool -N'
}

# Only the machine's first network namespace has these limits.
test_buffers() {
    local before limits=(/proc/sys/net/core/{r,w}mem_{max,default})
    before=$(cat "${limits[@]}")
    status=0
    "$dnsgauge" placement apply --interface lo --rmem 16777216 --wmem 8388608 --record "$scratch/record" >"$said" 2>&1 ||
        status=$?
    expect 0 "memory of sockets" '^rmem: /proc/sys/net/core/rmem_default: [0-9]* -> 16777216$'
    check "the kernel has it" [ "$(echo $(cat "${limits[@]}"))" = "16777216 16777216 8388608 8388608" ]
    status=0
    "$dnsgauge" placement restore --record "$scratch/record" >"$said" 2>&1 || status=$?
    expect 0 "put back" '^rmem: .* again$'
    check "the kernel has what it had" [ "$(cat "${limits[@]}")" = "$before" ]
}

# The self-test tries the queues of the Tester's own interface, moves its interrupts, and puts them back each time. The
# second of g0's two queues is tried where its interrupts are nearer to the sender than the first one's, or farther.
test_own_side() {
    local status=0 before
    before=$(grep . /proc/irq/*/smp_affinity_list)
    result=$scratch/selftest.json
    in_ns tester env DNSGAUGE_STATE="$scratch/state" "$dnsgauge" selftest --placements --interface g0 \
        --server $server4 --cpus 0,5 --repeat 2 --min-rate 10 --max-rate 100 --duration 0.2 --timeout 8 --pause 0 \
        --confirm 3 --max-others 100 --max-lateness 60 --max-overrun 60 --json "$result" >"$said" 2>&1 ||
        status=$?
    expect 0 "a self-test for each placement" '^The receiving queues: the self-test found '
    check "interrupts were on the sender's CPU, on another of its core, its socket and the other one" told "
        sorted(p['settings'].get('irq-cpus') or 'as it is' for p in r['placements']['stages'][-1]['walked']
        if 'rss-fields' not in p['settings'])
        in (['0', '1', '2', '4', 'as it is'], ['0', '4', '5', '6', 'as it is'])"
    check "the hash took addresses alone" told "[p['settings'] for p in r['placements']['stages'][-1]['walked']
        if 'rss-fields' in p['settings']] == [{'rss-fields': 'sd'}]"
    check "the sender had both queues, or none was nearer" told "
        [s['part'] for s in r['placements']['stages']][1:-1] in ([], ['transmit queue']) and all(
        [p['sender_queue'] for p in s['walked']] == [None, 1] for s in r['placements']['stages'][1:-1])
        and (r['placements']['stages'][0]['walked'][r['placements']['stages'][0]['best'] - 1]['sender_cpu'] == 5
        or len(r['placements']['stages']) == 3)"
    check "where it had the first one alone, the reason is said" told "len(r['placements']['stages']) == 3
        or any(\"nearer to the sender, or farther, than queue 0's\" in w for w in r['placements']['not_walked'])"
    check "they are where they were" [ "$(grep . /proc/irq/*/smp_affinity_list)" = "$before" ]
}

# interrupted_walk BEFORE SIGNAL: ends a self-test that has moved interrupts.
interrupted_walk() {
    local before=$1 turn
    start_in tester env DNSGAUGE_STATE="$scratch/state" "$dnsgauge" selftest --placements --interface g0 \
        --server $server4 --cpus 0 --repeat 2 --min-rate 10 --max-rate 20 --duration 0.5 --timeout 8 --pause 0 \
        --confirm 3 --max-others 100 --max-lateness 60 --max-overrun 60
    for turn in {1..1200}; do
        sleep 0.1
        grep -q 'with --irq-cpus' "$STARTED_LOG" || continue
        [[ $(grep . /proc/irq/*/smp_affinity_list) == "$before" ]] || break
    done
    kill "-$2" "$STARTED_PID"
    status=0
    wait "$STARTED_PID" || status=$?
    cp "$STARTED_LOG" "$said"
}

# Whatever ends a walk, the interrupts go back: by the Tester, or by its record.
test_own_side_ends() {
    local before
    before=$(grep . /proc/irq/*/smp_affinity_list)
    interrupted_walk "$before" INT
    expect 3 "Ctrl-C ends a walk" '^dnsgauge: interrupted'
    check "which puts the interrupts back" [ "$(grep . /proc/irq/*/smp_affinity_list)" = "$before" ]
    interrupted_walk "$before" KILL
    check "kill -9 leaves them where the walk put them" [ "$(grep . /proc/irq/*/smp_affinity_list)" != "$before" ]
    status=0
    in_ns tester "$dnsgauge" placement restore >"$said" 2>&1 || status=$?
    expect 0 "restore puts them back" '^irq-cpus: .* again'
    check "all of them" [ "$(grep . /proc/irq/*/smp_affinity_list)" = "$before" ]
}

test_refusals() {
    echo 0 >/sys/devices/system/cpu/cpu5/online
    placement apply --interface d0 --irq-cpus 5
    expect 2 "a CPU that is off line" 'CPU 5 is off line: CPUs 0-4,6-7 are on line'
    echo 1 >/sys/devices/system/cpu/cpu5/online
    if ! in_ns dut test -e /proc/sys/net/core/rmem_max; then
        placement apply --interface d0 --rmem 16777216
        expect 2 "memory of sockets in a network namespace" 'only the machine.s first one has'
    fi
    placement apply --interface d0 --irq-cpus 8
    expect 2 "a CPU that does not exist" 'CPU 8 does not exist: this machine has 0-7'
    placement apply --interface d0 --irq-cpus 1 --channels 5
    expect 2 "more queues than there are" 'd0 has at most 4 queues'
}

uname -sr
scratch=$(mktemp -d)
said=$scratch/said
lay_out
lay_end tester g0 1
lay_end dut d0 2
in_ns dut ethtool -L d0 combined 4
start_fakedns --xdp-mode off
before=$(state)
test_topology
test_hash
test_buffers
test_own_side_ends
test_one_cpu
test_one_each
test_channels_and_threads
test_own_side
test_refusals
check "everything is as it was" [ "$(state)" = "$before" ]
stop_fakedns
finish
