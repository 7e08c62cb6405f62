#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# strict_test.sh server KIND | resolver KIND [as-packaged]: no right reply of a real server fails the strict judge. The
# server has a zone with aliases, wildcards, glue and sets of records, plain and signed, and is set to answer
# minimally and not, compressed and not; every source of queries asks it, with EDNS options and scrambled letters (0x20)
# too. With `as-packaged` only that setting is tried, over IPv4. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
# shellcheck source-path=SCRIPTDIR source=root.sh
. "$lib_directory/root.sh"
role=${1:?server or resolver}
kind=${2:?which: ${server_kinds[*]}, ${resolver_kinds[*]}}
PATH=$PATH:/usr/sbin
skip_unless_root
skip_unless_built dnsgauge dnsgauge-zone
skip_unless_installed "$kind" knot
for program in ldns-keygen ldns-signzone tcpdump; do
    command -v $program >/dev/null || skip "no $program on this machine: see tools/install-packages"
done

rate=250
auth=198.18.2.1
zone_tool=write_server # servers.sh calls it
setting=as_packaged
is_signed=
# shellcheck disable=SC2034
dut_addresses=($server4 $server6)

# ---- zones and settings

# Every name of the list that a resolver can answer as well.
more_records() {
    cat <<'END'
alias CNAME 010-000-000-001
chain CNAME alias
*.wild A 192.0.2.9
many A 192.0.2.1
many A 192.0.2.2
many A 192.0.2.3
text TXT "a text"
@ MX 10 mail
@ MX 20 mail2
mail A 192.0.2.25
mail AAAA 2001:db8::25
mail2 A 192.0.2.26
below NS ns.below
below NS ns2.below
ns.below A 192.0.2.53
ns2.below AAAA 2001:db8::53
END
}

# write_server: does what dnsgauge-zone does, adds records to the zone, signs it, and makes the setting.
write_server() {
    local directory=$server_directory
    "$bin/dnsgauge-zone" "$@" || return
    if [[ -e $directory/zone ]]; then
        more_records >>"$directory/zone"
        [[ -z $is_signed ]] || sign "$directory/zone" || return
    fi
    "set_$setting" "$directory"
}

sign() {
    local key
    key=$(cd "$scratch" && ldns-keygen -a ECDSAP256SHA256 dns64perf.test) &&
        ldns-signzone -o dns64perf.test -f "$1.signed" "$1" "$scratch/$key" && mv "$1.signed" "$1"
}

# into FILE SECTION LINE...: puts the lines after the line that fits the pattern.
into() {
    local file=$1 section=$2 lines
    shift 2
    lines=$(printf '%s\\n' "$@")
    sed -i "0,/$section/s/$section/&\\n${lines%\\n}/" "$file"
}

# What each kind can be set to.
case $role-$kind in
server-bind9) settings=(as_packaged minimal whole uncompressed) ;;
server-nsd) settings=(as_packaged minimal whole cookies) ;;
server-knot) settings=(as_packaged nsid rotated) ;;
server-yadifa | server-pdns) settings=(as_packaged) ;;
resolver-unbound) settings=(as_packaged minimal whole rotated) ;;
resolver-bind9) settings=(as_packaged minimal whole uncompressed) ;;
resolver-knot-resolver) settings=(as_packaged rotated) ;;
resolver-pdns-recursor) settings=(as_packaged) ;;
esac
[[ ${3-} != as-packaged ]] || settings=(as_packaged)

set_as_packaged() { :; }

set_minimal() {
    case $kind in
    bind9) into "$1/named.conf" 'options {' 'minimal-responses yes;' 'minimal-any yes;' ;;
    nsd) into "$1/nsd.conf" 'server:' '    minimal-responses: yes' ;;
    unbound) into "$1/unbound.conf" 'server:' '    minimal-responses: yes' ;;
    esac
}

