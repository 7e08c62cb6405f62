#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# dnsgauge trial --queries: lists of arbitrary names asked of NSD, and of a server that is wrong in known
# ways; what the Tester counts is what the lists say, over IPv4 and IPv6. Exit status 77: cannot be run.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
skip_unless_root
skip_unless_built dnsgauge
command -v nsd >/dev/null || PATH=$PATH:/usr/sbin
command -v nsd >/dev/null || skip "no nsd: see tools/install-packages"
/usr/bin/python3 -c 'import dns.message' 2>/dev/null || skip "no dnspython on this machine"

zone=example.test
rate=400

# trial SERVER [options]: of the list, one that does not depend on how busy this machine is.
trial() {
    local server=$1
    shift
    rm -f "$result"
    in_ns tester "$dnsgauge" trial --interface g0 --server "$server" --json "$result" \
        --queries "$scratch/list" --rate $rate --duration 1 --timeout 2 --max-lateness 60 \
        --max-overrun 60 "$@" >"$said" 2>&1
}

# start_nsd: serves $zone with few names, and one TXT record that no plain UDP reply holds.
start_nsd() {
    local turn server
    {
        echo "@ 60 IN SOA ns hostmaster 1 3600 600 86400 60"
        echo "@ IN NS ns"
        echo "ns IN A $server4"
        echo "www IN A 192.0.2.1"
        echo "www IN AAAA 2001:db8::1"
        echo "@ IN MX 10 www"
        echo "\\000\\255 IN A 192.0.2.2"
        printf 'big IN TXT'
        for turn in {1..4}; do
            printf ' "%0200d"' "$turn"
        done
        echo
    } >"$scratch/zone"
    cat >"$scratch/nsd.conf" <<-CONF
		server:
		    ip-address: $server4
		    ip-address: $server6
		    username: ""
		    zonesdir: ""
		    zonelistfile: "$scratch/zone.list"
		    database: ""
		    pidfile: ""
		    xfrdfile: ""
		    xfrdir: "$scratch"
		    rrl-ratelimit: 0
		    server-count: 1
		remote-control:
		    control-enable: no
		zone:
		    name: $zone
		    zonefile: "$scratch/zone"
	CONF
    start_in dut nsd -d -c "$scratch/nsd.conf"
    for server in $server4 $server6; do
        for turn in {1..100}; do
            in_ns tester dig +short +tries=1 +time=1 "@$server" SOA $zone 2>/dev/null | grep -q . && continue 2
            sleep 0.1
        done
        fail "NSD does not answer on $server: $(cat "$STARTED_LOG")"
        finish
    done
}

# Ten lines: 40 queries of each line in a second at the usual rate.
write_list() {
    cat >"$scratch/list" <<-LIST
		; what dnsperf reads
		www.$zone A
		WWW.Example.Test. aaaa

		www.$zone MX
		$zone MX D
		\\000\\255.$zone A
		www.$zone TYPE1234
		no-such-name.$zone A
		another.no-such-name.$zone HTTPS E
		# refused, truncated
		elsewhere.invalid A
		big.$zone TXT
	LIST
}

test_nsd() {
    local server counts
    counts='r["sent"] == 400 and r["rcodes"] == {"NOERROR": 280, "NXDOMAIN": 80, "REFUSED": 40}'
    for server in $server4 $server6; do
        expect_trial 1 "$server: each class of useful replies" "$counts and r['valid'] == 320
            and r['invalid']['rcode'] == 40 and r['invalid']['truncated'] == 40
            and r['rtt_ns']['count'] == 320 and r['names'] is None
            and r['workload']['source'] == 'list' and r['workload']['queries'] == 10
            and r['workload']['distinct'] == 10" "$server"
        expect_trial 1 "$server: a truncated reply is not right where any RCODE is" "$counts
            and r['valid'] == 360 and r['invalid']['truncated'] == 40" "$server" --expect answered
        expect_trial 0 "$server: a reply that EDNS makes room for is whole" "r['valid'] == 400
            and r['verdict'] == 'pass'" "$server" --expect answered --edns-size 4096 --dnssec-ok
    done
}

