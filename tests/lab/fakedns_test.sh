#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# fakedns_test.sh FAKEDNS: tests the server in a namespace. dig, kdig, delv and dnspython ask it
# over veth, by XDP and by sockets alone, over IPv4 and IPv6. Tests signals, the end of the server,
# and wrong input.
set -euo pipefail

fakedns=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
tester=fakednst-$$-tester
dut=fakednst-$$-dut
server4=198.18.0.2
server6=2001:2::2
work=$(mktemp -d)
pids=()

skip() { echo "skipped: $*"; exit 77; }
fail() { echo "FAILED: $*" >&2; exit 1; }
step() { echo "-- $*"; }
on_tester() { ip netns exec "$tester" "$@"; }
on_dut() { ip netns exec "$dut" "$@"; }

clean_up() {
    local pid
    for pid in "${pids[@]}"; do
        kill -KILL "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    ip netns del "$tester" 2>/dev/null || true
    ip netns del "$dut" 2>/dev/null || true
    rm -rf "$work"
}

lay_end() { # namespace interface host-number
    ip -n "$1" link set lo up
    ip netns exec "$1" sysctl -qw "net.ipv6.conf.$2.accept_dad=0"
    ip -n "$1" addr add "198.18.0.$3/24" dev "$2"
    ip -n "$1" addr add "2001:2::$3/64" dev "$2" nodad
    ip -n "$1" link set "$2" up
    ip netns exec "$1" ethtool -K "$2" gro on
}

lay_lab() {
    ip netns add "$tester"
    ip netns add "$dut"
    ip -n "$tester" link add g0 numrxqueues 1 numtxqueues 1 type veth \
        peer name d0 netns "$dut" numrxqueues 1 numtxqueues 1
    lay_end "$tester" g0 1
    lay_end "$dut" d0 2
}

# start NAME ARGUMENT...: starts fakedns in the background, with its output in $work/NAME and its
# process ID in $started.
start() {
    local name=$1
    shift
    : >"$work/$name"
    # No function may run the server: the process ID must be the server's.
    ip netns exec "$dut" "$fakedns" --interface d0 "$@" >"$work/$name" 2>"$work/$name.err" &
    started=$!
    pids+=("$started")
    for _ in $(seq 300); do
        grep -q '^fakedns: ready ' "$work/$name" && return
        kill -0 "$started" 2>/dev/null || fail "$name did not start: $(cat "$work/$name.err")"
        sleep 0.1
    done
    fail "$name is not ready"
}

# stop PID SIGNAL: checks that the server ends by itself, with status 0.
stop() {
    local status=0
    kill -"$2" "$1"
    wait "$1" || status=$?
    [ "$status" -eq 0 ] || fail "exit status $status after SIG$2"
}

has_program() { ip -n "$dut" -d link show d0 | grep -q 'prog/xdp'; }

# Prints the counter $2 in column $3 (xdp udp tcp tls https quic total) of the last table in $work/$1.
counter() {
    awk -v kind="$2" -v column="$3" '
        $1 == "kind" { for (i = 2; i <= NF; i++) if ($i == column) field = i }
        $1 == kind { value = $field }
        END { print value }' "$work/$1"
}

# sum NAME PREFIX COLUMN: prints the sum of the rows of the last table whose names begin with
# PREFIX.
sum() {
    awk -v prefix="$2" -v column="$3" '
        $1 == "kind" { total = 0; for (i = 2; i <= NF; i++) if ($i == column) field = i }
        index($1, prefix) == 1 { total += $field }
        END { print total + 0 }' "$work/$1"
}

# Checks that counts by type, by RCODE and by queue have the same sum in every column.
check_sums() {
    local column
    for column in xdp udp tcp tls https quic total; do
        [ "$(sum "$1" type- $column)" -eq "$(sum "$1" rcode- $column)" ] ||
            fail "$column: $(sum "$1" type- $column) by type, $(sum "$1" rcode- $column) by RCODE"
    done
    [ "$(sum "$1" queue- xdp)" -eq "$(sum "$1" type- xdp)" ] ||
        fail "$(sum "$1" queue- xdp) by queue, $(sum "$1" type- xdp) by type"
    [ "$(counter "$1" type-AAAA total)" -ge "$(counter "$1" AAAA total)" ] ||
        fail "more AAAA records given than asked for"
}

client() { # server-address argument...
    local server=$1
    shift
    on_tester /usr/bin/python3 "$here/fakedns_client.py" --server "$server" --own-ipv4 $server4 \
        --own-ipv6 $server6 "$@"
}

