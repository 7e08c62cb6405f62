#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# lists_test.sh [more]: tests trials of lists: against NSD, where dnsperf must count the same RCODEs, and against a server
# that is wrong in known ways, class by class. What is tried in one address family, `more` tries in the
# other. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
PATH=$PATH:/usr/sbin
skip_unless_root
skip_unless_built dnsgauge dnsgauge-zone fakedns
for program in nsd dnsperf gzip xz; do
    command -v $program >/dev/null || skip "no $program on this machine: see tools/install-packages"
done
/usr/bin/python3 -c 'import dns.message' 2>/dev/null || skip "no dnspython on this machine"

input=/dev/null
# list_trial SERVER [options]: a trial with as many queries as $list has, of that list unless the
# options name another. Standard input is $input.
list_trial() {
    local server=$1 status=0 count own=(--queries "$list")
    shift
    count=$(grep -c . "$list")
    [[ " $* " == *" --queries "* ]] && own=()
    rm -f "$result"
    in_ns tester "$dnsgauge" trial --interface g0 --server "$server" "${own[@]}" --rate 1000 \
        --duration "$(awk "BEGIN { print $count / 1000 }")" --timeout 2 --max-lateness 60 \
        --max-overrun 60 --max-others 100 --json "$result" "$@" <"$input" >"$said" 2>&1 || status=$?
    keep_results "$result"
    return $status
}

# Succeeds if a busy machine kept the server from answering for so long that late answers may have
# come too late: then what the server did is unknown.
was_starved() {
    [[ -e $result ]] && told 'r["rtt_ns"]["max"] and r["rtt_ns"]["max"] > 9e8' >/dev/null 2>&1
}

# expect_list STATUS WHAT EXPRESSION SERVER [options]: checks a list's trial, made again while this
# machine stalls.
expect_list() {
    local wanted=$1 what=$2 expression=$3 status turn
    shift 3
    for turn in {1..10}; do
        status=0
        list_trial "$@" || status=$?
        [[ $status -eq 3 ]] && grep -Eq "invalid: $stalled" "$said" || was_starved || break
    done
    if [[ $status -ne $wanted ]]; then
        fail "$what: exit status $status, not $wanted: $(cat "$said")"
        return
    fi
    check "$what" holds "$adds_up and r['workload']['kind'] == 'list' and ($expression)"
}

# ---- NSD

start_nsd() {
    mkdir -p "$scratch/nsd"
    chmod 777 "$scratch/nsd"
    cat >"$scratch/nsd/zone" <<'ZONE'
$ORIGIN example.test.
$TTL 60
@       SOA ns hostmaster 1 3600 600 86400 60
@       NS ns
@       MX 10 mail
@       TXT "a text"
ns      A 192.0.2.53
www     A 192.0.2.1
www     AAAA 2001:db8::1
mail    A 192.0.2.25
alias   CNAME www
\000\.x TXT "odd"
ZONE
    cat >"$scratch/nsd/nsd.conf" <<CONF
server:
    ip-address: $server4
    ip-address: $server6
    username: ""
    chroot: ""
    zonesdir: "$scratch/nsd"
    database: ""
    zonelistfile: "$scratch/nsd/zone.list"
    xfrdfile: "$scratch/nsd/xfrd.state"
    xfrdir: "$scratch/nsd"
    pidfile: "$scratch/nsd/pid"
    rrl-ratelimit: 0
    rrl-whitelist-ratelimit: 0
remote-control:
    control-enable: no
zone:
    name: example.test.
    zonefile: "$scratch/nsd/zone"
CONF
    start_in dut nsd -d -c "$scratch/nsd/nsd.conf"
    nsd_pid=$STARTED_PID
    wait_for_dns tester $server4 53 www.example.test && wait_for_dns tester $server6 53 www.example.test ||
        fail "NSD does not answer: $(cat "$STARTED_LOG")"
}

# Every five queries have one for a name that does not exist, and one for a zone of somebody else.
write_list() {
    local i
    for i in {1..200}; do
        printf '%s\n' 'www.example.test A' 'WWW.example.TEST AAAA' "no-$i.example.test MX" \
            '\000\.x.example.test TXT' "www.example-$i.org A"
    done >"$list"
}

