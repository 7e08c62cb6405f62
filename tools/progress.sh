# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# Lines that say how far a script is, to be sourced. Times count from the start of the outermost
# script: a script that it calls goes on with the same clock.

: "${PROGRESS_SINCE:=$(date +%s)}"
export PROGRESS_SINCE

elapsed() {
    local seconds=$(($(date +%s) - PROGRESS_SINCE))
    printf '%d:%02d' $((seconds / 60)) $((seconds % 60))
}

# stage TEXT: a line, with the time since the start.
stage() { printf '[%s] %s\n' "$(elapsed)" "$*"; }

# run_build LOG CMD...: runs CMD, a build by ninja, writes all that it says to LOG, and shows every ten
# seconds how many steps are done. Returns the exit status of CMD.
run_build() {
    local log=$1 pid told= now beat=0 status=0
    shift
    NINJA_STATUS='[%f/%t] ' "$@" >>"$log" 2>&1 &
    pid=$!
    while kill -0 "$pid" 2>/dev/null; do
        sleep 0.5
        (((beat = (beat + 1) % 20) == 0)) || continue
        now=$(grep -ao '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 1) || true
        [[ -z $now || $now == "$told" ]] || stage "    built ${now//[\[\]]/}"
        told=$now
    done
    wait "$pid" || status=$?
    return "$status"
}