set_whole() {
    case $kind in
    bind9) into "$1/named.conf" 'options {' 'minimal-responses no;' ;;
    nsd) into "$1/nsd.conf" 'server:' '    minimal-responses: no' '    round-robin: yes' ;;
    unbound) into "$1/unbound.conf" 'server:' '    minimal-responses: no' ;;
    esac
}

set_uncompressed() { into "$1/named.conf" 'options {' 'message-compression no;' 'minimal-responses no;'; }

set_cookies() { into "$1/nsd.conf" 'server:' '    answer-cookie: yes' '    nsid: "ascii_nsd"'; }

# Knot's cookies are not tried: a query with a client's cookie alone gets BADCOOKIE, which is no answer.
set_nsid() { into "$1/knot.conf" 'server:' '    nsid: knot'; }

set_rotated() {
    case $kind in
    knot) into "$1/knot.conf" 'server:' '    answer-rotation: on' ;;
    unbound) into "$1/unbound.conf" 'server:' '    rrset-roundrobin: yes' ;;
    knot-resolver) echo 'policy.add(policy.all(policy.FLAGS({"REORDER_RR"})))' >>"$1/kresd.conf" ;;
    esac
}

# ---- what is asked

# Lines whose right data are known; $1 is put into each: "aa" or nothing.
lines_with_data() {
    local i flag
    for flag in '' D; do
        for i in {1..8}; do
            echo "010-000-000-00$i.dns64perf.test A $flag data=10.0.0.$i $1"
            echo "010-000-000-00$i.dns64perf.test AAAA $flag data=2001:db8::a00:$i $1"
        done
        cat <<END
alias.dns64perf.test A $flag data=10.0.0.1 $1
chain.dns64perf.test AAAA $flag data=2001:db8::a00:1 $1
x.wild.dns64perf.test A $flag data=192.0.2.9 $1
many.dns64perf.test A $flag data=192.0.2.1|192.0.2.2|192.0.2.3 $1
text.dns64perf.test TXT $flag data=06612074657874 $1
END
    done
}

lines_without_data() {
    local flag
    for flag in '' D; do
        cat <<END
dns64perf.test SOA $flag rcode=NOERROR
dns64perf.test NS $flag rcode=NOERROR
dns64perf.test MX $flag answers=2 rcode=NOERROR
text.dns64perf.test A $flag rcode=NOERROR
no-1.dns64perf.test A $flag rcode=NXDOMAIN
a.no-1.dns64perf.test MX $flag rcode=NXDOMAIN
alias.dns64perf.test CNAME $flag rcode=NOERROR
chain.dns64perf.test A $flag rcode=NOERROR
END
        [[ $role == server ]] || continue
        cat <<END
a.below.dns64perf.test A $flag rcode=NOERROR
below.dns64perf.test DS $flag rcode=NOERROR
example.org A $flag rcode=REFUSED
END
        # PowerDNS answers ANY with TC (any-to-tcp).
        [[ $kind == pdns ]] || echo "dns64perf.test ANY $flag rcode=NOERROR"
    done | sed '/answers=2/{/ D /s/answers=2 //}'
}

# right WHAT SERVER [options]: checks that every reply of a short trial is valid. A trial whose queries were lost is made
# again: this machine may stall.
right() {
    local what="$kind, ${setting//_/ }${is_signed:+, $is_signed}, $2: $1" server=$2 turn
    shift 2
    [[ " $* " == *" --capture "* ]] || set -- "$@" --rate $rate
    for turn in {1..4}; do
        rm -f "$result"
        in_ns tester "$dnsgauge" trial --interface g0 --server "$server" --duration 0.4 --timeout 1 --max-lateness 60 \
            --max-overrun 60 --max-others 100 --json "$result" "$@" >"$said" 2>&1
        keep_results "$result"
        [[ -e $result ]] && told 'r["lost"] + r["late"] == 0' >/dev/null && break
    done
    if [[ -e $result ]] && told 'r["sent"] == r["valid"] > 0' >/dev/null; then
        pass "$what"
    else
        fail "$what: $(grep -E 'invalid|dnsgauge:' "$said")"
    fi
}

