#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests dnsgauge placement: the kernel's own files show the applied values, also after the death of the process that
# applied them, and afterwards the old values. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"

skip_unless_root
skip_unless_built
mapfile -t cpus < <(/usr/bin/python3 -IS -c 'import os
print(*sorted(os.sched_getaffinity(0)), sep="\n")')
((${#cpus[@]} >= 2)) || skip "a placement needs two CPUs to choose from"
last=${cpus[-1]}

# placement ACTION [OPTION]...: runs the command on the DUT, with its output in $said.
placement() {
    status=0
    in_ns dut "$bin/dnsgauge" placement "$@" --record "$record" >"$said" 2>&1 || status=$?
}

# own_record HOST: prints the file of that host's record where --record names none.
own_record() {
    echo "/run/dnsgauge/placement-$(in_ns "$1" stat -Lc %i /proc/self/ns/net).json"
}

# Prints whatever the test changes.
state() {
    in_ns dut sh -c 'grep . /sys/class/net/d0/threaded /sys/class/net/d0/queues/*/[rx]ps_cpus'
    in_ns dut ethtool -l d0 | grep -A5 Current
}

# pinned CPU THREAD...: are all threads on that CPU?
pinned() {
    local cpu=$1 thread
    shift
    for thread in "$@"; do
        [[ $(taskset -cp "$(pgrep -x "$thread")") == *": $cpu" ]] || return 1
    done
    (($#))
}

# Prints the names of d0's NAPI threads: other labs have threads of an interface d0, too.
threads() { sed -n 's|^napi-threads: \(napi/d0-[0-9]*\): .*|\1|p' "$said"; }

shows() { # WHERE VALUE
    in_ns dut grep -qx "$2" "/sys/class/net/d0/$1"
}

# json CONDITION: checks what show finds, as r.
json() {
    result=$scratch/shown.json
    rm -f "$result"
    placement show --interface d0 --json "$result"
    keep_results "$result"
    told "$1"
}

test_apply_and_restore() {
    local before
    before=$(state)
    placement apply --interface d0 --rps-cpus "${cpus[0]},$last" --xps-cpus "$last,${cpus[0]}" \
        --napi-threads "$last"
    expect 0 "a placement is applied" '^napi-threads: /sys/class/net/d0/threaded: 0 -> 1$'
    check "RPS" shows queues/rx-1/rps_cpus "0*$(printf '%x' $((1 << cpus[0] | 1 << last)))"
    check "XPS" shows queues/tx-0/xps_cpus "0*$(printf '%x' $((1 << last)))"
    # shellcheck disable=SC2046
    check "NAPI threads are pinned" pinned "$last" $(threads)
    check "the record has the values before" json "len(r['record']['changes']) == 4 + 1 + 2 == len(
        set(c['where'] for c in r['record']['changes']))
        and all(c['before'] != c['after'] for c in r['record']['changes'])"
    placement apply --interface d0 --rps-cpus none
    expect 2 "a second one is refused" '^dnsgauge: settings of d0 are changed already, as .*restore$'
    check "and nothing changes" shows queues/rx-1/rps_cpus \
        "0*$(printf '%x' $((1 << cpus[0] | 1 << last)))"
    status=0
    "$bin/dnsgauge" placement restore --record "$record" >"$said" 2>&1 || status=$?
    expect 2 "not from another network namespace" 'belongs to d0 in network namespace'
    check "it says what it puts back from there, too" grep -q '^napi-threads: napi/d0-.* again$' "$said"
    placement restore
    expect 0 "what was before is put back" 'threaded: 0 again'
    check "nobody else had changed it" bash -c "! grep somebody '$said'"
    check "all of it" [ "$(state)" = "$before" ]
    check "the record is gone" [ ! -e "$record" ]
    placement restore
    expect 0 "a second time there is nothing to do" "^nothing to put back: $record has no change\$"
}

# The queues that got packets are seen in the kernel's counters.
test_handled() {
    local before
    before=$(state)
    placement apply --interface d0 --napi-threads "$last"
    expect 0 "threads receive"
    json True && cp "$scratch/shown.json" "$scratch/earlier.json"
    trial --json "$scratch/trial.json"
    check "the queues handled the queries" json "(lambda old: sum(
        q['packets'] - o['packets'] for q, o in zip(r['handled']['queues'], old['handled']['queues'])
        if q['queue'].startswith('rx-') and q['packets'] is not None) >= 1000)(
        json.load(open('$scratch/earlier.json')))"
    placement restore
    check "put back" [ "$(state)" = "$before" ]
    result=$scratch/trial.json
    keep_results "$result"
    check "the trial counted the replies by queue, on its side" told "sum(
        q['packets'] for q in r['placement']['handled']['queues'] if q['queue'].startswith('rx-')) >= r['sent']"
    check "and by CPU" told "sum(c['net_rx'] for c in r['placement']['handled']['cpus']) > 0 and {
        c['cpu'] for c in r['placement']['topology']} >= {${cpus[0]}, $last}"
}

# trial [OPTION]...: a trial of fakedns, which needs no quiet machine.
trial() {
    in_ns tester env DNSGAUGE_STATE="${state-$scratch/state}" "$bin/dnsgauge" trial --interface g0 \
        --server 198.18.0.2 --names 10.0.0.0/16 --rate 1000 --duration 1 --timeout 1 --qtype A \
        --max-others 100 --max-lateness 60 --max-overrun 100 --allow-repeats "$@" >"$said" 2>&1
}

# The self-test tries both CPUs for the sender; a trial then uses the better one, and doctor names it.
test_own_side() {
    result=$scratch/selftest.json
    status=0
    in_ns tester env DNSGAUGE_STATE="$scratch/state" "$bin/dnsgauge" selftest --placements \
        --interface g0 --server 198.18.0.2 --cpus "${cpus[0]},$last" --repeat 2 --min-rate 10 --max-rate 1000 \
        --duration 0.1 --timeout 2 --pause 0 --confirm 9 --max-others 100 --max-lateness 60 \
        --max-overrun 60 --json "$result" >"$said" 2>&1 || status=$?
    expect 0 "a self-test for each placement" '^The sender: the self-test found '
    keep_results "$result" "$scratch"/state/*
    check "each placement has its searches" told "[sorted(p['sender_cpu'] for p in s['walked'])
        for s in r['placements']['stages']] == [[${cpus[0]}, $last]] and all(
        len(p['rates']) == 2 for p in r['placements']['stages'][0]['walked'])"
    check "what cannot be placed on veth is said" told "any('has no interrupts of its own' in w
        for w in r['placements']['not_walked']) and any('rss-fields' in w for w in r['placements']['not_walked'])"
    check "the record belongs to the best CPU" cmp "$result" "$scratch"/state/selftest-g0-*.json
    check "and vouches for it alone" told "r['setup']['sender_cpus'] == [r['placements']['sender_cpu']]
        == r['circumstances']['sender_cpus']"
    check "each search is announced" grep -q "^dnsgauge: round 2 of 2: sender on CPU $last\$" "$said"
    check "nothing stays changed" [ ! -e "$(own_record tester)" ]
    sed -i 's/"found": "found [^"]*"/"found": "found this one best: by hand"/' "$scratch"/state/selftest-g0-*.json
    best=$(/usr/bin/python3 -IS -c 'import json, sys
print(json.load(open(sys.argv[1]))["placements"]["sender_cpu"])' "$result")
    trial --json "$scratch/trial.json"
    result=$scratch/trial.json
    check "a trial uses the best CPU unless it is busy, and says why" told "'best: by hand' in
        r['circumstances']['sender_cpus_why'] and (r['circumstances']['sender_cpus'] == [$best]
        or 'CPU $best was busy' in r['circumstances']['sender_cpus_why'])"
    check "in its text too" grep -q '^  sender  .*best: by hand' "$said"
    trial --sender-queues 0 --json "$scratch/trial.json"
    check "so does a trial that names its transmit queue" told "'best: by hand' in r['circumstances']['sender_cpus_why']"
    status=0
    in_ns tester env DNSGAUGE_STATE="$scratch/state" "$bin/dnsgauge" doctor --interface g0 --role tester \
        >"$said" 2>&1 || status=$?
    check "doctor names it" grep -q 'best: by hand' "$said"
}

# veth has no interrupts, so that no walk tries its queues: this record of a walk is written by hand, beside a
# self-test of the second queue.
write_found_queue() {
    status=0
    in_ns tester env DNSGAUGE_STATE="$scratch/found" "$bin/dnsgauge" selftest --interface g0 --server 198.18.0.2 \
        --cpus "$best" --sender-queues 1 --rate 100 --duration 0.5 --timeout 2 --pause 0 --confirm 9 --max-others 100 \
        --max-lateness 60 --max-overrun 60 >"$said" 2>&1 || status=$?
    expect 0 "a self-test of the second queue" 'verdict .*100'
    /usr/bin/python3 -I - "$1" "$scratch"/found/selftest-g0-*.json "$last" <<'PYTHON'
import json, sys
walk = json.load(open(sys.argv[1]))["placements"]
record = json.load(open(sys.argv[2]))
walked = dict(walk["stages"][0]["walked"][0], sender_cpu=walk["sender_cpu"], sender_queue=1)
walk["stages"].append({"part": "transmit queue", "walked": [walked], "best": 1, "gain_percent": 9,
                       "found": "found queue 1 best: by hand"})
walk["sender_queue"] = 1
walk["settings"] = {"rps-cpus": sys.argv[3]}
walk["stages"].append({"part": "receiving queues", "walked": [dict(walked, settings=walk["settings"])], "best": 1,
                       "gain_percent": 5, "found": "found RPS best: by hand"})
record["placements"] = walk
json.dump(record, open(sys.argv[2], "w"))
PYTHON
}

# search_low [OPTION]...: a search of a rate that the self-test covers.
search_low() {
    status=0
    in_ns tester env DNSGAUGE_STATE="$scratch/found" "$bin/dnsgauge" search --interface g0 --server 198.18.0.2 \
        --names 10.0.0.0/16 --min-rate 50 --max-rate 100 --resolution 50 --repeat 1 --duration 0.5 --timeout 2 --pause 0 \
        --max-others 100 --max-lateness 60 --max-overrun 60 --allow-repeats --invalid-retries 9 \
        --journal "$(mktemp -u "$scratch/journal.XXXXXX")" "$@" >"$said" 2>&1 || status=$?
}

# doctor_on_placement: what doctor says of the Tester, as the result.
doctor_on_placement() {
    result=$scratch/doctor.json
    rm -f "$result"
    in_ns tester env DNSGAUGE_STATE="$scratch/found" "$bin/dnsgauge" doctor --interface g0 --role tester --json "$result" \
        >"$said" 2>&1
    keep_results "$result"
}

# What a walk found is used where no option says otherwise, and on that set-up alone. The best CPU may be busy.
test_found_queue() {
    local state=$scratch/found walk
    walk=$(echo "$scratch"/state/selftest-g0-*.json)
    write_found_queue "$walk"
    result=$scratch/trial.json
    found_trial() {
        trial "$@" --json "$result"
        keep_results "$result"
    }
    found_trial
    check "a trial takes the best queue with the best CPU, and says why" told "
        'best: by hand' in r['circumstances']['sender_cpus_why'] and (
        [l['queue'] for l in r['sending']['lanes']] == [1] and
        r['circumstances']['sender_cpus_why'].endswith('; it found queue 1 best: by hand')
        or 'CPU $best was busy' in r['circumstances']['sender_cpus_why'])"
    found_trial --sender-queues 0
    check "--sender-queues wins" told "[l['queue'] for l in r['sending']['lanes']] == [0]
        and 'queue 1' not in r['circumstances']['sender_cpus_why']"
    found_trial --cpus "$best"
    check "so does --cpus" told "[l['queue'] for l in r['sending']['lanes']] == [0]
        and r['circumstances']['sender_cpus_why'] == ''"
    found_trial --source-ports 2000
    check "on another set-up nothing is known" told "[l['queue'] for l in r['sending']['lanes']] == [0]
        and 'by hand' not in r['circumstances']['sender_cpus_why']"
    search_low
    check "a search is covered by the self-test of that queue, unless the CPU is busy" grep -Eq "^ *sender's CPU: .*; it found queue 1 best: by hand|give --cpus $best --sender-queues 1" "$said"
    search_low --cpus "$best"
    expect 2 "no self-test covers the usual queue" 'no self-test on this set-up'
    doctor_on_placement
    check "doctor says which setting the machine has not, and what sets it" told "[(f['severity'], f['command'],
        f['seen'].endswith('with that it found RPS best: by hand; now rps-cpus of '
        '/sys/class/net/g0/queues/rx-0/rps_cpus is 0')) for f in r['findings'] if f['topic'] == 'placement']
        == [('note', 'dnsgauge placement apply --interface g0 --rps-cpus $last', True)]"
    in_ns tester "$bin/dnsgauge" placement apply --interface g0 --rps-cpus "$last" >"$said" 2>&1
    doctor_on_placement
    in_ns tester "$bin/dnsgauge" placement restore >"$said" 2>&1
    check "or that it has it" told "[(f['severity'], f['command'], f['seen'].endswith('RPS best: by hand'))
        for f in r['findings'] if f['topic'] == 'placement'] == [('ok', None, True)]"
    check "doctor names it, and says that trials take it" told "[('with that CPU it found queue 1 best: by hand' in f['seen'],
        'from that CPU and by that transmit queue' in f['why']) for f in r['findings']
        if f['topic'] == 'placement'] == [(True, True)]"
}

# A walk tries queues by itself, so that trials which name none find what it found.
test_queues_of_walk() {
    local queues
    for queues in 0 0,1; do
        status=0
        in_ns tester "$bin/dnsgauge" selftest --placements --interface g0 --server 198.18.0.2 --cpus "${cpus[0]},$last" \
            --max-rate 1000 --sender-queues $queues >"$said" 2>&1 || status=$?
        expect 2 "a walk with transmit queues $queues" 'tries transmit queues by itself.*leave --sender-queues out'
    done
}

# Queues that go away come back with their CPUs. An XDP program on veth wants all queues of its peer.
test_channels() {
    local before
    in_ns dut sh -c "printf '%x' $((1 << last)) >/sys/class/net/d0/queues/rx-1/rps_cpus"
    before=$(state)
    placement apply --interface d0 --channels 1
    expect 0 "one queue" '^channels: d0: '
    check "the other one is gone" in_ns dut test ! -e /sys/class/net/d0/queues/rx-1
    placement restore
    expect 0 "both queues are back" 'rx-1/rps_cpus: 0*[0-9a-f]* again'
    check "with their CPUs" [ "$(state)" = "$before" ]
    in_ns dut sh -c 'echo 0 >/sys/class/net/d0/queues/rx-1/rps_cpus'
}

# A record on the disk, and changes that were made in part: what kill -9 leaves.
test_killed() {
    local before
    before=$(state)
    in_ns dut sh -c "\"\$@\" & wait \$!; kill -9 \$\$" sh "$bin/dnsgauge" placement apply --interface d0 \
        --rps-cpus "$last" --record "$record" >"$said" 2>&1
    check "its caller is killed" shows queues/rx-0/rps_cpus "0*$(printf '%x' $((1 << last)))"
    in_ns dut sh -c 'echo 0 >/sys/class/net/d0/queues/rx-1/rps_cpus'
    placement restore
    expect 0 "what was changed in part is put back" 'rx-0/rps_cpus: 0* again'
    check "all of it" [ "$(state)" = "$before" ]
}

# A process of that name in a PID namespace of its own, so that nobody else sees it.
test_irqbalance() {
    cp "$(command -v sleep)" "$scratch/irqbalance"
    cat >"$scratch/inside" <<'SCRIPT'
"$scratch/irqbalance" 60 & process=$!
sleep 0.2
"$bin/dnsgauge" placement apply --interface d0 --irqbalance stop --record "$record"
# A process that waits for a CPU stops when it gets one.
for turn in {1..50}; do
    grep '^State:.T' /proc/$process/status && break
    sleep 0.1
done
"$bin/dnsgauge" placement restore --record "$record"
grep ^State /proc/$process/status
kill $process
SCRIPT
    status=0
    scratch=$scratch bin=$bin record=$record in_ns dut unshare --pid --mount-proc --fork \
        bash "$scratch/inside" >"$said" 2>&1 || status=$?
    expect 0 "irqbalance is stopped" '^State:.T'
    check "and goes on" grep -q '^State:.[SR]' "$said"
}

test_refusals() {
    local before
    before=$(state)
    placement apply --interface d0 --rps-cpus 1023
    expect 2 "a CPU that does not exist" 'CPU 1023 does not exist: this machine has'
    placement apply --interface d0 --rps-cpus "$last" --irq-cpus "$last"
    expect 2 "interrupts of veth" 'd0 has no interrupts of its own'
    placement apply --interface d0 --rps-cpus "$last" --channels 9
    expect 2 "queues that the card lacks" 'channels 9: d0 has at most 2 queues'
    placement apply --interface d0 --rss-key symmetric
    expect 2 "a driver without a hash" 'd0 has no key of a receive hash'
    placement apply --interface nowhere --rps-cpus "$last"
    expect 2 "no interface" 'no interface "nowhere".*which has .*d0'
    placement apply --rps-cpus "$last"
    expect 2 "no --interface" '--interface is required for apply'
    placement apply --interface d0
    expect 2 "nothing to apply" 'nothing to apply'
    placement apply --interface d0 --rps-cpus "$last" --rmem 16777216
    expect 2 "memory of sockets in a network namespace" 'only the machine.s first one has$'
    status=0
    in_ns dut setpriv --reuid 65534 --clear-groups --inh-caps=-all "$bin/dnsgauge" placement apply \
        --interface d0 --rps-cpus "$last" --record "$scratch/mine" >"$said" 2>&1 || status=$?
    expect 2 "no permission" 'Permission denied: run as root$'
    check "nothing is changed" [ "$(state)" = "$before" ]
    check "nor recorded" [ ! -e "$record" ]
}

# Another interface may have the name that a record has.
test_gone_interface() {
    local before
    placement apply --interface d0 --rps-cpus "$last"
    sed -i 's/"interface_index": [0-9]*/"interface_index": 999999/' "$record"
    before=$(state)
    placement restore
    expect 0 "another interface of that name" 'rps_cpus is gone, and with it the change'
    check "stays as it is" [ "$(state)" = "$before" ]
    in_ns dut sh -c 'for file in /sys/class/net/d0/queues/rx-*/rps_cpus; do echo 0 >$file; done'
    placement apply --interface d0 --rps-cpus "$last"
    chmod o+w "$record"
    placement restore
    expect 2 "a record that others may write" 'others may write it'
    chmod o-w "$record"
    placement restore
    expect 0 "put back"
}

# Two cells for fakedns, which runs already: the machine as it is, and with RPS.
write_experiment() {
    cat >"$scratch/on-dut" <<SCRIPT
#!/bin/sh
[ "\$1" = restore ] && [ -e "$scratch/refuse" ] && exit 5
exec "$lab_tool" --name $lab_name exec dut -- "$bin/dnsgauge" placement "\$@"
SCRIPT
    chmod +x "$scratch/on-dut"
    cat >"$scratch/experiment.toml" <<TOML
title = "RPS"
scaled-down = "everything"
[search]
interface = "g0"
address = "198.18.0.2"
names = "10.0.0.0/16"
qtype = "A"
timeout = 1
duration = 0.5
beyond-selftest = true
min-rate = 200
max-rate = 600
resolution = 200
repeat = 1
pause = 0
max-lateness = 60
max-overrun = 60
max-others = 100
[dut]
cpu-list = [${cpus[0]}, $last]
[placement]
interface = "d0"
command = ["$scratch/on-dut"]
[matrix]
rps-cpus = ["as-is", "$last"]
server-cpus = "pairs"
[table]
columns = ["rps-cpus"]
statistics = ["mean", "min", "max"]
TOML
}

experiment() {
    status=0
    in_ns tester "$bin/dnsgauge" experiment "$scratch/experiment.toml" "$@" >"$said" 2>&1 || status=$?
}

# experiment_json CONDITION: checks the experiment's result, as r.
experiment_json() {
    result=$scratch/results/experiment.json
    keep_results "$result"
    told "$1"
}

# Waits until the second cell's placement is made.
second_cell() {
    local turn
    for turn in {1..300}; do
        shows queues/rx-0/rps_cpus "0*$(printf '%x' $((1 << last)))" && return
        sleep 0.05
    done
    return 1
}

# Ctrl-C reaches the experiment and whatever it runs, all of them in one group of processes.
test_experiment_interrupted() {
    local before status=0
    before=$(state)
    start_in tester setsid "$bin/dnsgauge" experiment "$scratch/experiment.toml" --directory "$scratch/interrupted"
    check "the second cell is placed" second_cell
    kill -INT -- "-$STARTED_PID"
    wait "$STARTED_PID" || status=$?
    check "Ctrl-C ends it with status 3" [ "$status" = 3 ]
    check "what was before is put back" [ "$(state)" = "$before" ]
    check "nothing stays recorded" [ ! -e "$(own_record dut)" ]
}

test_experiment() {
    local before
    before=$(state)
    write_experiment
    experiment --plan
    expect 0 "the plan shows the placement" "on-dut apply --interface d0 --rps-cpus $last\$"
    start_in tester "$bin/dnsgauge" experiment "$scratch/experiment.toml" --directory "$scratch/results"
    second_cell
    kill -9 "$STARTED_PID" && stop_pid "$STARTED_PID"
    check "killed, it leaves the second cell's placement" [ "$(state)" != "$before" ]
    experiment --directory "$scratch/results" --resume
    expect 0 "it goes on" '^Minimum \(qps\)'
    check "what was before is put back" [ "$(state)" = "$before" ]
    check "each cell says what queues and CPUs handled" experiment_json "len(r['cells']) == 2 and all(
        sum(q['packets'] or 0 for q in c['placement']['handled']['queues']) > 0
        and len(c['placement']['handled']['cpus']) >= 2 for c in r['cells'])
        and len(r['server_topology']) >= 2
        and not any('stay as placed' in n for c in r['cells'] for n in c['placement']['notes'])"
    in_ns dut "$bin/dnsgauge" placement apply --interface d0 --rps-cpus "$last" >"$said" 2>&1
    touch "$scratch/refuse"
    experiment --directory "$scratch/results" --resume
    expect 2 "a machine that is not put back is an error" 'is not put back: .*on-dut restore" failed'
    rm "$scratch/refuse"
    experiment --directory "$scratch/results" --resume
    expect 0 "an experiment without trials to make" '^Minimum'
    check "puts the machine back" [ "$(state)" = "$before" ]
}

lab_up --queues 2
said=$scratch/said
record=$scratch/record.json
test_channels
run_fakedns dut --interface d0 --xdp-mode native || fail "fakedns does not start"
in_ns dut sh -c 'echo 0 >/sys/class/net/d0/threaded'
test_apply_and_restore
test_handled
test_own_side
test_found_queue
test_queues_of_walk
test_killed
test_irqbalance
test_refusals
test_gone_interface
test_experiment
test_experiment_interrupted
finish
