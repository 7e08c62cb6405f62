#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests the paces of a trial by when its queries were sent: how many, at what distances, of one sender and of
# two. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built

# paced PACE FILE EXPRESSION [options]: makes a trial at the pace, keeps its per-query file, and checks it.
paced() {
    local pace=$1 file=$2 expression=$3
    shift 3
    trial $server4 --pace "$pace" --per-query "$file" "$@"
    check "--pace $pace $*" holds "$adds_up and r['sent'] == r['valid'] and ($expression)"
    check "--pace $pace $*: when the queries were sent" "$lib_directory/check_pace.py" "$result" "$file"
}

refused() { # PATTERN [options]
    local pattern=$1 status=0
    shift
    in_ns tester "$dnsgauge" trial --interface g0 --server $server4 --names 10.0.0.0/16 --duration 1 "$@" \
        >"$said" 2>&1 || status=$?
    expect 2 "refused: $*" "$pattern"
}

lab_up
lay_out
refused '^dnsgauge: --pace steps has rates of its own: leave --rate out$' --rate 100 --pace steps=1:9:1
refused '^dnsgauge: --rate is required$' --pace poisson
refused '^dnsgauge: --pace: "slow" is no pace: write constant, poisson' --rate 100 --pace slow

start_fakedns
paced constant "$scratch/constant" 'r["sent"] == 2000 and r["pace"] == {"kind": "constant"}'
paced poisson "$scratch/poisson" 'r["sent"] == 2000 and r["pace"] == {"kind": "poisson", "seed": 1}'
check "the text says so" grep -q '^AAAA 2000 queries/s at random (Poisson, seed 1) for 1 s' "$said"
paced poisson=1 "$scratch/again" 'r["rfc8219"]["compliant"] is False'
check "the same seed gives the same times" "$lib_directory/check_pace.py" same "$scratch/poisson" \
    "$scratch/again"
paced poisson=2 "$scratch/other" 'r["pace"]["seed"] == 2'
check "another seed gives others" "$lib_directory/check_pace.py" other "$scratch/poisson" "$scratch/other"
trial_steps() {
    in_ns tester "$dnsgauge" trial --interface g0 --server $server4 --names $names --duration 2 --timeout 2 \
        --pace steps=500:2000:500 --interval 0.5 --per-query "$scratch/steps" --max-lateness 60 \
        --max-overrun 60 --max-others 100 --json "$result" >"$said" 2>&1
}
trial_steps
check "--pace steps" holds "$adds_up and r['sent'] == r['valid'] == 2500 and r['rate'] == 1250 and
    r['pace'] == {'kind': 'steps', 'from': 500, 'to': 2000, 'step': 500}"
check "--pace steps: when the queries were sent" "$lib_directory/check_pace.py" "$result" "$scratch/steps"
stop_fakedns
finish
