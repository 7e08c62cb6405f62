#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests dnsgauge doctor: it finds what is set wrongly on purpose, the command that it prints mends
# the setting, and it changes nothing itself. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

skip_unless_root
skip_unless_built
command -v bpftool >/dev/null || skip "no bpftool on this machine: see tools/install-packages"

role=() # as an option of the doctor

# doctor HOST INTERFACE [OPTION]...: runs the doctor, with its output in $said and its exit status
# in $status.
doctor() {
    local host=$1 interface=$2
    shift 2
    status=0
    in_ns "$host" "$bin/dnsgauge" doctor --interface "$interface" "${role[@]}" "$@" \
        >"$said" 2>"$said.err" || status=$?
}

# found SEVERITY TOPIC PATTERN: succeeds if the doctor's last output has that finding.
found() { grep -Eq "^$1 +$2 +.*$3" "$said"; }

# Prints the command below a topic.
command_of() {
    awk -v topic="$1" '
        $1 ~ /^(ok|note|warn|fail)$/ { here = $2 == topic }
        here && sub(/^ +(mend: |or:   )/, "") { print }' "$said"
}

# mend HOST INTERFACE TOPIC: runs the command that the doctor printed, and asks the doctor again.
mend() {
    local command
    command=$(command_of "$3")
    if [[ -z $command ]]; then
        fail "$3: there is a command that mends it"
    elif in_ns "$1" sh -c "$command" >"$scratch/mending" 2>&1; then
        pass "$3: $command"
    else
        fail "$3: '$command' fails: $(<"$scratch/mending")"
    fi
    doctor "$1" "$2"
}

# mended HOST INTERFACE TOPIC SEVERITY PATTERN: checks that the doctor has that finding, and that
# its command mends it.
mended() {
    doctor "$1" "$2"
    check "$3 on $2 is found: $5" found "$4" "$3" "$5"
    mend "$1" "$2" "$3"
    check "$3 on $2 is mended" found ok "$3" ''
}

test_good_lab() {
    doctor tester g0 --json "$scratch/doctor.json"
    check "nothing prevents a benchmark" test $status -eq 0
    check "nothing is said on stderr" test ! -s "$said.err"
    local topic
    for topic in link mtu xdp-program native-xdp af-xdp queues merging qdisc gro kernel \
        capabilities locked-memory bpf-jit system-calls; do
        check "the lab's $topic is right" found ok $topic ''
    done
    for topic in rings coalescing flow-control rss-udp4 rss-udp6 rss-table; do
        check "veth does not report $topic" found note $topic 'not reported by the driver'
    done
    check "the last line sums up" eval 'tail -n 1 "$said" | grep -q "^g0: 0 fail, "'
    check "the JSON says the same" /usr/bin/python3 - "$said" "$scratch/doctor.json" <<'PYTHON'
import json
import sys

lines = [line.split(None, 2) for line in open(sys.argv[1])]
lines = [line for line in lines if line[0] in ("ok", "note", "warn", "fail")]
result = json.load(open(sys.argv[2]))
assert result["schema"] == "dnsgauge/doctor/1"
assert result["interface"] == "g0" and result["driver"] == "veth"
assert [[f["severity"], f["topic"], f["seen"] + "\n"] for f in result["findings"]] == lines
for severity, count in result["counts"].items():
    assert count == sum(line[0] == severity for line in lines)
PYTHON
}

state_of() { # host interface
    in_ns "$1" sh -c "ip -d link show $2; ethtool -k $2; ethtool -l $2; tc qdisc show dev $2
        cat /sys/class/net/$2/threaded"
}

test_changes_nothing() {
    local before
    in_ns tester ethtool -K g0 gro off
    before=$(state_of tester g0)
    doctor tester g0
    check "the doctor changes nothing" test "$before" = "$(state_of tester g0)"
    in_ns tester ethtool -K g0 gro on
}

test_settings() {
    in_ns tester tc qdisc del dev g0 root
    mended tester g0 qdisc warn noqueue
    in_ns tester ethtool -K g0 gro off
    mended tester g0 gro warn off
    in_ns tester ip link set dev g0 mtu 9000
    mended tester g0 mtu warn 9000
    in_ns tester ip link set dev g0 mtu 1279
    mended tester g0 mtu warn 1279
    if (($(nproc) > 1)); then
        in_ns tester ethtool -L g0 rx 1 tx 1
        mended tester g0 queues warn '1 receive \(of 2\), 1 transmit \(of 2\)'
        in_ns tester ethtool -L g0 tx 1
        mended tester g0 queues warn '2 receive \(of 2\), 1 transmit \(of 2\)'
    fi
    doctor tester g0
    check "threads are off on the Tester's end" found note napi-threads 'off'
    mend tester g0 napi-threads
    check "threads can be switched on" found note napi-threads 'on'
    mend tester g0 napi-threads
    check "and off" found note napi-threads 'off'
}

test_link() {
    in_ns tester ip link set dev g0 down
    doctor dut d0
    check "a missing carrier is found" found fail link 'no carrier'
    check "with that no benchmark is possible" test $status -eq 1
    doctor tester g0
    check "exit status 1 while the link is down" test $status -eq 1
    mended tester g0 link fail down
    check "exit status 0 when it is up" test $status -eq 0
}

