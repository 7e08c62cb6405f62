#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# selftest_test.sh [limit]: tests dnsgauge selftest against fakedns: its record, searches without a self-test and
# beyond it, servers that are not FakeDNS, interruption, and bad input. With `limit` tests both forms where they find
# the Tester's limit. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
# servers.sh reads this.
# shellcheck disable=SC2034
zone_tool=$bin/dnsgauge-zone
skip_unless_root
skip_unless_built dnsgauge fakedns dnsgauge-zone
# shellcheck disable=SC2034
server_names=10.0.0.0/24
# shellcheck disable=SC2034
dut_addresses=(198.18.0.2 2001:2::2)

# The trials have few queries. A stall of this machine makes no trial invalid, but makes replies
# late: a trial that has to pass is tried again.
common=(--interface g0 --server "$server6" --duration 0.5 --timeout 1 --max-lateness 60
    --max-overrun 60 --max-others 100)
# More than this Tester can send: it takes most of a second to send this many queries.
too_much=4000000

# run COMMAND...: runs the command in the Tester's namespace, with its exit status in $status and
# its output in $said.
status=
run() {
    status=0
    rm -f "$result"
    in_ns tester env DNSGAUGE_STATE="$scratch/state" "$@" >"$said" 2>&1 || status=$?
    keep_results "$result" "$scratch"/state/*
}

# with_common OPTION VALUE: gives a common option another value from now on.
with_common() {
    local i
    for ((i = 0; i < ${#common[@]}; i += 2)); do
        [[ ${common[i]} != "$1" ]] || common[i + 1]=$2
    done
}

selftest() { run "$dnsgauge" selftest --json "$result" "${common[@]}" "$@"; }

# Makes a self-test that finds the Tester's limit: a rate of 2,000,000/s would be sent in twice the time at most,
# that is, 440,000 queries in 0.2 s, of which no Tester on veth is near.
strict_selftest() {
    with_common --max-overrun 0.1
    with_common --duration 0.1
    selftest --pause 0 "$@"
    with_common --max-overrun 60
    with_common --duration 0.5
}

search() {
    rm -f "$scratch/journal"
    run "$dnsgauge" search "${common[@]}" --json "$result" --journal "$scratch/journal" \
        --names "$names" --qtype A --min-rate 10 --resolution 1000 --repeat 1 --pause 0 "$@"
}

# refused WHAT PATTERN: checks that the last run was refused in one line.
refused() {
    [[ $(wc -l <"$said") -eq 1 ]] || fail "$1: not one line: $(cat "$said")"
    expect 2 "$1: $(cat "$said")" "^dnsgauge: .*$2"
}

record() { echo "$scratch"/state/selftest-g0-*.json; }

# ---- the tests

# FakeDNS answers all queries, which a search takes for a wrong range; a refusal comes before that.
test_cover() {
    local command
    search --max-rate 1000
    refused "a search without a self-test" 'there was no self-test.*; or give --beyond-selftest'
    check "makes no journal" [ ! -e "$scratch/journal" ]

    command=$(grep -o 'dnsgauge selftest [^;]*' "$said")
    # shellcheck disable=SC2086
    run "$bin"/$command --json "$result" --confirm 5
    expect 0 "the command that it names: $command" \
        'verdict +passed: this Tester may be used up to 1000 queries/s with a timeout of 1 s'
    check "tells what is allowed, and how it was found" told "r['schema'] == 'dnsgauge/selftest/1'
        and r['allowed_rate'] == 1000 and r['passed_rate'] == 2200 and r['stopped_by'] is None
        and [(t['r'], t['rate'], t['sent'], t['verdict']) for t in r['trials'][-1:]]
            == [(1000, 2200, 1100, 'pass')]
        and r['timeout_s'] == 1 and r['selftest_timeout_s'] == 0.25
        and r['rfc8219']['printed_rate'] == 2000.2 and not r['rfc8219']['compliant']
        and r['setup']['interface'] == 'g0' and r['setup']['driver'] == 'veth'
        and r['circumstances']['xdp_mode'] == 'native'"
    check "and records it" cmp "$result" "$(record)"

    search --max-rate 1000
    expect 0 "then the search runs" \
        'the server keeps 1000 queries/s or more: the .*self-test allows 1000 queries/s: .*--beyond-selftest'
    cp "$(record)" "$scratch/record"
    sed -i 's/"xdp_mode": "native"/"xdp_mode": "generic"/' "$(record)"
    search --max-rate 1000
    refused "nor in another mode, before a trial is made" \
        'self-test .* used XDP generic and AF_XDP copy, this trial XDP native and AF_XDP copy'
    cp "$scratch/record" "$(record)"
    with_common --server "$server4"
    search --max-rate 1000
    refused "but not by IPv4: another set-up" 'there was no self-test'
    with_common --server "$server6"
    search --max-rate 1001
    refused "nor beyond what is allowed" '1001 queries/s may be.*allows 1000 queries/s, not 1001'
    with_common --timeout 0.9
    search --max-rate 1000
    refused "nor with a shorter timeout" 'was made with a timeout of 1 s, not at most 0.9 s'
    with_common --timeout 1
}

# Knot has so few names that the test knows which rates fail.
test_marks() {
    stop_fakedns
    start_server knot "$scratch/knot" || { fail "no Knot DNS" && return; }
    search --max-rate 1000
    expect 0 "a result that is covered" '^  self-test of .*: allows 1000 queries/s \(.*/state/'
    check "names its self-test" told "r['selftest']['covers'] and
        r['selftest']['allowed_rate'] == 1000 and r['selftest']['record'] == '$(record)'"
    check "and that it was tried again" grep -q \
        '^  self-test of .*; itself not compliant with RFC 8219: .*tried again, up to 5 times' "$said"
    check "in the JSON too" told "'a failed trial was tried again, up to 5 times' in
        r['selftest']['rfc8219']['deviations']"
    check "and is not marked" bash -c "! grep -q 'beyond' '$said'"
    search --max-rate 2000 --beyond-selftest
    expect 0 "one beyond it is marked" "^  beyond the Tester's self-test: .*not 2000"
    check "in its table" grep -q '^Self-test ' "$said"
    check "and in its JSON" told "not r['selftest']['covers'] and
        'not 2000' in r['selftest']['why_not']"
    selftest --rate 100
    refused "another server is not taken for FakeDNS" 'no FakeDNS.*error RCODE.*run fakedns there'
    stop_server
}

