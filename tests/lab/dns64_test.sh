#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# dns64_test.sh [two] [KIND...]: three devices, Tester, DNS64 server and AuthDNS (FakeDNS). Each
# server starts from the files of dnsgauge-zone and is measured over IPv6. Every answer is judged,
# at several shares of AAAA records and of cached names and with every length of prefix; AuthDNS
# counts what it was asked. With "two" the Tester is also AuthDNS, on a second link, and makes some of these tests.
# Exit status 77: nothing could be tested.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
# servers.sh reads this.
# shellcheck disable=SC2034
zone_tool=$bin/dnsgauge-zone
# shellcheck disable=SC2034
dut_addresses=(198.18.0.2 2001:2::2)
# shellcheck disable=SC2034
auth_addresses=(198.18.2.1)
setup=three auth_host=auth auth_interface=a0
if [[ ${1-} == two ]]; then
    shift
    # shellcheck disable=SC2034
    auth_addresses=(198.18.1.1)
    setup=two auth_host=tester auth_interface=g1
fi
conformance=$lib_directory/../../tools/dns64-conformance
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
skip_unless_root
skip_unless_built

# Each query is for a name that no other trial asks for: 010-NET-… The queries are so few that all
# fit the servers' socket buffers, even if this machine is busy.
asked_for=100

# ---- AuthDNS

# start_auth [options of fakedns]: starts AuthDNS.
start_auth() {
    run_fakedns "$auth_host" --interface "$auth_interface" "$@" || no_fakedns AuthDNS
    auth_pid=$STARTED_PID
    auth_log=$STARTED_LOG
}

stop_auth() { stop_pid "$auth_pid"; }

# asked KIND: prints how many queries AuthDNS has answered with that kind.
asked() {
    awk -v kind="$1" '$1 == kind { value = $NF } END { print value + 0 }' "$auth_log"
}

take_counters() {
    local turn tables
    tables=$(grep -c '^kind ' "$auth_log")
    kill -USR1 "$auth_pid"
    for turn in {1..50}; do
        [[ $(grep -c '^unsent ' "$auth_log") -gt $tables ]] && return
        sleep 0.1
    done
    fail "AuthDNS prints no counters"
}

note_counters() {
    take_counters
    last_nodata=$(asked NODATA) last_a=$(asked A) last_aaaa=$(asked AAAA)
}

# expect_load NODATA A AAAA: checks what the last trial made AuthDNS answer. A resolver that waits
# for a busy machine asks again, so a few queries more are allowed.
expect_load() {
    local nodata a aaaa seen
    take_counters
    nodata=$(($(asked NODATA) - last_nodata))
    a=$(($(asked A) - last_a))
    aaaa=$(($(asked AAAA) - last_aaaa))
    seen="AuthDNS answered $nodata AAAA queries with nothing, $aaaa with a record, $a A queries"
    if is_about "$nodata" "$1" && is_about "$a" "$2" && is_about "$aaaa" "$3"; then
        pass "$kind: $seen"
    else
        fail "$kind: $seen, not $1, $3, $2"
    fi
}

is_about() { (($1 >= $2 && $1 <= $2 + asked_for / 3)); }

# with_auth [options of fakedns]: replaces AuthDNS by another one.
with_auth() {
    stop_auth
    start_auth "$@"
}

# ---- the tests

# expect_answers STATUS WHAT EXPRESSION last|next [options]: makes a trial for names of
# 10.NET.0.0/16, and checks it. NET is the last trial's, or a new one.
net=0
expect_answers() {
    local wanted=$1 what=$2 expression=$3 names_of=$4 status turn
    shift 4
    [[ " $* " == *" --duration "* ]] || set -- "$@" --duration 0.5 --timeout 1
    # A busy machine makes a resolver lose queries: such a trial is made again.
    for turn in {1..5}; do
        [[ $names_of == last ]] || net=$((net + 1))
        note_counters
        status=0
        trial_for_verdict $server6 --dut dns64 --beyond-selftest --rate 200 --names "10.$net.0.0/16" "$@" || status=$?
        [[ $names_of == next ]] && grep -Eq 'right in time: [0-9]+ lost$' "$said" || break
    done
    if [[ $status -ne $wanted ]]; then
        fail "$kind: $what: exit status $status, not $wanted: $(cat "$said")"
        return
    fi
    check "$kind: $what" holds "$adds_up and ($expression)"
}

test_shares() {
    expect_answers 0 "no name has an AAAA record" "$all_valid" next
    expect_load $asked_for $asked_for 0
    with_auth --aaaa-share 50
    expect_answers 0 "half of the names have one" "$all_valid and
        r['dns64'] == {'aaaa_share_percent': 50, 'aaaa_prefix': '2001:db8::/96',
                       'cached_share_percent': 0}" next --aaaa-share 50
    expect_load $((asked_for / 2)) $((asked_for / 2)) $((asked_for / 2))
    expect_answers 1 "a record of the name's own where none was expected is wrong" \
        "r['invalid']['wrong_data'] == r['valid'] == $asked_for / 2" last
    expect_answers 1 "and so is the other way round" \
        "r['invalid']['wrong_data'] == r['valid'] == $asked_for / 2" last --aaaa-share 100
    expect_answers 0 "some of them cached" "$all_valid" next --aaaa-share 50 --cached-share 60
    with_auth --aaaa-share 100
    expect_answers 0 "all names have one" "$all_valid" next --aaaa-share 100
    expect_load 0 0 $asked_for
}