# start_fakedns MODE: starts fakedns on d0, with the number of its program in $id.
start_fakedns() {
    run_fakedns dut --interface d0 --xdp-mode "$1"
    id=$(ip -n "$lab_name-dut" -d link show d0 | sed -n 's/.*prog\/xdp id \([0-9]*\).*/\1/p')
    check "fakedns runs in $1 mode" test -n "$id"
}

# says_within SECONDS PATTERN: succeeds once the program that was started last says so.
says_within() {
    local turn
    for ((turn = 0; turn < 10 * $1; turn++)); do
        grep -Eq "$2" "$STARTED_LOG" && return 0
        sleep 0.1
    done
    return 1
}

test_programs() {
    local mode id
    for mode in native generic; do
        start_fakedns $mode
        doctor dut d0
        check "a note on fakedns' own program" found note xdp-program "fakedns.* answers by it"
        check "without a command that detaches it" test -z "$(command_of xdp-program)"
        check "exit status 0: fakedns' program is no failure" test $status -eq 0
        role=(--role dut)
        doctor dut d0
        check "a program belongs on the DUT" found ok xdp-program "fakedns.* is attached"
        check "exit status 0 on the DUT" test $status -eq 0
        role=(--role tester)
        doctor dut d0
        check "exit status 1 on a Tester while a program is attached" test $status -eq 1
        mended dut d0 xdp-program fail "fakedns.* is attached \(id $id, $mode, BPF link [0-9]+\)"
        check "exit status 0 when it is gone" test $status -eq 0
        check "fakedns says that its program is gone" says_within 3 \
            '^fakedns: somebody has detached the XDP program from d0: only sockets answer there'
        stop_pid "$STARTED_PID"
        check "once" test "$(grep -c detached "$STARTED_LOG")" -eq 1
        role=()
    done
    role=(--role tester)
    # No BPF link holds a program that netlink attached. The interface is not g0, which may have the same
    # number as d0.
    ip -n "$lab_name-tester" link add p0 type veth peer name p1
    start_fakedns native
    in_ns tester bpftool net attach xdp id "$id" dev p0
    mended tester p0 xdp-program fail "\(id $id, native\)"
    in_ns tester bpftool net attach xdpgeneric id "$id" dev p0
    mended tester p0 xdp-program fail "\(id $id, generic\)"
    doctor dut d0
    check "fakedns has kept its own" found fail xdp-program "id $id,"
    ip -n "$lab_name-tester" link del p0
    stop_pid "$STARTED_PID"
    role=()
}

# A caller without privileges learns which privileges it lacks, and still what is set wrongly.
test_unprivileged() {
    # The program is copied, because the user nobody may not be allowed into the folder of the
    # build.
    install -m 755 "$bin/dnsgauge" "$scratch/dnsgauge"
    status=0
    in_ns tester setpriv --bounding-set=-all --inh-caps=-all --reuid 65534 --regid 65534 \
        --clear-groups "$scratch/dnsgauge" doctor --interface g0 >"$said" 2>"$said.err" || status=$?
    check "exit status 1 without privileges" test $status -eq 1
    check "it says which are missing" found fail capabilities \
        'without CAP_NET_ADMIN, CAP_NET_RAW, CAP_BPF, CAP_PERFMON'
    check "it does not guess" found note af-xdp 'not known'
    check "it sees the rest" found ok gro on
}

# refuse WHAT PATTERN ARGUMENT...: checks for exit status 2, one line on stderr that fits, and no
# file.
refuse() {
    local what=$1 pattern=$2 wrong=''
    shift 2
    status=0
    in_ns tester "$bin/dnsgauge" doctor "$@" >"$said" 2>"$said.err" || status=$?
    [[ $status -eq 2 ]] || wrong+=" exit status $status;"
    [[ $(wc -l <"$said.err") -eq 1 ]] || wrong+=" not one line;"
    grep -Eq "^dnsgauge: .*$pattern" "$said.err" || wrong+=" not about '$pattern';"
    [[ ! -s $said ]] || wrong+=" something on stdout;"
    [[ -z $(ls -A "$scratch/made") ]] || wrong+=" a file was made;"
    if [[ -z $wrong ]]; then pass "$what: $(<"$said.err")"; else fail "$what:$wrong"; fi
    rm -f "$scratch/made"/*
}

test_bad_input() {
    mkdir "$scratch/made"
    local json=(--json "$scratch/made/doctor.json")
    refuse "no interface given" '--interface' "${json[@]}"
    refuse "unknown interface" 'no interface "nosuch0".*g0' --interface nosuch0 "${json[@]}"
    refuse "empty interface" '--interface has no value' --interface '' "${json[@]}"
    refuse "loopback" 'lo is not an Ethernet' --interface lo "${json[@]}"
    refuse "a file in no folder" 'cannot write --json' --interface g0 --json "$scratch/none/x"
    refuse "a file without a name" '--json has no value' --interface g0 --json ''
    refuse "unknown role" '--role' --interface g0 --role client
    refuse "unknown option" 'nonsense' --interface g0 --nonsense
}

lab_up --queues 2
said=$scratch/said
status=0
test_good_lab
test_changes_nothing
test_settings
test_link
test_programs
test_unprivileged
test_bad_input
finish
