#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests data sets: a real server of the kind in $1 serves each, and answers all 20,000 queries of its
# list as the list says; in both address families. Signed ones are signed by ldns-signzone and
# accepted by ldns-verify-zone and kzonecheck, and delv validates answers. PowerDNS must refuse signed
# ones, and YADIFA serves no opt-out. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
dnsgauge=$bin/dnsgauge
zone_tool=$dnsgauge-zone
kind=${1:?which server: ${server_kinds[*]}}
PATH=$PATH:/usr/sbin

skip_unless_root
skip_unless_built dnsgauge dnsgauge-zone
skip_unless_installed "$kind"
for program in ldns-signzone ldns-verify-zone kzonecheck delv; do
    command -v $program >/dev/null || skip "no $program on this machine: see tools/install-packages"
done
# shellcheck disable=SC2034
dut_addresses=(198.18.0.2 2001:2::2)

queries=20000
# A machine with other work may keep a server from answering in time: then the list is asked again,
# more slowly, because what the answers are does not depend on the rate.
rates=(5000 2000 1000)

# dataset DIRECTORY KIND [options]: makes a data set with a list as long as a trial.
dataset() {
    local directory=$1
    shift
    "$zone_tool" dataset "$@" --out "$directory" --queries $queries 2>"$scratch/said" ||
        fail "dataset $*: $(cat "$scratch/said")"
}

# holds EXPRESSION: succeeds if the Python expression is true of the result r.
holds() {
    /usr/bin/python3 -IS -c 'import json, sys
r = json.load(open(sys.argv[1], encoding="utf-8"))
why = r["why"]
sys.exit(0 if eval(f"({sys.argv[2]})") else f"not so: {sys.argv[2]}: {why}")' "$scratch/result.json" "$1"
}

# judge WHAT DATASET: asks the whole list over each address.
judge() {
    local address rate
    for address in "${dut_addresses[@]}"; do
        for rate in "${rates[@]}"; do
            in_ns tester "$dnsgauge" trial --interface g0 --server "$address" \
                --queries "$2/queries.txt" --rate "$rate" --duration $((queries / rate)) --timeout 2 \
                --max-lateness 60 --max-overrun 60 --max-others 100 --json "$scratch/result.json" \
                >"$scratch/said" 2>&1
            holds "r['lost'] + r['late'] == 0" >/dev/null 2>&1 && break
        done
        check "$1, $address: every reply is as expected" \
            holds "r['verdict'] == 'pass' and r['sent'] == r['valid'] == $queries"
    done
}

# served WHAT DATASET ZONE SOA
served() {
    local what="$kind, $1"
    if ! start_on_dataset "$kind" "$scratch/server" "$2" "$3" "$4"; then
        fail "$what: it does not start"
        stop_server
        return
    fi
    judge "$what" "$2"
    if [[ -e $2/anchors ]]; then
        check "$what: delv validates an answer" validated "$2" "$3" SOA
        check "$what: delv validates that a name does not exist" validated "$2" "aa.${3#.}" A
    fi
    check "$what: it stops" stop_server
    rm -r "$scratch/server"
}

# validated DATASET NAME TYPE
validated() {
    in_ns tester delv -a "$1/anchors" +root="${server_zone%.}." "@${dut_addresses[0]}" "$2" "$3" \
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

test_plain
test_signed
test_hosting
finish