rcodes() { sed -nE "s/.*$1 ([0-9]+).*/\1/p" "$scratch/dnsperf"; }

test_nsd() {
    local server=$1 counts="{'NOERROR': 600, 'NXDOMAIN': 200, 'REFUSED': 200}"
    expect_list 0 "any RCODE is an answer, $server" "r['valid'] == r['sent'] == 1000 and
        r['rcodes'] == $counts and r['workload']['queries'] == 1000 and
        r['workload']['distinct'] == 403" "$server" --expect answered
    expect_list 1 "a refusal is of no use, $server" "r['valid'] == 800 and
        r['invalid']['rcode'] == 200 and r['rcodes'] == $counts and
        r['workload']['expect'] == 'useful'" "$server" --per-query "$queries"
    check "each query is in its place in the per-query file" awk -F ';' '
        NR == 1 { next }
        ($1 % 5 == 3) != ($2 == "\\000\\.x.example.test. TXT") { exit 1 }
        ($5 == "rcode") != ($2 ~ /^www\.example-[0-9]+\.org\. A$/) { exit 1 }
        END { exit NR != 1001 }' "$queries"
    expect_list 0 "a shuffled list has the same queries, $server" "r['rcodes'] == $counts" "$server" \
        --expect answered --shuffle 7
    in_ns tester dnsperf -s "$server" -d "$list" -n 1 -q 50 -c 1 -T 1 -Q 2000 -t 5 \
        >"$scratch/dnsperf" 2>&1 || fail "dnsperf: $(cat "$scratch/dnsperf")"
    check "dnsperf counts the same RCODEs, $server" \
        [ "$(rcodes NOERROR) $(rcodes NXDOMAIN) $(rcodes REFUSED)" = "600 200 200" ]
}

# Lines that say which data are right, and one of five says it wrong.
test_data() {
    local whole=$list i
    list=$scratch/data
    for i in {1..100}; do
        printf '%s\n' 'www.example.test A data=192.0.2.1 aa' 'alias.example.test A data=192.0.2.1' \
            'www.example.test AAAA E data=2001:db8::1' 'example.test TXT data=06612074657874' \
            'www.example.test A data=192.0.2.2'
    done >"$list"
    expect_list 1 "data are judged, $1" "r['valid'] == 400 and r['invalid']['wrong_data'] == 100" "$1"
    list=$whole
}

# Trials of the same list packed, and from standard input.
test_forms() {
    gzip -c "$list" >"$scratch/packed"
    expect_list 0 "packed by gzip" 'r["valid"] == 1000' $server4 --expect answered --queries "$scratch/packed"
    xz -c "$list" >"$scratch/packed"
    input=$scratch/packed
    expect_list 0 "packed by xz, on standard input" 'r["valid"] == 1000' $server4 --expect answered --queries -
    input=/dev/null
}

# ---- a wrong server, and a faulty one

test_wrong_server() {
    expect_list 1 "where no server is, all queries are lost, $1" 'r["lost"] == r["sent"] == 1000' "$1"
}

ways=40
test_faulty() {
    local server=$1 right
    start_in dut nice -n -10 /usr/bin/python3 "$lib_directory/listed_server.py" serve "$server"
    for _ in {1..50}; do
        grep -q ready "$STARTED_LOG" && break
        sleep 0.1
    done
    right=$("$lib_directory/listed_server.py" counts $ways)
    expect_list 1 "every class of a faulty server is exact, $server" "(lambda right:
        all(r[k] == right[k] for k in ('sent', 'valid', 'late', 'lost', 'duplicate', 'unexpected',
            'rcodes')) and
        {k: v for k, v in r['invalid'].items() if v and k != 'total'} == right['invalid'] and
        r['replies']['with_rrsig'] == right['signed'] and
        r['replies']['no_question'] == right['no_question'] and
        {flag: r['replies'][flag] for flag in ('aa', 'ad', 'tc')} == right['flags'] and
        r['replies']['without_rrsig'] == r['replies']['count'] - right['signed'] and
        r['replies']['count'] == sum(r['rcodes'].values()) == r['replies']['read_whole'])($right)" \
        "$server"
    check "sizes of replies add up, and bound the rate of a link, $server" holds "(lambda sizes, told, ends:
        sum(count for _, _, count in sizes) == told['count'] and
        ends[0] <= told['octets']['min'] <= told['octets']['mean'] <= told['octets']['max'] <= ends[1] and
        sum(low * count for low, _, count in sizes) <= told['octets']['mean'] * told['count'] <=
            sum(high * count for _, high, count in sizes) and
        told['wire_octets_mean'] == told['octets']['mean'] + 8 + 14 + 24 + (40 if ':' in '$server' else 20) and
        abs(told['line_rate_10g'] * 8 * told['wire_octets_mean'] / 10e9 - 1) < 1e-3)(
            r['replies']['octets_histogram'], r['replies'],
            (r['replies']['octets_histogram'][0][0], r['replies']['octets_histogram'][-1][1]))"
    test_bare "$server"
    test_letters "$server"
    stop_pid "$STARTED_PID"
}