# refuse WHAT PATTERN COMMAND...: checks for exit status 2, or $wanted, and exactly one line on
# stderr, which fits.
refuse() {
    local what=$1 pattern=$2 status=0
    shift 2
    "$@" >"$work/refused" 2>"$work/refused.err" || status=$?
    [ "$status" -eq "${wanted:-2}" ] || fail "$what: exit status $status"
    [ "$(wc -l <"$work/refused.err")" -eq 1 ] || fail "$what: $(cat "$work/refused.err")"
    grep -Eq "^fakedns: .*$pattern" "$work/refused.err" || fail "$what: $(cat "$work/refused.err")"
    [ ! -s "$work/refused" ] || fail "$what: says on stdout: $(cat "$work/refused")"
}

check_answers() { # name mode column
    step "answers with --xdp-mode $2"
    start "$1" --xdp-mode "$2" --aaaa-share 30 --ttl 123 --negative-ttl 7 --tcp-connections 4 \
        --tcp-idle 1
    local server mac_t mac_d
    mac_t=$(on_tester cat /sys/class/net/g0/address)
    mac_d=$(on_dut cat /sys/class/net/d0/address)
    for server in $server4 $server6; do
        client "$server" kinds case share pipeline displace idle
        [ "$(on_tester dig +short +tries=1 "@$server" 010-001-002-003.dns64perf.test A)" = 10.1.2.3 ] ||
            fail "dig against $server"
        [ "$(on_tester kdig +short +noretry +tcp "@$server" 010-001-002-003.dns64perf.test A)" = \
            10.1.2.3 ] || fail "kdig over TCP against $server"
        [ "$(on_tester delv -i +short "@$server" 010-001-002-003.dns64perf.test A)" = 10.1.2.3 ] ||
            fail "delv against $server"
    done
    if [ "$2" != off ]; then
        client $server4 --interface g0 --client 198.18.0.1 --client-mac "$mac_t" \
            --server-mac "$mac_d" vlan
        client $server6 --interface g0 --client 2001:2::1 --client-mac "$mac_t" \
            --server-mac "$mac_d" vlan
    fi
    stop "$started" TERM
    has_program && fail "a program is left behind after SIGTERM"
    [ "$(counter "$1" AAAA "$3")" -gt 0 ] || fail "no AAAA counted in column $3"
    [ "$(counter "$1" A tcp)" -gt 100 ] || fail "no A counted in column tcp"
    # The sockets answer what the kernel has no room to answer in place: nothing is lost.
    [ "$(counter "$1" AAAA total)" -ge 1200 ] || fail "AAAA records given and counted differ"
    [ "$(counter "$1" unsent total)" -eq 0 ] || fail "answers unsent"
    check_sums "$1"
}

# Prints the number of TCP connections that the DUT has taken so far.
connections() { on_dut awk '$1 == "Tcp:" && $7 ~ /^[0-9]+$/ { print $7 }' /proc/net/snmp; }

# ask_on_one COMMAND...: checks that the command prints the addresses of $work/addresses, and makes
# one connection.
ask_on_one() {
    local before
    before=$(connections)
    on_tester "$@" >"$work/answers" 2>&1 || fail "$1: $(cat "$work/answers")"
    diff "$work/addresses" "$work/answers" >"$work/differences" ||
        fail "$1: $(cat "$work/differences")"
    [ "$(connections)" -eq $((before + 1)) ] ||
        fail "$1: $(($(connections) - before)) connections for $(wc -l <"$work/addresses") queries"
}

# dig and kdig wait for each answer before the next question; "pipeline" tests questions that are
# sent ahead.
check_one_connection() {
    step "100 queries of dig and of kdig, each on one TCP connection"
    local server
    start one --xdp-mode off
    seq -f '10.0.0.%g' 0 99 >"$work/addresses"
    seq -f '010-000-000-%03g.dns64perf.test' 0 99 >"$work/names"
    for server in $server4 $server6; do
        ask_on_one dig +short +tries=1 +tcp +keepopen "@$server" -f "$work/names"
        # shellcheck disable=SC2046
        ask_on_one kdig +short +noretry +tcp +keepopen "@$server" $(cat "$work/names")
    done
    stop "$started" TERM
    [ "$(counter one A tcp)" -eq 400 ] || fail "$(counter one A tcp) of 400 answers counted"
}

