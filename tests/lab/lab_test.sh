#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests tools/lab: what it makes, refuses, survives and leaves. Exit status 77: this test cannot run
# here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
skip_unless_root

other_name=$lab_name-other
lab() { "$lab_tool" --name "$lab_name" "$@"; }
other() { "$lab_tool" --name "$other_name" "$@"; }
has_namespace() { ip netns list | grep -qE "^$1( |$)"; }
nothing_of() {
    ! ip netns list | grep -q "^$1-" && [[ ! -e /run/dnsgauge/lab-$1 ]]
}

# refuse WHAT PATTERN CMD...: checks for exit status 2 and one line on stderr that fits.
refuse() {
    local what=$1 pattern=$2 status=0
    shift 2
    "$@" >/dev/null 2>"$scratch/refused" || status=$?
    if [[ $status -eq 2 && $(wc -l <"$scratch/refused") -eq 1 ]] &&
        grep -Eq "^tools/lab: .*$pattern" "$scratch/refused"; then
        pass "refuses $what"
    else
        fail "refuses $what: exit status $status, says: $(<"$scratch/refused")"
    fi
}

# Tries a connection to a closed port: if the peer refuses it, packets go both ways.
reaches() { # host address
    # shellcheck disable=SC2016
    in_ns "$1" timeout 3 bash -c 'exec 3<>"/dev/tcp/$1/9"' - "$2" 2>&1 | grep -q refused
}
neighbour_is_permanent() { in_ns "$1" ip neigh show "$2" | grep -q PERMANENT; }
gro_is_on() { in_ns "$1" ethtool -k "$2" | grep -q '^generic-receive-offload: on'; }
queues_are() { [[ $(in_ns "$1" find "/sys/class/net/$2/queues" -name '[rt]x-*' | wc -l) -eq $3 ]]; }
threads() { lab status | sed -n 's/^thread \(.*\): CPU .*/\1/p' | sort; }
threads_are_pinned() {
    local last
    last=$(sed 's/.*[,-]//' /sys/devices/system/cpu/online)
    [[ $(in_ns dut cat /sys/class/net/d0/threaded) == 1 && -n $(threads) ]] &&
        ! lab status | grep '^thread ' | grep -qv "CPU $last\$"
}

check_plain_lab() {
    local host address
    for address in 198.18.0.2 2001:2::2; do
        check "the Tester reaches $address" reaches tester $address
        check "its neighbour $address is permanent" neighbour_is_permanent tester $address
    done
    for address in 198.18.0.1 2001:2::1; do
        check "the DUT reaches $address" reaches dut $address
        check "its neighbour $address is permanent" neighbour_is_permanent dut $address
    done
    check "GRO is on at g0" gro_is_on tester g0
    check "GRO is on at d0" gro_is_on dut d0
    check "g0 has one queue each way" queues_are tester g0 2
    check "d0 has one queue each way" queues_are dut d0 2
    for host in tester dut; do
        check "no link-local address on the $host" \
            test -z "$(in_ns $host ip -6 address show scope link)"
    done
    if in_ns tester tc qdisc show dev g0 | grep -q 'pfifo.* limit 1000p'; then
        pass "g0 sends through a queue"
    else
        fail "g0 sends through a queue"
    fi
    check "the DUT's NAPI has threads, pinned" threads_are_pinned
}

check_settle() {
    local before pid
    before=$(threads)
    check "settle again" lab settle
    check "settle keeps the threads it has" test "$before" = "$(threads)"
    pid=$(pgrep -x "${before%%$'\n'*}")
    taskset -pc 0 "$pid" >/dev/null
    check "settle pins anew" eval 'lab settle && threads_are_pinned'
    in_ns dut ethtool -K d0 gro off
    refuse "to settle without NAPI" "GRO on or attach" lab settle
    in_ns dut ethtool -K d0 gro on
    check "settle finds new threads" eval 'lab settle && threads_are_pinned'
}

check_exec() {
    local status=0
    lab exec dut -- sh -c 'exit 37' || status=$?
    check "exec passes on the exit status" test $status -eq 37
    # shellcheck disable=SC2016
    check "exec --cpu keeps the command on that CPU" \
        lab exec --cpu 0 dut -- sh -c 'taskset -pc $$ | grep -q ": 0$"'
    status=0
    lab exec --cpu 99999 dut -- true 2>/dev/null || status=$?
    check "exec --cpu refuses a CPU that there is not" test $status -eq 2
    check "exec tester is in the Tester" lab exec tester -- test -e /sys/class/net/g0
    check "exec dut is in the DUT" lab exec dut -- test -e /sys/class/net/d0
    refuse "exec auth without an auth" "no auth" lab exec auth -- true
    refuse "exec without --" "use:" lab exec dut true
    refuse "exec in an unknown host" "use:" lab exec host -- true
}

check_wrong_input() {
    refuse "no verb" "what to do" lab
    refuse "an unknown verb" "unknown verb" lab upp
    refuse "an unknown option" "unknown option" lab up --third-link
    refuse "an argument too many" "unknown argument" lab down now
    refuse "an unknown set-up" "dns64-two, dns64-three or resolver" lab up --setup dns64-four
    refuse "no queues" "1 to 99" other up --queues 0
    refuse "queues without a number" "1 to 99" other up --queues
    refuse "a name with a slash" "name needs" "$lab_tool" --name ../x up
    refuse "a missing name" "name needs" "$lab_tool" --name
    refuse "exec in a lab that is down" "not up" other exec dut -- true
    refuse "settle of a lab that is down" "not up" other settle
    refuse "a caller who is not root" "root" setpriv --reuid 65534 --clear-groups \
        bash "$scratch/lab" status
}

