#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests a mix (dnsgauge trial --types --do --nxdomain --signed) against a server of the kind in $1 whose
# zone ldns-signzone has signed: each answer to a query with DO must have its signature, and signatures
# are counted; in both address families. The same server without signatures fails. Exit status 77: this
# test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
# shellcheck disable=SC2034
zone_tool=$dnsgauge-zone
kind=${1:?which server: ${server_kinds[*]}}
PATH=$PATH:/usr/sbin
skip_unless_root
skip_unless_built dnsgauge dnsgauge-zone
skip_unless_installed "$kind"
for program in ldns-keygen ldns-signzone; do
    command -v $program >/dev/null || skip "no $program on this machine: see tools/install-packages"
done
names=10.0.0.0/22
shares=(--do 80 --nxdomain 30 --types A=60,AAAA=30,MX=10)

# sign FILE: signs the zone in the file, with one key.
sign() {
    local key
    key=$(cd "$scratch" && ldns-keygen -a ECDSAP256SHA256 "$server_zone") &&
        ldns-signzone -o "$server_zone" -f "$1.signed" "$1" "$scratch/$key" && mv "$1.signed" "$1"
}

# start_on DIRECTORY: starts the server whose zone and configuration are there.
start_on() {
    local address
    start_in dut "$1/start"
    server=$STARTED_PID
    for address in $server4 $server6; do
        wait_for_dns tester "$address" 53 "$server_zone" && continue
        fail "$kind does not answer on $address: $(cat "$STARTED_LOG" "$1"/run/*.log)"
        finish
    done
}

lab_up
lay_out
for directory in plain signed; do
    "$zone_tool" server "$kind" --directory "$scratch/$directory" --zone "$server_zone" --names $names \
        --aaaa-share 50 --listen $server4 --listen $server6 || fail "no configuration of $kind"
done
sign "$scratch/signed/zone" || fail "the zone is not signed"

# What the trial asks, as lines that say what is right: they were tried against other servers.
"$zone_tool" mix --names $names --queries 1000 "${shares[@]}" --aaaa-share 50 --signed --output "$scratch/list"
signatures=$(grep -c ' rrsig$' "$scratch/list")
check "the mix asks for signatures, and not in every answer" [ "$signatures" -gt 200 -a "$signatures" -lt 700 ]

start_on "$scratch/signed"
for address in $server4 $server6; do
    expect_trial 0 "$kind, $address: every signature is there, and counted" "
        r['valid'] == r['sent'] == r['replies']['read_whole'] == 1000 and
        r['rcodes'] == {'NOERROR': 700, 'NXDOMAIN': 300} and
        r['replies']['with_rrsig'] == $signatures and r['workload']['signed']" \
        "$address" "${shares[@]}" --aaaa-share 50 --signed --rate 1000
    expect_trial 1 "$kind, $address: an answer with a signature that is not to be there is wrong" "
        r['invalid']['extra_records'] == $signatures == 1000 - r['valid']" \
        "$address" "${shares[@]}" --aaaa-share 50 --rate 1000
done
stop_pid "$server"
start_on "$scratch/plain"
for address in $server4 $server6; do
    expect_trial 1 "$kind, $address: a signature that is missing is noticed" "
        r['invalid']['no_answer'] == $signatures == 1000 - r['valid'] and
        r['replies']['with_rrsig'] == 0" \
        "$address" "${shares[@]}" --aaaa-share 50 --signed --rate 1000
done
stop_pid "$server"
check "nothing is left at the end" no_program
finish