# A header alone is an answer where any RCODE is one.
test_bare() {
    local whole=$list list=$scratch/bare
    grep '^noquestion-' "$whole" >"$list"
    expect_list 0 "any RCODE is an answer, with a question or without one, $1" "r['valid'] == r['sent'] ==
        r['replies']['no_question'] and r['rcodes'] == {'FORMERR': r['sent']}" "$1" --expect answered
    expect_list 1 "which is an error where only useful ones are, $1" "r['invalid']['rcode'] == r['sent'] ==
        r['replies']['no_question'] and r['rcodes'] == {'FORMERR': r['sent']}" "$1"
}

# The server repeats names as they were sent, but for two ways: of these it makes all letters capital, or small.
test_letters() {
    local server=$1 right
    right=$("$lib_directory/listed_server.py" counts $ways capitals)
    expect_list 1 "letters count where they are to, $server" "(lambda right:
        {k: v for k, v in r['invalid'].items() if v and k != 'total'} == right['invalid'] and
        r['valid'] == right['valid'] and r['workload']['letter_case'] == 'exact')($right)" "$server" --letter-case exact
    right=$("$lib_directory/listed_server.py" counts $ways capitals small)
    expect_list 1 "and of names in mixed case, $server" "(lambda right:
        {k: v for k, v in r['invalid'].items() if v and k != 'total'} == right['invalid'] and
        r['valid'] == right['valid'] and r['workload']['letter_case'] == 'exact')($right)" "$server" --mix-case 5
}

# ---- a mix, whose lines say what FakeDNS must answer

test_mix() {
    local server
    "$dnsgauge-zone" mix --names 10.0.0.0/22 --queries 1000 --do 80 --nxdomain 30 --types A=60,AAAA=30,MX=10 \
        --aaaa-share 50 --output "$list"
    check "a mix has as many lines as it is to have" [ "$(grep -c . "$list")" -eq 1000 ]
    check "and its shares" [ "$(grep -c ' D ' "$list") $(grep -c NXDOMAIN "$list") $(grep -c ' MX ' "$list")" = \
        "800 300 100" ]
    start_fakedns --aaaa-share 50
    for server in $server4 $server6; do
        expect_list 0 "every answer of a mix is as its line says, $server" "r['valid'] == 1000 and
            r['rcodes'] == {'NOERROR': 700, 'NXDOMAIN': 300}" "$server"
    done
    sed -i 's/data=10\./data=11./; s/data=2001:db8::a/data=2001:db8::b/' "$list"
    expect_list 1 "and where the lines say something else, no answer is" "r['invalid']['wrong_data'] ==
        $(grep -c data= "$list") and r['valid'] == $(grep -c answers=0 "$list")" $server4
    test_own_mix
    stop_fakedns
}

# mix_trial STATUS WHAT EXPRESSION [options]: a trial that makes the same mix itself.
mix_trial() {
    local wanted=$1 what=$2 expression=$3 status turn
    shift 3
    for turn in {1..10}; do
        status=0
        rm -f "$result"
        in_ns tester "$dnsgauge" trial --interface g0 --names 10.0.0.0/22 --rate 1000 --duration 1 \
            --do 80 --nxdomain 30 --types A=60,AAAA=30,MX=10 --timeout 2 --max-lateness 60 \
            --max-overrun 60 --max-others 100 --json "$result" "$@" >"$said" 2>&1 || status=$?
        [[ $status -eq 3 ]] && grep -Eq "invalid: $stalled" "$said" || was_starved || break
    done
    keep_results "$result"
    if [[ $status -ne $wanted ]]; then
        fail "$what: exit status $status, not $wanted: $(cat "$said")"
        return
    fi
    check "$what" holds "$adds_up and r['workload']['kind'] == 'mix' and ($expression)"
}

