#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests data sets: a real server of the kind in $1 serves each, and answers all 20,000 queries of its
# list as the list says; in both address families. Signed ones are signed by ldns-signzone and accepted by
# ldns-verify-zone and kzonecheck; over both families a script checks RCODE, signatures and denials in the replies to
# all queries, and delv validates answers.
# PowerDNS must refuse signed ones, and YADIFA serves no opt-out. Where a server refuses its zone, a sweep says so,
# and goes on once the zone is mended. With `algorithms` as $2: small data sets of each kind, signed with each
# algorithm, with NSEC and with NSEC3, are verified and validated in the same way, and no trial asks their lists.
# Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
dnsgauge=$bin/dnsgauge
zone_tool=$dnsgauge-zone
kind=${1:?which server: ${server_kinds[*]}}
of=${2-}
PATH=$PATH:/usr/sbin

skip_unless_root
skip_unless_built dnsgauge dnsgauge-zone
skip_unless_installed "$kind"
for program in ldns-signzone ldns-verify-zone kzonecheck delv; do
    command -v $program >/dev/null || skip "no $program on this machine: see tools/install-packages"
done
/usr/bin/python3 -c 'import cryptography, dns' 2>/dev/null ||
    skip "no python3-dnspython or python3-cryptography: see tools/install-packages"
# shellcheck disable=SC2034
dut_addresses=(198.18.0.2 2001:2::2)

give_server_a_cpu

queries=20000
# If queries are still lost, the list is asked again, more slowly, because the answers do not depend on the rate.
rates=(5000 2000 1000)

# dataset DIRECTORY KIND [options]: makes a data set with a list as long as a trial.
dataset() {
    local directory=$1
    shift
    "$zone_tool" dataset "$@" --out "$directory" --queries $queries 2>"$scratch/said" ||
        fail "dataset $*: $(cat "$scratch/said")"
    [[ " $* " != *' --nsec3 '* ]] || touch "$directory/nsec3"
}

# holds EXPRESSION: succeeds if the Python expression is true of the result r.
holds() {
    /usr/bin/python3 -IS -c 'import json, sys
r = json.load(open(sys.argv[1], encoding="utf-8"))
why = r["why"]
sys.exit(0 if eval(f"({sys.argv[2]})") else f"not so: {sys.argv[2]}: {why}")' "$scratch/result.json" "$1"
}

# Prints how many queries full sockets on the DUT have dropped so far.
dropped() {
    in_ns dut awk '$1 == "Udp:" || $1 == "Udp6RcvbufErrors" { sum += $1 == "Udp:" ? $6 : $2 } END { print sum }' \
        /proc/net/snmp /proc/net/snmp6
}

# judge WHAT DATASET: asks the whole list over each address.
judge() {
    local address rate before lost
    for address in "${dut_addresses[@]}"; do
        for rate in "${rates[@]}"; do
            before=$(dropped)
            rm -f "$scratch/result.json"
            in_ns tester "$dnsgauge" trial --interface g0 --server "$address" \
                --queries "$2/queries.txt" --rate "$rate" --duration $((queries / rate)) --timeout 2 \
                --cpus "$tester_cpu" --max-lateness 60 --max-overrun 60 --max-others 100 --json "$scratch/result.json" \
                "${accept[@]}" >"$scratch/said" 2>&1
            lost=$(($(dropped) - before))
            ((lost == 0)) || echo "$1, $address: full sockets dropped $lost queries at $rate/s"
            holds "r['lost'] + r['late'] == 0" >/dev/null 2>&1 && break
        done
        check "$1, $address: every reply is as expected" \
            holds "r['verdict'] == 'pass' and r['sent'] == r['valid'] == $queries"
    done
}

# served WHAT DATASET ZONE SOA [quietly]: quietly asks no list.
served() {
    local what="$kind, $1"
    if ! start_on_dataset "$kind" "$scratch/server" "$2" "$3" "$4"; then
        fail "$what: it does not start"
        stop_server
        return
    fi
    if [[ ${5-} != quietly ]]; then
        check "$what: the server stays on its CPU" keep_on_cpu
        judge "$what" "$2"
    fi
    if [[ -e $2/anchors ]]; then
        check_signed "$what" "$2"
        if [[ ${5-} != quietly && ! -e $2/nsec3 ]]; then
            finds "$what: another RCODE is found" "$2" queries.txt 's/NXDOMAIN/NOERROR/' 'NXDOMAIN, not NOERROR'
            finds "$what: another key is found" "$2" anchors 's/\(static-key [0-9 ]*"\)..../\1zzzz/' 'wrong RRSIG'
        fi
        local address
        for address in "${dut_addresses[@]}"; do
            check "$what, $address: delv validates an answer" validated "$2" "$address" "$3" SOA
            check "$what, $address: delv validates that a name does not exist" validated "$2" "$address" "aa.${3#.}" A
        done
    fi
    check "$what: it stops" stop_server
    rm -r "$scratch/server"
}

