# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# For tests in a lab of their own. A test sources this file in bash:
#   skip_unless_root; lab_up [options of "tools/lab up"]; ... pass/fail ...; finish
# The lab and every process begun with start_in end with the script, however it ends. $bin is the
# folder of the programs: DNSGAUGE_BIN, or the build's.

lib_directory=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lab_tool=$lib_directory/../../tools/lab
bin=$(realpath -m "${DNSGAUGE_BIN:-$lib_directory/../../build/bin}")
lab_name=dgtest$$
failures=0
started_pids=()
STARTED_PID=
STARTED_LOG=
# The words that run a command on a host as one process, for scripts that take such arrays.
on_tester=(ip netns exec "$lab_name-tester")
on_dut=(ip netns exec "$lab_name-dut")
on_auth=(ip netns exec "$lab_name-auth")

pass() { echo "PASS: $*"; }

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# check WHAT CMD...: passes if CMD succeeds.
check() {
    local what=$1
    shift
    if "$@"; then pass "$what"; else fail "$what"; fi
}

# expect STATUS WHAT [PATTERN]: checks the last run, whose exit status is in $status and whose
# output is in the file $said.
expect() {
    if [[ $status -eq $1 ]] && grep -Eq -- "${3:-}" "$said"; then
        pass "$2"
    else
        fail "$2: exit status $status, not $1 with '${3:-}': $(cat "$said")"
    fi
}

# keep_results FILE...: keeps a copy of results, for finish to check: the next run may replace the files.
keep_results() {
    local file
    mkdir -p "$scratch/results"
    for file in "$@"; do
        [[ ! -s $file ]] || cp "$file" "$(mktemp "$scratch/results/XXXXXX")"
    done
}

# Checks every result below $scratch against its schema. A guest of tests/vm has no schemas, and says so in
# RESULTS_UNCHECKED.
check_results() {
    local said
    [[ -d ${scratch-} && ! -v RESULTS_UNCHECKED ]] || return 0
    if said=$(/usr/bin/python3 -I -W ignore "$lib_directory/../support/check_results.py" \
        "$bin/../schemas" "$scratch" 2>&1); then
        pass "$said"
    else
        fail "results do not fit their schemas: $said"
    fi
}

# Ends the script: exit status 1 if anything failed.
finish() {
    check_results
    ((failures == 0)) || exit 1
    exit 0
}

# is_since MAJOR MINOR: is the kernel that new?
is_since() {
    local major minor
    IFS=.- read -r major minor _ < <(uname -r)
    ((major > $1 || major == $1 && minor >= $2))
}

skip() {
    echo "SKIP: $*"
    exit 77
}

# skip_unless_built [PROGRAM...]: skips the test unless the programs are built (dnsgauge and fakedns
# unless others are named).
skip_unless_built() {
    local program
    (($#)) || set -- dnsgauge fakedns
    for program in "$@"; do
        [[ -x $bin/$program ]] || skip "no $bin/$program: build it first"
    done
    /usr/bin/python3 -c 'import jsonschema' 2>/dev/null ||
        skip "no python3-jsonschema on this machine: see tools/install-packages"
}

skip_unless_root() {
    local tool
    [[ $(id -u) -eq 0 ]] || skip "network namespaces need root"
    for tool in ip tc ethtool dig; do
        command -v $tool >/dev/null || skip "no $tool on this machine: see tools/install-packages"
    done
}

# lab_up [options]: makes the lab, or ends the script if it cannot be made.
lab_up() {
    scratch=$(mktemp -d "/tmp/$lab_name.XXXXXX")
    # Servers that run as a user of their own must reach their files.
    chmod 755 "$scratch"
    trap lab_clean_up EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM HUP
    "$lab_tool" --name "$lab_name" up "$@" && return
    echo "FAIL: no lab"
    exit 1
}

lab_clean_up() {
    local pid
    trap '' INT TERM HUP
    for pid in "${started_pids[@]}"; do
        stop_pid "$pid"
    done
    "$lab_tool" --name "$lab_name" down
    rm -rf "$scratch"
}

# stop_pid PID: ends a process of start_in with TERM, and with KILL after three seconds. Returns the
# process' exit status.
stop_pid() {
    local pid=$1 turn at
    for at in "${!started_pids[@]}"; do
        [[ ${started_pids[at]} != "$pid" ]] || unset "started_pids[at]"
    done
    kill -TERM "$pid" 2>/dev/null
    for turn in {1..30}; do
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    kill -KILL "$pid" 2>/dev/null
    wait "$pid" 2>/dev/null
}

# in_ns tester|dut|auth CMD...: runs CMD on that host.
in_ns() {
    local host=$1
    shift
    ip netns exec "$lab_name-$host" "$@"
}

# start_in tester|dut|auth CMD...: runs CMD in the background, with its process ID in STARTED_PID
# and its output in the file STARTED_LOG.
start_in() {
    local host=$1
    shift
    STARTED_LOG=$(mktemp "$scratch/log.XXXXXX")
    # No function may run the command: the process ID must be the command's.
    ip netns exec "$lab_name-$host" "$@" >"$STARTED_LOG" 2>&1 &
    STARTED_PID=$!
    started_pids+=("$STARTED_PID")
}

# run_fakedns tester|dut|auth [ARGUMENT...]: starts fakedns as start_in does, and waits until fakedns is
# ready. Fails if fakedns ends before, or takes more than half a minute.
run_fakedns() {
    local host=$1 turn
    shift
    start_in "$host" "$bin/fakedns" "$@"
    for turn in {1..300}; do
        grep -q '^fakedns: ready ' "$STARTED_LOG" && return 0
        kill -0 "$STARTED_PID" 2>/dev/null || return 1
        sleep 0.1
    done
    return 1
}

has_program() { ip -n "$lab_name-tester" -d link show "${1:-g0}" | grep -q 'prog/xdp'; }

# Succeeds once g0 carries no program: a killed process' program goes a moment later.
no_program() {
    local turn
    for turn in {1..50}; do
        has_program || return 0
        sleep 0.1
    done
    return 1
}

# wait_for_dns tester|dut|auth ADDRESS PORT NAME: waits until a server answers, whatever the answer,
# for at most some 30 seconds.
wait_for_dns() {
    local turn
    for turn in {1..30}; do
        in_ns "$1" dig +tries=1 +time=1 -p "$3" "@$2" "$4" A >/dev/null 2>&1 && return 0
        # dig returns at once while nobody has opened the port.
        sleep 0.1
    done
    return 1
}