test_order() {
    local shuffled=$scratch/shuffled.csv
    expect_trial 1 "every query's fate" 'r["sent"] == 400' "$server4" --per-query "$queries"
    check "the list is asked in its order" /usr/bin/python3 -IS - "$queries" <<'PYTHON'
import sys

rows = [line.rstrip("\n").split(";") for line in open(sys.argv[1], encoding="ascii")][1:]
rows.sort(key=lambda row: int(row[0]))
asked = [row[1] for row in rows]
assert len(asked) == 400 and asked[:10] * 40 == asked, asked[:20]
assert asked[:2] == ["www.example.test. A", "WWW.Example.Test. AAAA"], asked[:2]
assert asked[4] == "\\000\\255.example.test. A" and asked[5].endswith("TYPE1234"), asked[4:6]
assert {row[4] for row in rows if row[1].startswith("big")} == {"truncated"}
PYTHON
    expect_trial 1 "shuffled, the same replies" 'r["rcodes"] == {"NOERROR": 280, "NXDOMAIN": 80, "REFUSED": 40}
        and r["workload"]["shuffle_seed"] == 7' "$server4" --shuffle 7 --per-query "$shuffled"
    check "another order" /usr/bin/python3 -IS -c 'import sys
one, two = ([line.split(";")[:2] for line in sorted(open(path))] for path in sys.argv[1:])
sys.exit(sorted(x[1] for x in one) != sorted(x[1] for x in two) or one == two)' "$queries" "$shuffled"
}

test_dnsperf() {
    command -v dnsperf >/dev/null || return
    in_ns tester dnsperf -s "$server4" -d "$scratch/list" -n 40 -Q 400 >"$scratch/dnsperf" 2>&1
    check "dnsperf counts the same RCODEs" grep -Eq \
        'NOERROR 280 .*REFUSED 40 .*NXDOMAIN 80|NOERROR 280 .*NXDOMAIN 80 .*REFUSED 40' "$scratch/dnsperf"
}

test_wrong() {
    local server fault
    for fault in right capitals wrong_name wrong_type wrong_class no_question servfail truncated silent garbage; do
        echo "$fault.$zone MX"
    done >"$scratch/list"
    for server in $server4 $server6; do
        start_in dut nice -n -10 /usr/bin/python3 "$lib_directory/listed_server.py" "$server"
        for _ in {1..50}; do
            grep -q ready "$STARTED_LOG" && break
            sleep 0.1
        done
        expect_trial 1 "$server: a wrong reply of each kind" 'r["sent"] == 400 and r["valid"] == 80
            and r["invalid"]["wrong_question"] == 120 and r["invalid"]["malformed"] == 40
            and r["invalid"]["rcode"] == 80 and r["invalid"]["truncated"] == 40 and r["lost"] == 40
            and r["rcodes"] == {"NOERROR": 120, "SERVFAIL": 40, "FORMERR": 40}' "$server"
        stop_pid "$STARTED_PID"
    done
}

# refuses WHAT PATTERN [options]
refuses() {
    local what=$1 pattern=$2
    shift 2
    status=0
    in_ns tester "$dnsgauge" trial --interface g0 --server "$server4" --rate 10 --duration 1 "$@" >"$said" 2>&1 ||
        status=$?
    expect 2 "$what" "$pattern"
}

test_bad_input() {
    printf 'a A\nb BOGUS\n' >"$scratch/bad"
    refuses "a bad line is named" 'bad, line 2: "BOGUS" is no type' --queries "$scratch/bad"
    refuses "no file" 'cannot read --queries /nowhere' --queries /nowhere
    refuses "an empty list" 'there is no query in it' --queries /dev/null
    refuses "a list and names" 'excludes' --queries "$scratch/list" --names 10.0.0.0/16
    refuses "a list and a zone" 'excludes' --queries "$scratch/list" --zone "$zone"
    refuses "a list and dns-metrics" 'leave it out' --queries "$scratch/list" --dns-metrics /dev/null
    refuses "no names" '--names is required'
    refuses "a seed without a list" 'queries' --names 10.0.0.0/16 --shuffle 1
}

lab_up
lay_out
write_list
start_nsd
nsd_pid=$STARTED_PID
test_nsd
test_order
test_dnsperf
stop_pid "$nsd_pid"
test_wrong
test_bad_input
finish