check_second_lab() {
    check "a second lab comes up" other up --auth --setup dns64-two --queues 2
    local address
    for address in 198.18.1.2 2001:2:0:1::2; do
        check "its Tester reaches $address" eval "lab_name=$other_name; reaches tester $address"
        lab_name=${other_name%-other}
    done
    for address in 198.18.2.2 2001:2:0:2::2; do
        check "its AuthDNS reaches $address" eval "lab_name=$other_name; reaches auth $address"
        lab_name=${other_name%-other}
    done
    lab_name=$other_name
    check "its d0 has two queues each way" queues_are dut d0 4
    check "its NAPI threads are pinned" threads_are_pinned
    lab_name=${other_name%-other}
    refuse "other options while it is up" "other options" other up
    check "up again with the same options" other up --auth --second-link --queues 2
    check "the first lab's threads are its own still" threads_are_pinned
    check "the second goes down" other down
    check "nothing of it is left" nothing_of "$other_name"
    check "down again" other down
    check "the first is up still" eval 'lab status >/dev/null'
}

check_internet() {
    local address
    check "a lab for a resolver comes up" other up --setup resolver
    lab_name=$other_name
    for address in 198.18.128.1 198.18.255.254 2001:2:0:80::1 2001:2:0:80:ffff::1; do
        check "its DUT reaches the Internet's $address" reaches dut $address
        check "its Tester does not reach $address" eval "! reaches tester $address"
    done
    for address in 198.19.255.254 2001:2:0:c0::1; do
        check "the way to the client $address is by the Tester" \
            grep -q 'dev d0' <(in_ns dut ip route get $address)
    done
    lab_name=${other_name%-other}
    refuse "the lab without the Internet while it is up" "other options" other up --auth
    other down
}

check_processes_end() {
    local stubborn
    other up
    ip netns exec "$other_name-dut" sleep 1000 &
    local plain=$!
    ip netns exec "$other_name-dut" bash -c 'trap "" TERM; while sleep 1; do :; done' &
    stubborn=$!
    # shellcheck disable=SC2016
    ip netns exec "$other_name-dut" bash -c \
        'trap "ip link show d0 >$1; exit" TERM; while sleep 0.1; do :; done' - "$scratch/last_look" &
    local looking=$!
    sleep 0.5
    check "down with processes inside" other down
    wait $plain $stubborn $looking 2>/dev/null
    check "the DUT's interface was there while they ended" grep -q 'd0@' "$scratch/last_look"
    check "they have ended" eval "! kill -0 $plain 2>/dev/null && ! kill -0 $stubborn 2>/dev/null"
    check "nothing of the lab is left" nothing_of "$other_name"
}

check_foreign_namespace() {
    ip netns add "$other_name-dut"
    refuse "a namespace it did not make" "not of this lab" other up
    check "down beside it" other down
    check "it is there still" has_namespace "$other_name-dut"
    ip netns del "$other_name-dut"

    other up
    ip netns del "$other_name-dut"
    ip netns add "$other_name-dut"
    refuse "a namespace put in its own's place" "not of this lab" other up
    check "down beside that" other down
    check "that is there still" has_namespace "$other_name-dut"
    check "its own Tester is gone" eval "! has_namespace $other_name-tester"
    ip netns del "$other_name-dut"
}

check_lost_address() {
    other up
    ip -n "$other_name-dut" address del 2001:2::2/64 dev d0
    check "status names an address that is gone" \
        grep -q "damaged: $other_name-dut lacks d0 2001:2::2/64" <(other status)
    check "status fails then" eval '! other status >/dev/null'
    refuse "up without that address" "damaged .*lacks d0 2001:2::2/64" other up
    other down
}

# Ends "up" by a signal at moments that fall between its steps.
check_interruption() {
    local signal delay pid left=0 interrupted=0 status
    for signal in INT TERM KILL; do
        for delay in 0.02 0.04 0.06 0.08 0.11 0.15; do
            # A background job of a script ignores SIGINT unless it is told not to.
            env --default-signal=INT "$lab_tool" --name "$other_name" up >/dev/null 2>&1 &
            pid=$!
            sleep $delay
            kill -$signal $pid 2>/dev/null
            status=0
            wait $pid 2>/dev/null || status=$?
            ((status == 0)) || interrupted=$((interrupted + 1))
            if [[ $signal == KILL ]]; then
                other up >/dev/null && other status >/dev/null || left=1
                other down
            elif ((status != 0)); then
                nothing_of "$other_name" || left=1
            fi
            other down
        done
    done
    check "an up can be interrupted" test $interrupted -gt 0
    check "an interrupted up leaves nothing, a killed one is made anew" test $left -eq 0
    check "nothing is left after them" nothing_of "$other_name"
}

# A server that answers every question with an empty message, which suffices for waiting.
echo_server='
import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("198.18.0.2", 53))
while True:
    query, client = server.recvfrom(512)
    server.sendto(query[:2] + bytes([query[2] | 0x80]) + query[3:], client)
'

check_lib() {
    check "wait_for_dns fails without a server" eval '! wait_for_dns tester 198.18.0.2 53 a.test'
    start_in dut python3 -c "$echo_server"
    local pid=$STARTED_PID
    check "wait_for_dns sees a server start" wait_for_dns tester 198.18.0.2 53 a.test
    check "start_in gives the command's process ID" grep -q python "/proc/$pid/comm"
    stop_pid "$pid"
    check "stop_pid ends it" eval "! kill -0 $pid 2>/dev/null"
}

lab_up
check "up twice" lab up
check_plain_lab
check_settle
check_exec
# A copy that the other user can read, wherever the tree is.
cp "$lab_tool" "$scratch/lab"
check_wrong_input
check_second_lab
check_internet
check_processes_end
check_foreign_namespace
check_lost_address
check_interruption
check_lib
finish
