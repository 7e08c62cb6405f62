#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Runs in the guest: trials between two interfaces whose driver, igb or virtio_net, has zero-copy AF_XDP, with
# two queues. The guest is slow: what counts is that each query leaves, that each reply is counted once, and
# that nothing of the driver's is taken for a loss. Times are an emulator's, and are shown as such.
set -u
# shellcheck source-path=SCRIPTDIR source=../lab/trial_lib.sh
. "$(dirname "$0")/../lab/trial_lib.sh"
# shellcheck source-path=SCRIPTDIR source=two_interfaces.sh
. "$(dirname "$0")/two_interfaces.sh"
rate=500
stalled+='|the kernel did not send'

# start_server [echo] [options]: starts fakedns, and waits for its link, which igb resets.
start_server() {
    start_fakedns "$@"
    has_carrier dut d0
}

# has_carrier HOST INTERFACE: waits until the link is up.
has_carrier() {
    for _ in {1..50}; do
        [[ $(in_ns "$1" cat "/sys/class/net/$2/carrier" 2>/dev/null) != 1 ]] || return 0
        sleep 0.1
    done
    fail "$2 has no carrier"
}

# sent_by MODE QUEUES: holds of a trial that sent by this AF_XDP mode, and to which nothing of its own was lost.
sent_by() {
    echo "r['circumstances']['af_xdp_mode'] == '$1' and r['circumstances']['xdp_mode'] == 'native'
        and r['circumstances']['driver'] == '$driver' and r['circumstances']['queues'] == $2
        and r['own_losses']['interface'] == {} and r['circumstances']['link_wait_ns'] > 0"
}

# Each trial finds the link as the last one left it: igb resets its link whenever a program comes or goes.
test_trials() {
    local server mode
    for mode in native generic; do
        start_server --xdp-mode "$mode"
        for server in $server4 $server6; do
            expect_trial 0 "$server: zero-copy, fakedns $mode" "$all_valid and $(sent_by zero-copy 1)" \
                "$server" --af-xdp zero-copy
            expect_trial 0 "$server: copy, fakedns $mode" "$all_valid and $(sent_by copy 1)" "$server" \
                --af-xdp copy
        done
        show_times '^  (through|link|RTT)'
        stop_fakedns
    done
}

# show_times PATTERN: shows lines of what the last command said.
show_times() { grep -E "$1" "$said" | sed 's/^ */  an emulator, no card: /'; }

test_two_queues() {
    start_server --xdp-mode native
    expect_trial 0 "two queues" "$all_valid and $(sent_by zero-copy 2)" $server6 --cpus 0,1
    stop_fakedns
}

# The server answers by AF_XDP sockets of its own, bound in zero-copy mode.
test_server() {
    start_server --fault late=10%:20ms
    expect_trial 0 "late answers, by FakeDNS' AF_XDP sockets" \
        "$all_valid and r['rtt_ns']['max'] >= 20_000_000 and $(sent_by zero-copy 1)" $server4
    stop_fakedns
    start_server --fault loss=10%
    # Each CPU of the server's counts its queries.
    expect_trial 1 "losses are the server's: fail, not invalid" \
        "abs(r['lost'] - r['sent'] // 10) <= 1 and r['verdict'] == 'fail' and $(sent_by zero-copy 1)" $server4
    stop_fakedns
    start_server echo --io af_xdp --threads 2
    expect_trial 1 "echo by AF_XDP" "r['invalid']['total'] == r['sent'] and $(sent_by zero-copy 1)" $server4
    stop_fakedns
}

# The driver sends nothing, or too late, while only its receive queue is polled.
test_busy_poll() {
    local status=0
    start_server --xdp-mode native
    trial $server4 --af-xdp zero-copy --busy-poll || status=$?
    check "busy polling is refused: exit status 2, not $status" [ "$status" -eq 2 ]
    check "and the reason" grep -q 'did not send its first frames .* leave --busy-poll out' "$said"
    stop_fakedns
}

# run_on_tester COMMAND [OPTION]...: runs a command of dnsgauge, whose exit status is then in $status. The
# Tester keeps no rate here. Records go to a directory of the mode's.
status=
run_on_tester() {
    local command=$1
    shift
    status=0
    rm -f "$result"
    in_ns tester env DNSGAUGE_STATE="$scratch/state" "$dnsgauge" "$command" --interface g0 --timeout 2 \
        --duration 1 --max-lateness 60 --max-overrun 60 --json "$result" "$@" >"$said" 2>&1 || status=$?
}