of_names=(--names 10.0.0.0/24)

names_and_mixes() {
    local server=$1 signed=()
    [[ -z $is_signed ]] || signed=(--signed)
    right "names, A" "$server" "${of_names[@]}" --qtype A
    right "names, AAAA, EDNS and DO" "$server" "${of_names[@]}" --edns-size 1232 --dnssec-ok --recursion-desired
    right "a mix" "$server" "${of_names[@]}" --types A=50,AAAA=30,MX=20 --do 50 --nxdomain 30 "${signed[@]}"
    right "a mix with options" "$server" "${of_names[@]}" --types A=50,AAAA=50 --do 100 "${signed[@]}" \
        --edns-options nsid,cookie --letter-case exact
}

lists_and_captures() {
    local server=$1 aa= ask=() accept=()
    [[ $role == server ]] && aa=aa || ask=(--recursion-desired)
    # YADIFA writes an alias after the record to which it leads (zones/README.md).
    [[ $kind != yadifa ]] || accept=(--accept-answers owner)
    lines_with_data "$aa" >"$scratch/data"
    lines_without_data >"$scratch/list"
    cat "$scratch/data" "$scratch/list" >"$scratch/all"
    right "data" "$server" --queries "$scratch/data" "${ask[@]}" "${accept[@]}"
    start_tcpdump -i d0 -U -w "$scratch/seen.pcap" "udp port 53"
    right "lists, with options, scrambled letters" "$server" --queries "$scratch/all" "${ask[@]}" --mix-case 7 \
        --edns-options nsid,cookie,padding,subnet=192.0.2.0/24 "${accept[@]}"
    end_tcpdump
    right "a capture, as captured" "$server" --capture "$scratch/seen.pcap" --expect captured --letter-case exact \
        "${accept[@]}"
}

# ---- servers

try_server() {
    local address addresses=("${dut_addresses[@]}")
    # Both families see the same octets of DNS.
    ((${#settings[@]} > 1)) && [[ $setting == as_packaged ]] || addresses=("${dut_addresses[0]}")
    if run_server "$kind" "$scratch/server" "$role" "$@"; then
        for address in "${addresses[@]}"; do
            [[ $role == resolver ]] || names_and_mixes "$address"
            lists_and_captures "$address"
        done
    else
        fail "$kind, $setting: it does not start: $(cat "$scratch"/server/run/output)"
    fi
    check "$kind, $setting: it stops" stop_server
    rm -rf "$scratch/server"
}

try_servers() {
    for is_signed in '' signed; do
        # PowerDNS' bind backend leaves out signatures that it has not made.
        [[ -z $is_signed || $kind != pdns ]] || continue
        for setting in "${settings[@]}"; do
            try_server --zone dns64perf.test --names 10.0.0.0/24
        done
    done
}

# The resolver asks Knot DNS, signed, below a root whose delegation is insecure.
try_resolvers() {
    local auth_directory=$scratch/auth
    start_root $auth
    "$bin/dnsgauge-zone" server knot --directory "$auth_directory" --zone dns64perf.test --names 10.0.0.0/24 --listen $auth &&
        more_records >>"$auth_directory/zone" && sign "$auth_directory/zone" || fail "no zone for the resolver"
    start_in auth "$auth_directory/start"
    check "the resolver's server answers" wait_for_dns auth $auth 53 dns64perf.test
    for setting in "${settings[@]}"; do
        is_signed=
        try_server --hints "$root_hints" --family 4
        is_signed=validating
        try_server --hints "$root_hints" --family 4 --trust-anchor "$(root_key)"
    done
}

if [[ $role == server ]]; then
    lab_up
    lay_out
    try_servers
else
    # shellcheck disable=SC2034
    dut_addresses=($server4) server_zone=. server_soa=a
    lab_up --auth
    lay_out
    try_resolvers
fi
check "nothing is left at the end" no_program
finish