# The query before the trial made the resolver look up its name, too.
test_cached() {
    local others=$((asked_for * 4 / 5 + 1))
    with_auth --aaaa-share 0
    expect_answers 0 "every fifth query is for a cached name" "$all_valid" next --cached-share 20 \
        --per-query "$queries"
    expect_load $others $others 0
    check "it was every fifth" awk -F ';' 'NR > 1 {
            if (($2 ~ /^010-[0-9]*-000-000\./) != ($1 % 5 == 4)) exit 1 }' "$queries"
    rm -f "$queries"
    expect_answers 0 "all queries are for a cached name" "$all_valid" next --cached-share 100
    expect_load 1 1 0
}

# Tests addresses that are of no use in an IPv6 network (RFC 6147 section 5.1.4). Only BIND leaves
# them out.
test_exclusion() {
    local mapped=(--aaaa-share 100 --aaaa-prefix ::ffff:0:0/96)
    with_auth "${mapped[@]}"
    if [[ $kind != bind9 ]]; then
        expect_answers 0 "IPv4-mapped addresses are passed on" "$all_valid" next "${mapped[@]}"
        expect_load 0 0 $asked_for
    else
        expect_answers 0 "IPv4-mapped addresses are not passed on" "$all_valid" next
        expect_load 0 $asked_for $asked_for
    fi
}

# Tests each length of prefix, and a prefix that differs in its last bit.
test_prefixes() {
    local prefix
    with_auth --aaaa-share 0
    for prefix in 2001:db8::/32 2001:db8:100::/40 2001:db8:122::/48 2001:db8:122:300::/56 \
        2001:db8:122:344::/64 2001:db8:122:344::/96; do
        stop_server >/dev/null
        rm -rf "${scratch:?}/$kind"
        start_dns64 "$kind" "$scratch/$kind" --pref64 "$prefix" || { fail "$kind $prefix" && return; }
        expect_answers 0 "$prefix" "$all_valid and r['answer'] == '$prefix'" next \
            --answer-prefix "$prefix" --duration 0.1 --timeout 0.5
    done
    expect_answers 1 "a prefix that differs in a bit" "r['invalid']['wrong_data'] == r['sent']" \
        last --answer-prefix 2001:db8:122:344:0:1::/96 --duration 0.1 --timeout 0.5
}

# Tests RFC 6147. Servers deviate from it in some points, which tools/DNS64.md lists. A resolver may
# wait long for the answer that never comes.
test_conformance() {
    stop_auth
    start_in auth "$conformance" serve --listen "${auth_addresses[0]}"
    auth_pid=$STARTED_PID
    wait_for_dns dut "${auth_addresses[0]}" 53 "$server_zone"
    in_ns tester "$conformance" check --server $server6 --pref64 2001:db8:64::/96 --patience 3 \
        >"$said" 2>&1
    check "$kind: conformance: nothing went wrong" [ $? -le 1 ]
    check "$kind: synthesizes" grep -Eq '^5\.1\.6 +MUST +pass +no AAAA record' "$said"
    check "$kind: returns AAAA records" grep -Eq '^5\.1\.1 +MUST +pass ' "$said"
    check "$kind: a line for each behaviour" [ "$(grep -Ec '^(RFC 6052 3|5)\.' "$said")" -eq 30 ]
    check "$kind: nothing is wrong that tools/DNS64.md does not tell of" has_known_failures
}

# failures_in FILE: prints failures without what was seen, which contains names of one run.
failures_in() { grep -E '^[^ ].* fail ' "$1" | sed 's/ \[.*//' | sort; }

has_known_failures() {
    local known=$scratch/known
    sed -n "/^### $kind\$/,/^### /p" "$lib_directory/../../tools/DNS64.md" >"$known"
    [[ -z $(comm -23 <(failures_in "$said") <(failures_in "$known")) ]] && return
    cat "$said"
    return 1
}

# Only AuthDNS' place differs: tests that queries come to it, and that the Tester can be AuthDNS
# too.
test_two_devices() {
    local others=$((asked_for / 2)) busy
    with_auth --aaaa-share 50
    expect_answers 0 "half of the names have an AAAA record" "$all_valid" next --aaaa-share 50
    expect_load $others $others $others
    busy=$(ip -n "$lab_name-tester" -s -j link show dev g1 | grep -o '"packets":[0-9]*' | head -n 1)
    check "$kind: by the second link: ${busy#*:} packets came in there" \
        test "${busy#*:}" -ge $((3 * others))
    with_auth --aaaa-share 0
    others=$((asked_for * 4 / 5 + 1))
    expect_answers 0 "every fifth query is for a cached name" "$all_valid" next --cached-share 20
    expect_load $others $others 0
}

test_three_devices() {
    test_shares
    test_cached
    test_exclusion
    test_conformance
    # This server has only one length of prefix.
    [[ $kind == pdns-recursor ]] || test_prefixes
}

# try_server KIND
try_server() {
    kind=$1
    start_auth --aaaa-share 0
    if start_dns64 "$kind" "$scratch/$kind"; then
        "test_${setup}_devices"
    else
        fail "$kind does not start"
    fi
    check "$kind stops" stop_server
    rm -rf "${scratch:?}/$kind"
    stop_auth
}

lab_up --setup "dns64-$setup"
lay_out
[[ $# -gt 0 ]] || set -- "${dns64_kinds[@]}"
tested=0
for kind in "$@"; do
    if ! server_is_installed "$kind"; then
        echo "SKIP: $kind: no $(server_program "$kind"): see tools/install-packages"
        continue
    fi
    tested=$((tested + 1))
    try_server "$kind"
done
((tested > 0)) || exit 77
finish