# check_signed WHAT DATASET: checks RCODE, signatures and denials in the replies to the whole list.
check_signed() {
    local denial=nsec
    [[ ! -e $2/nsec3 ]] || denial=nsec3
    if in_ns tester "$lib_directory/check_signed.py" "$2" $denial "${dut_addresses[@]}" >"$scratch/said" 2>&1; then
        pass "$1: signatures and denials are right: $(cat "$scratch/said")"
    else
        fail "$1: signatures or denials are wrong: $(cat "$scratch/said")"
    fi
}

# finds WHAT DATASET FILE EXPRESSION PATTERN: checks that the script finds replies wrong, in words that fit PATTERN,
# where the data set differs from what is served: sed's EXPRESSION changes FILE.
finds() {
    local wrong=$scratch/wrong status=0
    rm -rf "$wrong"
    mkdir "$wrong"
    head -n 200 "$2/queries.txt" >"$wrong/queries.txt"
    cp "$2/anchors" "$wrong"
    sed -i "$4" "$wrong/$3"
    in_ns tester "$lib_directory/check_signed.py" "$wrong" nsec "${dut_addresses[0]}" >"$scratch/said" 2>&1 || status=$?
    if ((status == 1)) && grep -Eq "$5" "$scratch/said"; then
        pass "$1"
    else
        fail "$1: exit status $status: $(cat "$scratch/said")"
    fi
}

# validated DATASET ADDRESS NAME TYPE
validated() {
    in_ns tester delv -a "$1/anchors" +root="${server_zone%.}." "@$2" "$3" "$4" \
        >"$scratch/said" 2>&1
    grep -Eq '^; (fully validated|negative response, fully validated)' "$scratch/said" ||
        { cat "$scratch/said" && return 1; }
}

# verified DATASET: succeeds if both programs accept each signed zone.
verified() {
    local name file
    while read -r name file; do
        ldns-verify-zone "$1/$file" >"$scratch/said" 2>&1 && kzonecheck -o "$name" "$1/$file" >>"$scratch/said" 2>&1 ||
            { cat "$scratch/said" && return 1; }
    done <"$1/dataset"
}

lab_up
# YADIFA writes an alias after the record to which it leads.
accept=()
[[ $kind != yadifa ]] || accept=(--accept-answers owner)

test_plain() {
    dataset "$scratch/root" root
    dataset "$scratch/tld" tld --names 20000
    served "a root" "$scratch/root" . a
    served "a top-level domain" "$scratch/tld" test. ns1
}

# refused WHAT DATASET: checks that the server is given no such data set, in one line.
refused() {
    if "$zone_tool" server "$kind" --directory "$scratch/server" --dataset "$2" --listen 198.18.0.2 \
        >"$scratch/said" 2>&1; then
        fail "$kind, $1: it is not refused"
    else
        check "$kind, $1, is refused: $(cat "$scratch/said")" [ "$(wc -l <"$scratch/said")" -eq 1 ]
    fi
    rm -rf "$scratch/server"
}

test_signed() {
    local opt_out=--opt-out
    # YADIFA answers for the SOA record of such a zone without a signature: zones/README.md.
    [[ $kind != yadifa ]] || opt_out=
    dataset "$scratch/nsec" root --names 500 --sign 8
    # shellcheck disable=SC2086
    dataset "$scratch/nsec3" tld --names 2000 --zone signed.test --sign 13 --nsec3 --nsec3-iterations 1 \
        --nsec3-salt 0badcafe $opt_out
    local each
    for each in nsec nsec3; do
        check "$each: the zone is signed well" verified "$scratch/$each"
    done
    if [[ $kind == pdns ]]; then
        refused "a signed root" "$scratch/nsec"
        refused "a signed top-level domain" "$scratch/nsec3"
        return
    fi
    served "a root with NSEC, algorithm 8" "$scratch/nsec" . a
    served "a top-level domain with NSEC3, algorithm 13" "$scratch/nsec3" signed.test. ns1
}

