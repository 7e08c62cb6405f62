# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# For the tests of commands that make trial after trial and record them in a journal: search and sweep.
# Source lib.sh first. A test that uses refused() defines attempt [options], which makes a whole series
# and sets $status.

lay_out() {
    journal=$scratch/journal
    result=$scratch/result.json
    said=$scratch/said
    table=$scratch/table
}

# add_defaults [options]: adds to the array `command` the options of the array `defaults` that are not
# among these.
add_defaults() {
    local option
    for option in "${!defaults[@]}"; do
        [[ " $* " == *" $option"[\ =]* ]] || command+=("$option" "${defaults[$option]}")
    done
}

# Keeps the results so far to be checked, and begins anew.
new_series() {
    keep_results "$journal" "$result"
    rm -f "$journal" "$result"
}

# wait_for_trials COUNT: waits until the journal has COUNT trials.
wait_for_trials() {
    local turn
    for turn in {1..600}; do
        [[ -e $journal && $(grep -c '"record":"trial"' "$journal") -ge $1 ]] && return
        sleep 0.05
    done
    fail "no $1 trials: $(cat "$STARTED_LOG")"
}

# Kills what was started, as a power failure does, and removes the temporary file that it was writing.
kill_series() {
    kill -KILL "$STARTED_PID"
    stop_pid "$STARTED_PID" 2>/dev/null
    check "kill -9 leaves no program" no_program
    rm -f "$scratch"/*.tmp*
}

# Interrupts what was started. Its exit status is in $status, what it said in $said.
interrupt_series() {
    kill -INT "$STARTED_PID"
    status=0
    wait "$STARTED_PID" || status=$?
    cp "$STARTED_LOG" "$said"
    stop_pid "$STARTED_PID"
}

# refused WHAT PATTERN [options]: checks for exit status 2, one line that fits, and nothing left.
refused() {
    local what=$1 pattern=$2
    shift 2
    new_series
    attempt "$@"
    if [[ $(wc -l <"$said") -ne 1 ]] || compgen -G "$scratch/journal*" >/dev/null; then
        fail "$what: more than a line, or a journal is left: $(cat "$said")"
    fi
    expect 2 "$what: $(cat "$said")" "^dnsgauge: .*$pattern"
}

# steps_hold EXPRESSION: succeeds if the Python expression is true, where r is the result, s its trials
# in the result, trials the journal's trials, t the trials that are not invalid.
steps_hold() {
    /usr/bin/python3 - "$result" "$journal" "$1" <<'PYTHON'
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    r = json.load(file)
with open(sys.argv[2], encoding="utf-8") as file:
    j = [json.loads(line) for line in file]
trials = [line["trial"] for line in j if line.get("record") == "trial"]
t = [trial for trial in trials if trial["verdict"] != "invalid"]
s = r["trials"]
if not eval(f"({sys.argv[3]})"):
    sys.exit(f"not so: {sys.argv[3]}: {r['end']} {s}")
PYTHON
}
