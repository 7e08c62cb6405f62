#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests two Testers on one machine: on interfaces of their own neither disturbs the other, and a
# second one on the same interface is refused without disturbing the first. Exit status 77: this
# test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built

last_cpu=$(($(nproc) - 1))

# test_at_once [options of the first Tester]: runs two Testers with the same ports, names and rate.
# Each must have its own counts: one server answers all queries, the other nine in ten.
test_at_once() {
    local second status=0
    local command=("$dnsgauge" trial --names 10.0.0.0/16 --rate 4000 --duration 3 --timeout 2
        --max-lateness 60 --max-overrun 60 --max-others 100)
    rm -f "$result" "$scratch/second.json"
    in_ns tester "${command[@]}" --interface g1 --server 198.18.1.2 --cpus "$last_cpu" \
        --json "$scratch/second.json" >"$scratch/second.said" 2>&1 &
    second=$!
    in_ns tester "${command[@]}" --interface g0 --server 198.18.0.2 --json "$result" >"$said" 2>&1 ||
        status=$?
    check "the first: exit status 0, not $status: $(grep -A 1 verdict "$said")" test $status -eq 0
    check "the first: every query and nothing else" holds "$all_valid and $no_strays"
    status=0
    wait "$second" || status=$?
    check "the second: exit status 1, not $status: $(grep -A 1 verdict "$scratch/second.said")" \
        test $status -eq 1
    result=$scratch/second.json check "the second: every query and nothing else" holds "$adds_up and
        $no_strays and r['sent'] == 12000 and r['lost'] == 1200 and r['valid'] == 10800"
}

no_strays='not any(r[stray] for stray in ("duplicate", "unexpected", "wrong_source", "bad_checksum",
    "fragments")) and not r["own_losses"]["interface"].keys() - {"rx_dropped"}'

test_same_interface() {
    local what status journal=$scratch/journal
    rm -f "$result"
    # This Tester is ended when all others have been refused.
    start_in tester "$dnsgauge" trial --interface g0 --server $server4 --names 10.0.0.0/8 \
        --rate $rate --duration 100 --timeout 2 --max-lateness 60 --max-overrun 60 --max-others 100 --json "$result"
    for _ in {1..100}; do
        has_program && break
        sleep 0.1
    done
    for what in "trial --rate 100 --names $names" "selftest --rate 1000 --record $scratch/record" \
        "search --min-rate 100 --max-rate 900 --names $names --beyond-selftest --journal $journal"; do
        status=0
        # shellcheck disable=SC2086
        in_ns tester "$dnsgauge" $what --interface g0 --server "$server4" --duration 0.2 --timeout 1 \
            >"$scratch/refused" 2>&1 || status=$?
        check "${what%% *} beside a trial is refused: $(tail -n 1 "$scratch/refused")" \
            test "$status/$(grep -cE '^dnsgauge: (g0 already carries the XDP program "reply_clock"|process [0-9]+ has g0)' \
                "$scratch/refused")" = 2/1
    done
    kill -INT "$STARTED_PID"
    wait "$STARTED_PID"
    check "and the trial has not noticed: it has every query" holds "$adds_up and $no_strays
        and 'interrupted' in r['why'] and r['sent'] == r['valid'] > 0"
}

lab_up --second-link
lay_out
start_in dut "$bin/fakedns" --interface d1 --fault loss=10%
start_fakedns
test_at_once
test_same_interface
finish