test_hosting() {
    dataset "$scratch/hosting" hosting --names 500
    served "500 small zones" "$scratch/hosting" "$(head -n 1 "$scratch/hosting/dataset" | cut -f 1)" ns1
    dataset "$scratch/hosting15" hosting --names 50 --sign 15
    check "signed small zones are signed well" verified "$scratch/hosting15"
    if [[ $kind == pdns ]]; then
        refused "signed small zones" "$scratch/hosting15"
        return
    fi
    served "50 signed small zones" "$scratch/hosting15" \
        "$(head -n 1 "$scratch/hosting15/dataset" | cut -f 1)" ns1
}

# sweep [options]: makes a sweep of two steps, before each of which the server is started anew. What it says is in
# $scratch/said, its exit status in $status.
sweep() {
    status=0
    in_ns tester "$dnsgauge" sweep --beyond-selftest --interface g0 --server "${dut_addresses[0]}" \
        --queries "$scratch/broken/queries.txt" --min-rate 100 --max-rate 200 --steps 2 --duration 1 --timeout 1 --pause 0 \
        --cpus "$tester_cpu" --max-lateness 60 --max-overrun 60 --max-others 100 --before-trial "$scratch/restart" \
        --journal "$scratch/journal" --json "$scratch/sweep.json" "$@" >"$scratch/table" 2>"$scratch/said" || status=$?
}

# The zone goes bad before the second step: one line says that the server does not get ready, and the first step is
# kept. Once the zone is as it was, the sweep goes on.
test_refused_zone() {
    local zone status
    dataset "$scratch/broken" tld --names 100
    zone=$scratch/broken/$(cut -f 2 "$scratch/broken/dataset")
    cp "$zone" "$scratch/good"
    "$zone_tool" server "$kind" --directory "$scratch/server" --dataset "$scratch/broken" --listen "${dut_addresses[0]}" ||
        fail "$kind has no configuration"
    cat >"$scratch/stop" <<END
#!/bin/sh
[ -e $scratch/pid ] || exit 0
read -r pid <$scratch/pid
kill \$pid 2>/dev/null
while kill -0 \$pid 2>/dev/null; do sleep 0.05; done
rm $scratch/pid
END
    cat >"$scratch/restart" <<END
#!/bin/sh
$scratch/stop
[ ! -e $scratch/was ] || echo 'what.is.this? (' >>$zone
touch $scratch/was
ip netns exec $lab_name-dut $scratch/server/start >$scratch/server/run/output 2>&1 </dev/null &
echo \$! >$scratch/pid
END
    chmod +x "$scratch/stop" "$scratch/restart"
    sweep --ready-timeout 4
    check "$kind refuses its zone: exit status 2, one line: $(tail -n 1 "$scratch/said")" \
        [ "$status $(grep -c '^dnsgauge: the server is not ready 4 s after .*go on with --resume$' "$scratch/said")" = "2 1" ]
    check "$kind refuses its zone: the first step is kept" [ "$(grep -c '"record":"trial"' "$scratch/journal")" -eq 1 ]
    "$scratch/stop"
    cp "$scratch/good" "$zone"
    rm "$scratch/was"
    sweep --resume
    check "$kind has its zone again: the sweep goes on" [ $status -eq 0 ]
    check "$kind has its zone again: no step is lost, none made again" \
        [ "$(grep -c '"record":"trial"' "$scratch/journal")" -eq 2 ]
    "$scratch/stop"
    rm -r "$scratch/server"
}

# The first label in the SOA record of each kind's zones.
declare -A soa=([root]=a [tld]=ns1 [hosting]=ns1)

test_algorithms() {
    local algorithm which denial options what
    for algorithm in 5 7 8 10 13 14 15; do
        for which in root tld hosting; do
            for denial in nsec nsec3; do
                # RFC 5155, section 2: algorithm 5 knows no NSEC3.
                [[ $algorithm/$denial != 5/nsec3 ]] || continue
                options=(--names 20 --zone signed.test --sign $algorithm)
                [[ $denial == nsec ]] || options+=(--nsec3 --nsec3-iterations 1 --nsec3-salt 0badcafe)
                what="$which, algorithm $algorithm, $denial"
                dataset "$scratch/$denial" $which "${options[@]}"
                check "$what: every zone is signed well" verified "$scratch/$denial"
                served "$what" "$scratch/$denial" "$(head -n 1 "$scratch/$denial/dataset" | cut -f 1)" \
                    ${soa[$which]} quietly
                rm -r "${scratch:?}/$denial"
            done
        done
    done
}

if [[ $of == algorithms ]]; then
    queries=100
    test_algorithms
    finish
fi
test_refused_zone
test_plain
test_signed
test_hosting
finish
