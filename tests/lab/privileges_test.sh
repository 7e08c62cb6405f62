#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests Tester and FakeDNS as the user nobody, with the documented capabilities alone, and without
# any one of them. Tests which capabilities they keep while they run.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"

# As in tools/THREATS.md. CAP_SYS_NICE makes senders less late, and may be missing.
tester_needs="net_admin net_raw bpf perfmon ipc_lock"
fakedns_needs="net_admin bpf perfmon net_bind_service"

# become_nobody CAPABILITY...: puts into $nobody the words that run a command as the user nobody
# with these capabilities alone, and with the little memory that most systems let such a user lock.
become_nobody() {
    local capability set=-all
    for capability in "$@"; do
        set+=,+$capability
    done
    nobody=(prlimit --memlock=65536 setpriv --reuid nobody --regid nogroup --clear-groups
        --bounding-set="$set" --inh-caps="$set" --ambient-caps="$set" --)
}

without() { # CAPABILITY SET
    local capability
    for capability in $2; do
        [[ $capability == "$1" ]] || printf '%s ' "$capability"
    done
}

# trial_with "CAPABILITY...": makes a trial with these capabilities.
trial_with() {
    # shellcheck disable=SC2086
    become_nobody $1
    rm -f "$result"
    in_ns tester "${nobody[@]}" "$scratch/dnsgauge" trial --interface g0 --server 198.18.0.2 \
        --names 10.0.0.0/16 --rate 1000 --duration 0.5 --timeout 2 --max-lateness 60 \
        --max-overrun 60 --json "$result" >"$said" 2>&1
}

# Prints lines other than notes.
one_line() { [[ $(grep -vc '^dnsgauge: note: ' "$said") -eq 1 ]]; }

names_it() { grep -q "CAP_$1" "$2"; }

# wait_until_ready: waits until the process of start_in says that it is ready.
wait_until_ready() {
    local turn
    for turn in {1..200}; do
        grep -q '^fakedns: ready ' "$STARTED_LOG" && return
        kill -0 "$STARTED_PID" 2>/dev/null || break
        sleep 0.05
    done
    return 1
}

# fakedns_with "CAPABILITY..." [options]: starts fakedns, and succeeds once it is ready.
fakedns_with() {
    # shellcheck disable=SC2086
    become_nobody $1
    start_in dut "${nobody[@]}" "$scratch/fakedns" --interface d0 "${@:2}"
    wait_until_ready
}

# Prints the effective capabilities of each thread of a process that has any, with the thread's
# name.
held_by() {
    local task
    for task in /proc/"$1"/task/*; do
        awk -v task="${task##*/}" '/^Name:/ { name = $2 }
            /^CapEff:/ && $2 !~ /^0+$/ { print name, $2 }' "$task/status" 2>/dev/null
    done
}

nothing_held() { [[ -e /proc/$1/status && -z $(held_by "$1") ]]; }

