# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# Adds trials against fakedns to lib.sh; a test sources this file in bash. The Tester's interface is
# g0, the DUT's d0; fakedns has these addresses.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

dnsgauge=$bin/dnsgauge
server4=198.18.0.2
server6=2001:2::2
names=10.0.0.0/16
rate=2000
patience=1 # seconds: a trial's timeout

# ---- fakedns on the DUT

fakedns_pid=

# start_fakedns [echo] [options]: starts fakedns on the DUT.
start_fakedns() {
    local what=()
    if [[ ${1-} == echo ]]; then
        what=(echo)
        shift
    fi
    run_fakedns dut "${what[@]}" --interface d0 "$@" || no_fakedns fakedns
    fakedns_pid=$STARTED_PID
}

# no_fakedns WHO: reports that fakedns, which should run, does not.
no_fakedns() {
    fail "$1 does not start: $(cat "$STARTED_LOG")"
    finish
}

stop_fakedns() { stop_pid "$fakedns_pid"; }

# ---- trials; the result of the last one is in $result, what it said in $said

lay_out() {
    result=$scratch/result.json
    said=$scratch/said
    queries=$scratch/queries.csv
    metrics=$scratch/metrics.jsonl
}

# trial SERVER [options]: makes a trial that does not depend on how busy this machine is, unless the
# options make it so.
trial() {
    local server=$1 option status=0 settings=()
    local -A defaults=([--names]=$names [--rate]=$rate [--duration]=1 [--timeout]=$patience
        [--max-lateness]=60 [--max-overrun]=60 [--max-others]=100)
    shift
    for option in "${!defaults[@]}"; do
        [[ " $* " == *" $option "* ]] || settings+=("$option" "${defaults[$option]}")
    done
    rm -f "$result"
    in_ns tester "$dnsgauge" trial --interface g0 --server "$server" --json "$result" \
        "${settings[@]}" "$@" >"$said" 2>&1 || status=$?
    keep_results "$result"
    return $status
}

# has_program [tester|dut INTERFACE]: succeeds if the interface (g0) carries an XDP program.
has_program() { ip -n "$lab_name-${1:-tester}" -d link show "${2:-g0}" 2>/dev/null | grep -q 'prog/xdp'; }

# no_program [tester|dut INTERFACE]: succeeds once the program is gone. A killed process' program
# goes a moment later.
no_program() {
    for _ in {1..50}; do
        has_program "$@" || return 0
        sleep 0.1
    done
    return 1
}

# start_trial SERVER [options]: starts a trial in the background, with its process ID in trial_pid.
# Returns when the trial's program is attached.
trial_pid=
start_trial() {
    trial "$@" &
    trial_pid=$!
    for _ in {1..500}; do
        has_program && return
        sleep 0.01
    done
}

# end_trial: waits for that trial, and puts its exit status into $status.
end_trial() {
    status=0
    wait "$trial_pid" || status=$?
}

# holds EXPRESSION: succeeds if the Python expression, on one line or more, is true of the result r.
holds() {
    /usr/bin/python3 -IS - "$result" "$1" <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding="ascii") as file:
    r = json.load(file)
if not eval(f"({sys.argv[2]})"):
    sys.exit(f"not so: {sys.argv[2]}: verdict {r['verdict']}: {r['why']}")
PYTHON
}

# told EXPRESSION: as holds, of a result of any schema; prints the result if the expression is false.
told() {
    /usr/bin/python3 -IS -c 'import json, sys
r = json.load(open(sys.argv[1], encoding="utf-8"))
sys.exit(0 if eval(f"({sys.argv[2]})") else f"not so: {sys.argv[2]}: {r}")' "$result" "$1"
}

# On a busy machine the last query may leave late, which makes a trial invalid and leaves all its
# counts alone. Such a trial is made again, and so is one with another reason that a script adds to
# this pattern.
stalled='sending took|invalid: .*its queue stalled|invalid: .*; but .*(others.* had|the sender waited|the hypervisor took|the server.* wanted|had stood still|had been away)'
# trial_for_verdict [options of trial]: makes a trial, again while it stalls, and returns its exit
# status.
trial_for_verdict() {
    local status turn
    for turn in {1..15}; do
        status=0
        trial "$@" || status=$?
        [[ $status -eq 3 ]] && grep -Eq "invalid: $stalled" "$said" || break
    done
    return $status
}

# expect_trial STATUS WHAT EXPRESSION SERVER [options]: checks a trial's exit status and result.
expect_trial() {
    local wanted=$1 what=$2 expression=$3 status=0
    shift 3
    trial_for_verdict "$@" || status=$?
    if [[ $status -ne $wanted ]]; then
        fail "$what: exit status $status, not $wanted: $(cat "$said")"
        return
    fi
    check "$what" holds "$adds_up and ($expression)"
}

adds_up='r["sent"] == r["valid"] + r["late"] + r["invalid"]["total"] + r["lost"]'
adds_up+=' and r["invalid"]["total"] == sum(v for k, v in r["invalid"].items() if k != "total")'
adds_up+=' and (not r["intervals"] or all(sum(i[k] for i in r["intervals"]) == r[k]
    for k in ("sent", "valid", "late", "lost")) and all(
    sum(i["invalid"][k] for i in r["intervals"]) == r["invalid"][k] for k in r["invalid"]) and all(
    sum(i["rcodes"].get(k, 0) for i in r["intervals"]) == n for k, n in r["rcodes"].items()) and
    sum(i["rtt_ns"]["count"] for i in r["intervals"]) == r["rtt_ns"]["count"])'
all_valid='r["sent"] == r["valid"] == r["rcodes"]["NOERROR"] == r["rtt_ns"]["count"]'
all_valid+=' == r["rate"] * r["duration_s"] and r["verdict"] == "pass"'

# start_tcpdump ARGUMENT...: starts tcpdump on the DUT, with its process ID in $recorder. Ends the test if
# tcpdump does not start.
start_tcpdump() {
    local turn
    start_in dut tcpdump "$@"
    recorder=$STARTED_PID
    for turn in {1..100}; do
        grep -q '^tcpdump: listening' "$STARTED_LOG" && return
        sleep 0.1
    done
    fail "tcpdump does not start: $(cat "$STARTED_LOG")"
    finish
}

# Ends the recording, once what came last is in the file.
end_tcpdump() {
    sleep 1
    stop_pid "$recorder"
}