check_equality() {
    step "the kernel's answers and the sockets', byte for byte"
    local zones=(--aaaa-share 30 --zone dns64perf.test
        --zone other.example,aaaa-share=80,aaaa-prefix=2001:db8:122::/48,ttl=7,negative-ttl=8)
    start xdp --xdp-mode native "${zones[@]}"
    local xdp=$started
    start sockets --xdp-mode off --port 5300 "${zones[@]}"
    local sockets=$started server seed
    for seed in 1 $RANDOM; do
        for server in $server4 $server6; do
            client "$server" --other-port 5300 --seed "$seed" equal
        done
    done
    stop "$xdp" INT
    stop "$sockets" TERM
    local kind
    for kind in ignored A AAAA SOA NS HINFO NODATA NXDOMAIN REFUSED FORMERR NOTIMP BADVERS; do
        [ "$(counter xdp $kind xdp)" -gt 0 ] || fail "the kernel had no question of kind $kind"
        [ "$(counter xdp $kind total)" -eq "$(counter sockets $kind total)" ] ||
            fail "$kind: $(counter xdp $kind total) with XDP, $(counter sockets $kind total) without"
    done
}

check_signals() {
    step "SIGUSR1, SIGKILL, a second server"
    start one --xdp-mode native
    local one=$started
    has_program || fail "no program attached"
    kill -USR1 "$one"
    for _ in $(seq 100); do
        [ -n "$(counter one unsent total)" ] && break
        sleep 0.1
    done
    [ "$(grep -c '^kind ' "$work/one")" -eq 1 ] || fail "SIGUSR1 printed no table"
    kill -0 "$one" || fail "SIGUSR1 ended the server"
    refuse "the same port" 'port 53 on d0 is in use' on_dut "$fakedns" --interface d0
    refuse "a second program" 'd0 already carries .*fakedns' \
        on_dut "$fakedns" --interface d0 --port 5300
    has_program || fail "the second server took the first one's program away"
    kill -KILL "$one"
    wait "$one" 2>/dev/null || true
    for _ in $(seq 100); do
        has_program || break
        sleep 0.1
    done
    has_program && fail "a program is left behind after SIGKILL"
    start again --xdp-mode native
    stop "$started" INT
}

check_refusals() {
    step "wrong input"
    local run=(on_dut "$fakedns")
    refuse "no interface" 'interface' "${run[@]}"
    wanted=3 refuse "unknown interface" 'no interface.*nosuch0' "${run[@]}" --interface nosuch0
    refuse "empty interface" '--interface has no value' "${run[@]}" --interface ''
    ip -n "$dut" link add down0 type veth peer name down1
    wanted=3 refuse "interface that is down" 'down0 is down' "${run[@]}" --interface down0
    ip -n "$dut" link del down0
    run+=(--interface d0)
    refuse "share above 100" 'aaaa-share' "${run[@]}" --aaaa-share 101
    refuse "share below 0" 'aaaa-share' "${run[@]}" --aaaa-share -1
    refuse "share that is no number" 'aaaa-share' "${run[@]}" --aaaa-share many
    refuse "port 0" 'port' "${run[@]}" --port 0
    refuse "port above 65535" 'port' "${run[@]}" --port 65536
    refuse "TTL above 2^31-1" 'ttl' "${run[@]}" --ttl 2147483648
    refuse "negative TTL below 0" 'negative-ttl' "${run[@]}" --negative-ttl -1
    refuse "empty label" '' "${run[@]}" --zone a..b
    refuse "long zone" '' "${run[@]}" --zone "$(printf 'a%.0s' $(seq 63)).test"
    refuse "prefix length" '' "${run[@]}" --aaaa-prefix 2001:db8::/95
    refuse "prefix that is none" '' "${run[@]}" --aaaa-prefix 10.0.0.0/96
    refuse "mode" 'xdp-mode' "${run[@]}" --xdp-mode fast
    refuse "unknown option" 'nonsense' "${run[@]}" --nonsense
    has_program && fail "wrong input attached a program"
    local bare=(setpriv --bounding-set=-all --inh-caps=-all --reuid 65534 --regid 65534 --clear-groups)
    # The program is copied, because the user nobody may not be allowed into the folder of the
    # build.
    install -m 755 "$fakedns" "$work/fakedns"
    chmod 755 "$work"
    refuse "no privilege for the port" 'port 53' on_dut "${bare[@]}" "$work/fakedns" --interface d0
    refuse "no privilege for XDP" 'root' on_dut "${bare[@]}" "$work/fakedns" --interface d0 --port 5300
    [ "$("$fakedns" --version | cut -d' ' -f1)" = fakedns ] || fail "--version"
    grep -q -- --aaaa-prefix <<<"$("$fakedns" --help)" || fail "--help"
}

[ "$(id -u)" -eq 0 ] || skip "needs root"
trap clean_up EXIT
trap 'exit 130' INT TERM
lay_lab
check_refusals
check_answers sockets off udp
check_answers native native xdp
check_answers generic generic xdp
check_one_connection
check_signals
check_equality
echo "fakedns: all as it should be"
