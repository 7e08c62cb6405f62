#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests fakedns echo: every model returns each query as its own reply, over IPv4 and IPv6, with
# several processes and threads, pinning and sockets of their own, and counts exactly. Tests wrong
# input.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

queries=1600
longest=1400 # octets of a message: in one packet
ignored=32   # of echo_client.py

# start_echo ARGUMENT...: starts the echo and waits until the echo is ready; fails if the echo ends before.
start_echo() { run_fakedns dut echo --interface d0 "$@"; }

# stop_echo SIGNAL: ends the echo, and checks for exit status 0.
stop_echo() {
    local log=$STARTED_LOG pid=$STARTED_PID
    kill -"$1" "$pid" 2>/dev/null
    stop_pid "$pid" || return
    STARTED_LOG=$log
}

# counted ECHOED IGNORED: checks the total, and that the workers' lines add up to it.
counted() {
    awk -v echoed="$1" -v ignored="$2" '
        $1 ~ /^[0-9]+$/ { sum += $(NF - 2) }
        $1 == "total" { good = $2 == echoed && $3 == ignored && $4 == 0 && sum == echoed }
        END { exit !good }' "$STARTED_LOG"
}

workers() { awk '$1 ~ /^[0-9]+$/' "$STARTED_LOG" | wc -l; }
busy_workers() { awk '$1 ~ /^[0-9]+$/ && $(NF - 2) > 0' "$STARTED_LOG" | wc -l; }

# ask ADDRESS PORT: sends queries, and checks what comes back.
ask() {
    in_ns tester /usr/bin/python3 "$lib_directory/echo_client.py" "$1" "$2" $queries $longest
}

# test_echo WHAT WORKERS ARGUMENT...: tests an echo over both address families.
test_echo() {
    local what=$1 wanted=$2
    shift 2
    if ! start_echo "$@"; then
        fail "$what: $(cat "$STARTED_LOG")"
        return
    fi
    check "$what: all echoed, IPv4" ask 198.18.0.2 53
    check "$what: all echoed, IPv6" ask 2001:2::2 53
    check "$what: ends by itself" stop_echo TERM
    check "$what: exact counts" counted $((2 * queries)) $((2 * ignored))
    [[ $wanted == "" ]] || check "$what: $wanted workers" test "$(workers)" -eq "$wanted"
}

# refuse WHAT PATTERN ARGUMENT...: checks for exit status 2, or $wanted, and one line that fits.
refuse() {
    local what=$1 pattern=$2 said status=0
    shift 2
    said=$(in_ns dut timeout 10 "$bin/fakedns" "$@" 2>&1) || status=$?
    check "refused: $what" test "$status" -eq "${wanted:-2}" -a "$(wc -l <<<"$said")" -eq 1
    check "refused: $what: $said" grep -Eq "^fakedns: .*$pattern" <<<"$said"
}

skip_unless_root
lab_up

for model in blocking nonblocking poll select epoll libevent recvmmsg io_uring af_packet af_xdp; do
    test_echo "$model" 1 --io $model
done
test_echo "af_xdp, generic" 1 --io af_xdp --xdp-mode generic
test_echo "xdp" "" --io xdp
test_echo "xdp, generic" "" --io xdp --xdp-mode generic

last_cpu=$(($(nproc) - 1))
for model in blocking nonblocking poll select epoll libevent recvmmsg io_uring; do
    test_echo "$model, 2 x 2 on one socket" 4 --io $model --forks 2 --threads 2
    test_echo "$model, 2 x 2 with their own, pinned" 4 --io $model --forks 2 --threads 2 \
        --reuseport --cpus "0-$last_cpu"
    check "$model, 2 x 2: spread over sockets" test "$(busy_workers)" -ge 2
done

test_echo "af_packet, 2 x 2, pinned" 4 --io af_packet --forks 2 --threads 2 --cpus "0-$last_cpu"
check "af_packet, 2 x 2: spread over rings" test "$(busy_workers)" -ge 2

start_echo --io blocking --forks 2 --port 5300
check "another port" ask 198.18.0.2 5300
check "SIGINT" stop_echo INT
check "SIGINT: exact counts" counted $queries $ignored

start_echo --io poll --forks 2
children=$(pgrep -P "$STARTED_PID" | sort | head -n 1)
kill -KILL "$children"
pid=$STARTED_PID
wait "$pid"
check "a process that is killed ends all: exit status 2" test $? -eq 2
check "a process that is killed: is told" grep -q 'ended by itself' "$STARTED_LOG"

echo_on=(echo --interface d0)
refuse "no interface" interface echo
wanted=3 refuse "unknown interface" 'nosuch0' echo --interface nosuch0
refuse "unknown model" '--io fast: must be blocking, .* or xdp' "${echo_on[@]}" --io fast
refuse "threads of xdp" 'no workers' "${echo_on[@]}" --io xdp --threads 2
refuse "a queue that is not there" 'each receive queue' "${echo_on[@]}" --io af_xdp --threads 2
refuse "sockets of af_xdp" 'reuseport' "${echo_on[@]}" --io af_xdp --reuseport
refuse "sockets of af_packet" 'reuseport' "${echo_on[@]}" --io af_packet --reuseport
refuse "XDP mode of af_packet" 'xdp-mode' "${echo_on[@]}" --io af_packet --xdp-mode native
refuse "XDP mode of poll" 'xdp-mode' "${echo_on[@]}" --io poll --xdp-mode native
refuse "list of CPUs" 'no list of CPUs' "${echo_on[@]}" --cpus 2-1
refuse "a CPU that is not there" 'not run on CPU 1000' "${echo_on[@]}" --cpus 1000
refuse "no workers" 'forks' "${echo_on[@]}" --forks 0
refuse "an option of the server before it" '"echo" is not expected here' --zone a.test "${echo_on[@]}"
start_echo --io poll
refuse "the same port" 'port 53 on d0 is in use' "${echo_on[@]}" --io epoll
stop_echo TERM

finish