# The server keeps what was allowed, and more.
test_beyond() {
    selftest --rate 1000 --confirm 5
    expect 0 "$family: a self-test" 'may be used up to 1000 queries/s'
    search --max-rate 1000 --beyond-selftest
    expect 0 "$family: who gave --beyond-selftest is told what was allowed" 'self-test allows 1000 queries/s, '
    check "and not to give it" bash -c "! grep -q 'beyond-selftest' '$said'"
    rm -f "$scratch"/state/*
}

test_search_form() {
    strict_selftest --max-rate $too_much --min-rate 10 --resolution 2000000
    expect 0 "the highest rate" 'stopped by .*queries/s for r = .*: '
    check "is between one that passed and one that failed" told "
        r['end'] == 'complete' and r['rfc8219']['deviations']
        and 0 < r['stopped_by']['r'] - r['allowed_rate'] <= 2000000
        and all(t['verdict'] == ('pass' if t['r'] <= r['allowed_rate'] else 'fail')
                for t in r['trials'] if t['r'] != 10)"
}

# The record of what is allowed stays what it was beside a self-test at a lower rate, and beside one
# that failed above it.
test_best() {
    local best
    cp "$(record)" "$scratch/best"
    best=$(/usr/bin/python3 -IS -c 'import json, sys
print(json.load(open(sys.argv[1]))["allowed_rate"])' "$scratch/best")
    selftest --rate 10 --confirm 5
    expect 0 "a self-test at a lower rate says what the record keeps" \
        "the record keeps the self-test of .*dnsgauge selftest .*allows $best queries/s"
    check "in its JSON too" told "any('keeps the self-test of' in n for n in r['record_notes'])"
    strict_selftest --rate $too_much
    expect 1 "so does one that fails above what the record allows" \
        "the record keeps the self-test of .*allows $best queries/s"
    check "and the record still allows as much" /usr/bin/python3 -IS -c 'import json, sys
now, before = (json.load(open(file))["allowed_rate"] for file in sys.argv[1:])
sys.exit(0 if now == before else f"{before} became {now}")' "$(record)" "$scratch/best"
}

test_not_passed() {
    rm -f "$(record)"
    strict_selftest --rate $too_much
    expect 1 "a rate beyond this Tester" \
        'verdict +not passed: this Tester may not be used at 4000000 queries/s'
    check "is recorded" told "r['allowed_rate'] is None and r['stopped_by']['rate'] == 8800000"
    check "as the only self-test" cmp "$result" "$(record)"
    search --max-rate 100
    refused "then nothing is covered" 'was not passed: '
    head -c 100 "$(record)" >"$scratch/torn"
    cp "$scratch/torn" "$(record)"
    search --max-rate 100
    refused "nor by half a record" 'is not the record of a self-test, or not a whole one'
}

test_record_file() {
    selftest --rate 100 --confirm 5 --record "$scratch/mine"
    expect 0 "a record in another file" "record +$scratch/mine"
    search --max-rate 100 --selftest-record "$scratch/mine"
    expect 0 "covers a search that names it" 'the server keeps 100 queries/s or more'
    search --max-rate 100 --selftest-record "$scratch/mine" --source-ports 10
    refused "but not on another set-up" 'another set-up: source_ports was 4000, now it is 10'
    selftest --rate 100 --record "$scratch/no/such"
    refused "a record nowhere" '--record .*No such file'
}

test_interruption() {
    cp "$scratch/mine" "$scratch/before"
    with_common --duration 60
    start_in tester "$dnsgauge" selftest "${common[@]}" --rate 100 --record "$scratch/mine"
    with_common --duration 0.5
    sleep 3
    kill -INT "$STARTED_PID"
    status=0
    wait "$STARTED_PID" || status=$?
    cp "$STARTED_LOG" "$said"
    stop_pid "$STARTED_PID"
    expect 3 "Ctrl-C" '^dnsgauge: interrupted: the record stays as it was'
    check "it does" cmp "$scratch/mine" "$scratch/before"
    check "nothing is left" bash -c "! compgen -G '$scratch/*.tmp*'"
}

test_bad_input() {
    selftest
    refused "no rate" '--rate is required, unless --max-rate is given'
    selftest --rate 10 --max-rate 20
    refused "both" '--rate'
    selftest --max-rate 10 --min-rate 10
    refused "an empty range" 'must be below'
    selftest --rate 10 --delta 0.05
    refused "too small a delta" '--delta 0.05: must be 0.1 '
    selftest --rate 10 --delta nan
    refused "no delta" '--delta'
    selftest --rate fast
    refused "a rate of words" '--rate fast'
    run "$dnsgauge" selftest "${common[@]}" --rate 10 --json "$scratch/mine" \
        --record "$scratch/mine"
    refused "one file for two things" '--json and --record both name'
    stop_fakedns
    start_fakedns --aaaa-share 50
    selftest --rate 10
    refused "a FakeDNS without all AAAA records" 'no FakeDNS.*without the record'
    stop_fakedns
}

lab_up
lay_out
start_fakedns
if [[ ${1-} == limit ]]; then
    for family in "$server4" "$server6"; do
        rm -f "$scratch"/state/*
        with_common --server "$family"
        test_search_form
        test_best
    done
    test_not_passed
    finish
fi
test_cover
if server_is_installed knot; then test_marks; else stop_fakedns; fi
start_fakedns
for family in "$server4" "$server6"; do
    with_common --server "$family"
    test_beyond
done
test_record_file
test_interruption
test_bad_input
finish