# only_main_holds PID MASK: succeeds if the main thread holds no capabilities but these, and other
# threads hold none.
only_main_holds() {
    local task held
    [[ -e /proc/$1/status ]] || return 1
    for task in /proc/"$1"/task/*; do
        held=$(awk '/^CapEff:/ { print $2 }' "$task/status" 2>/dev/null) || continue
        [[ ${task##*/} == "$1" ]] || ((16#$held == 0)) || return 1
        ((16#$held & ~$2)) && return 1
    done
    return 0
}

# has_filters PID COUNTS: succeeds if the threads have COUNTS more filters of system calls than this
# shell, in ascending order.
has_filters() {
    [[ $(awk '/^Seccomp_filters:/ { if (NR == FNR) own = $2; else print $2 - own }' \
        /proc/$$/status /proc/"$1"/task/*/status 2>/dev/null | sort | paste -sd ' ') == "$2" ]]
}

threads_of() { ls "/proc/$1/task" 2>/dev/null | wc -l; }

# refused_without CAPABILITY "CAPABILITY..." [options]: checks that a trial without that capability
# is refused.
refused_without() {
    local name=CAP_${1^^}
    if fakedns_with "$(without "$1" "$2")" --xdp-mode native "${@:3}"; then
        fail "fakedns without $name is ready"
    else
        check "fakedns without $name says so in a line" \
            test "$(grep -c . "$STARTED_LOG")" -eq 1
        check "which names it" names_it "${1^^}" "$STARTED_LOG" || cat "$STARTED_LOG"
    fi
    stop_pid "$STARTED_PID"
}

check_fakedns() {
    local capability
    fakedns_with "$fakedns_needs" || fail "fakedns with what it needs: $(cat "$STARTED_LOG")"
    check "fakedns serves as nobody, in XDP" grep -q 'XDP native' "$STARTED_LOG"
    check "and holds nothing from then on" nothing_held "$STARTED_PID"
    stop_pid "$STARTED_PID"
    for capability in $fakedns_needs; do
        refused_without "$capability" "$fakedns_needs"
    done
}

check_echo() {
    local model pid held
    for model in xdp recvmmsg af_xdp; do
        start_in dut "$bin/fakedns" echo --interface d0 --io $model
        check "echo by $model starts" wait_until_ready
        held=
        for pid in "$STARTED_PID" $(cat "/proc/$STARTED_PID/task/$STARTED_PID/children"); do
            held+=$(held_by "$pid")
        done
        check "and holds nothing from then on, as root" test -z "$held"
        stop_pid "$STARTED_PID"
    done
}

check_tester() {
    local capability
    trial_with "$tester_needs sys_nice" || fail "a trial with what it needs: $(cat "$said")"
    check "a trial as nobody: all valid" holds "$adds_up and $all_valid"
    check "with priority" holds 'r["circumstances"]["sender_nice"] == -20'
    trial_with "$tester_needs" || fail "a trial without CAP_SYS_NICE: $(cat "$said")"
    check "without CAP_SYS_NICE its senders have none" \
        holds 'r["circumstances"]["sender_nice"] >= 0'
    for capability in $tester_needs; do
        trial_with "$(without "$capability" "$tester_needs")"
        check "without CAP_${capability^^}: exit status 2" test $? -eq 2
        check "without CAP_${capability^^}: one line" one_line
        check "which names it" names_it "${capability^^}" "$said" || cat "$said"
    done
}

# root_trial THREADS [options]: starts a trial in the background and waits until it has THREADS
# threads. Its process ID is in $STARTED_PID.
root_trial() {
    local turn
    start_in tester "$bin/dnsgauge" trial --interface g0 --server 198.18.0.2 --names 10.0.0.0/8 \
        --rate 1000 --duration 3 --timeout 1 --max-lateness 60 --max-overrun 60 --max-others 100 "${@:2}"
    for turn in {1..100}; do
        [[ $(threads_of "$STARTED_PID") -eq $1 ]] && return
        sleep 0.05
    done
    fail "not $1 threads: $(cat "$STARTED_LOG")"
}

# soon CMD...: succeeds if CMD does within two seconds: a thread may only just have begun.
soon() {
    local turn
    for turn in {1..40}; do
        "$@" && return
        sleep 0.05
    done
    return 1
}

check_dropping() {
    local sys_nice=$((1 << 23)) writing=$((1 << 1 | 1 << 3))
    root_trial 2
    check "root's trial holds nothing but CAP_SYS_NICE while it sends" \
        soon only_main_holds "$STARTED_PID" $sys_nice
    check "it runs no programs, and its sender makes few system calls" soon has_filters "$STARTED_PID" "1 2"
    stop_pid "$STARTED_PID"
    root_trial 3 --per-query "$scratch/queries.csv"
    check "its thread that writes holds nothing" \
        soon only_main_holds "$STARTED_PID" $((sys_nice | writing))
    check "and makes as few system calls as the sender" soon has_filters "$STARTED_PID" "1 2 2"
    stop_pid "$STARTED_PID"
    check "and each query is in its file" test -s "$scratch/queries.csv"
    root_trial 2 --json "$scratch/root.json"
    check "one with a file to write holds what that takes" \
        soon only_main_holds "$STARTED_PID" $((sys_nice | writing))
    stop_pid "$STARTED_PID"
    check "and has written it" test -s "$scratch/root.json"
}

check_files() {
    local other=$scratch/other
    mkdir -m 700 "$other"
    chown nobody:nogroup "$other"
    result=$other/result.json
    (umask 022 && trial 198.18.0.2)
    check "root writes into a directory of somebody else's" test -s "$result"
    check "its mode is 0644" test "$(stat -c %a "$result")" = 644
    (umask 077 && trial 198.18.0.2)
    check "or what the user's mask makes of it" test "$(stat -c %a "$result")" = 600
}

skip_unless_root
skip_unless_built
command -v setpriv >/dev/null || skip "no setpriv on this machine: see tools/install-packages"
lab_up
lay_out
cp "$bin/dnsgauge" "$bin/fakedns" "$scratch"
mkdir -m 1777 "$scratch/open"
result=$scratch/open/result.json

check_fakedns
start_fakedns
check_tester
said=$scratch/said
check_dropping
check_files
stop_fakedns
check_echo
finish