test_own_mix() {
    local server types="'types': 'A=60,AAAA=30,MX=10'"
    for server in $server4 $server6; do
        mix_trial 0 "a trial's own mix is right, $server" "r['valid'] == 1000 and
            r['rcodes'] == {'NOERROR': 700, 'NXDOMAIN': 300} and r['workload'] == {'kind': 'mix',
            'do_percent': 80, 'nxdomain_percent': 30, $types, 'aaaa_share_percent': 50,
            'signed': False, 'letter_case': 'any', 'mix_case_seed': None}" --server "$server" --aaaa-share 50 --per-query "$queries"
        check "each query is in the per-query file" [ \
            "$(grep -c ';no-' "$queries") $(grep -c '\. MX;' "$queries")" = "300 100" ]
    done
    # Half of the names that exist and are asked for AAAA have no such record.
    mix_trial 1 "a record that is missing is noticed" "r['invalid']['no_answer'] ==
        $(awk '/ AAAA .*answers=0/ && /NOERROR/' "$list" | grep -c .) and
        r['valid'] + r['invalid']['no_answer'] == 1000" --server $server4
    mix_trial 1 "a signature that is missing is noticed" "r['invalid']['no_answer'] ==
        $(grep -c ' D .*data=' "$list")" --server $server4 --aaaa-share 50 --signed
}

# ---- what is refused

refused() { # WHAT PATTERN [options]
    local what=$1 pattern=$2 status=0
    shift 2
    in_ns tester "$dnsgauge" trial --interface g0 --server $server4 --rate 100 --duration 1 "$@" \
        >"$said" 2>&1 || status=$?
    expect 2 "$what" "$pattern"
}

test_refusals() {
    printf 'a A\n\n; two\nb.. A\n' >"$scratch/bad"
    refused "a bad line is named" '^dnsgauge: --queries [^ ]+/bad, line 4: "b\.\." is no name' \
        --queries "$scratch/bad"
    refused "a file that is not there" '^dnsgauge: cannot read --queries /nowhere: No such file' \
        --queries /nowhere
    refused "an empty list" '^dnsgauge: --queries /dev/null: there is no query in it' --queries /dev/null
    refused "neither names nor a list" '^dnsgauge: --names is required, unless --queries'
    refused "both" '--queries excludes --names' --queries "$list" --names 10.0.0.0/24
    refused "a DNS64 server" '^dnsgauge: --dut dns64: .*--queries' --queries "$list" --dut dns64
    refused "times of their own" '^dnsgauge: --pace original: only the queries of captures' \
        --queries "$list" --pace original
    refused "a mix of something else" '^dnsgauge: --types: "A=60" are no types with shares' \
        --names 10.0.0.0/24 --types A=60
    refused "a type whose records are unknown" '^dnsgauge: --types: the number of records' \
        --names 10.0.0.0/24 --types ANY=100
    refused "more queries than names" '^dnsgauge: 100 queries/s for 1 s need 100 different' \
        --names 10.0.0.0/26 --do 50
    refused "an order without a list" '^dnsgauge: --shuffle belongs to a list: give --queries' \
        --names 10.0.0.0/24 --shuffle 1
    refused "letters without a list" '^dnsgauge: --mix-case belongs to a list or a capture' \
        --names 10.0.0.0/24 --mix-case 1
}

lab_up
lay_out
list=$scratch/queries.txt
write_list
one=$server4 other=$server6
[[ ${1-} != more ]] || one=$server6 other=$server4
test_wrong_server $one
start_nsd
test_nsd $other
test_data $one
if [[ ${1-} != more ]]; then
    test_refusals
    test_forms
    stop_pid "$nsd_pid"
    test_mix
else
    stop_pid "$nsd_pid"
fi
"$lib_directory/listed_server.py" list $ways >"$list"
test_faulty $other
check "nothing is left at the end" no_program
finish