test_selftest() {
    local mode=$1 server=$2
    start_server --xdp-mode native
    run_on_tester selftest --server "$server" --af-xdp "$mode" --rate 200 --max-others 100 --confirm 5
    expect 0 "$server: $mode: a self-test" 'passed: this Tester may be used up to 200 queries/s'
    check "its trial had as many queries as it should, all answered, by $mode" told "
        [(t['rate'], t['sent'], t['verdict']) for t in r['trials'][-1:]] == [(440, 440, 'pass')]
        and r['circumstances']['af_xdp_mode'] == '$mode' and r['setup']['driver'] == '$driver'"
    stop_fakedns
}

# calibrate starts FakeDNS by itself, and must wait for the link that igb resets on that end.
test_counting() {
    local mode=$1 server=$2
    run_on_tester calibrate --server "$server" --fakedns-netns "$lab_name-dut" --fakedns-interface d0 \
        --af-xdp "$mode" --min-rate 400 --max-rate 400 --checks counting
    expect 0 "$server: $mode: calibrate's counting" '^No doubt'
    check "each class was counted as predicted, by $mode" told "
        [c['rate'] for c in r['counting']] == [4, 40, 400]
        and all(c['counted'] == c['predicted'] for c in r['counting'])
        and r['counting'][2]['counted']['sent'] == 400
        and r['circumstances']['af_xdp_mode'] == '$mode'"
    check "most classes had queries" told "
        sum(1 for count in r['counting'][2]['counted'].values() if count) >= 10"
    sed -n '/^queries.s /,$p' "$said"
}

# lacking NUMBER FEATURE: the device of this interface lacks the feature that zero-copy needs: doctor and
# trial say so, and why in the same words. Without --af-xdp the trial copies.
lacking() {
    local interface=g$1 feature=$2 network=198.18.$1 why
    local options=(--interface "$interface" --server "$network.2" --names "$names" --rate 10 --duration 1
        --timeout 0.1 --max-lateness 60 --max-overrun 60 --max-others 100)
    ip link set "$(interface_with "02:00:c6:12:00:0$1")" name "$interface" netns "$lab_name-tester"
    in_ns tester ip address add "$network.1/24" dev "$interface"
    in_ns tester ip link set dev "$interface" up
    in_ns tester ip neighbour replace "$network.2" lladdr 02:00:c6:12:00:99 dev "$interface" nud permanent
    in_ns tester "$dnsgauge" doctor --interface "$interface" >"$said" 2>&1
    why=$(sed -n 's/^note *zero-copy *the driver has it, but \(.*\): AF_XDP copies$/\1/p' "$said")
    check "$interface: the doctor says what is missing: $why" grep -q "$feature" <<<"$why"
    [[ $why ]] || cat "$said"
    status=0
    in_ns tester "$dnsgauge" trial "${options[@]}" --af-xdp zero-copy >"$said" 2>&1 || status=$?
    expect 2 "$interface: a trial refuses zero-copy: $(cat "$said")" \
        "^dnsgauge: $interface cannot have --af-xdp zero-copy"
    check "for the same reason" grep -qF "but $why: " "$said"
    rm -f "$result"
    in_ns tester "$dnsgauge" trial "${options[@]}" --json "$result" >"$said" 2>&1
    check "$interface: left to itself the trial copies" told \
        "r['circumstances']['af_xdp_mode'] == 'copy' and r['sent'] == 10"
}

test_lacking() {
    [[ $driver == virtio_net ]] || return 0
    lacking 3 VIRTIO_F_ACCESS_PLATFORM
    lacking 4 VIRTIO_NET_F_MRG_RXBUF
}

test_doctor() {
    local status=0
    in_ns tester "$dnsgauge" doctor --interface g0 >"$said" 2>&1 || status=$?
    check "the doctor finds nothing that prevents a benchmark" [ "$status" -eq 0 ]
    check "the doctor knows of zero-copy" grep -Eq '^ok +zero-copy +the driver has it$' "$said"
    ((status == 0)) || cat "$said"
}

uname -sr
scratch=$(mktemp -d)
lay_out
lay_end tester g0 1
lay_end dut d0 2
driver=$(in_ns tester ethtool -i g0 | sed -n 's/^driver: //p')
test_trials
test_two_queues
test_server
test_busy_poll
for mode in zero-copy copy; do
    test_selftest $mode $server4
    test_counting $mode $server6
done
test_lacking
has_carrier tester g0
test_doctor
finish
