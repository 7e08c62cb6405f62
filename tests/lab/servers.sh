# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# Starts a real server in a lab, on a zone of the test namespace or as a resolver, checks its data, and
# stops it. A script sources this file in bash. It sets
#   on_dut=(ip netns exec NAME)     array: what runs a command on the server's host, as one process
#   on_tester=(ip netns exec NAME)  array: likewise on the host that asks
#   dut_addresses=(ADDRESS ...)     array: of both families, where the server answers
#   zone_tool=FILE                  the program dnsgauge-zone
#   auth_addresses=(ADDRESS ...)    array: where AuthDNS answers, for DNS64 servers
# and may call start_server, check_server and stop_server, in this order, one server at a time; or
# start_dns64 or start_resolver, and stop_server. give_server_a_cpu sets on_dut.

server_kinds=(bind9 nsd knot yadifa pdns)
# Scripts that source this file read these.
# shellcheck disable=SC2034
dns64_kinds=(unbound bind9 pdns-recursor)
# shellcheck disable=SC2034
resolver_kinds=(unbound bind9 knot-resolver pdns-recursor)

# The names: all have an A record, half of them an AAAA record too.
server_zone=dns64perf.test
server_soa=ns # how the name of the first server in its SOA record begins
server_names=10.0.0.0/20
server_port=53
server_pid=
server_directory=

# Prints the program of a kind of server.
server_program() {
    case $1 in
    bind9) echo named ;;
    nsd) echo nsd ;;
    knot) echo knotd ;;
    yadifa) echo yadifad ;;
    pdns) echo pdns_server ;;
    unbound) echo unbound ;;
    knot-resolver) echo kresd ;;
    pdns-recursor) echo pdns_recursor ;;
    esac
}

skip_unless_installed() { # KIND...
    local kind
    for kind in "$@"; do
        server_is_installed "$kind" ||
            skip "no $(server_program "$kind"): see tools/install-packages"
    done
}

server_is_installed() {
    (PATH=$PATH:/usr/local/sbin:/usr/sbin && command -v "$(server_program "$1")") >/dev/null
}

# give_server_a_cpu: sets on_dut such that servers have the last CPU, where they come before others, and tester_cpu to
# the first one, for the Tester. For a lab of lib.sh.
#
# BIND and YADIFA leave their sockets 208 KiB, the kernel's default, which 277 queries fill: a server that others
# keep from its CPU for 55 ms loses queries at 5,000/s.
give_server_a_cpu() {
    local online
    online=$(</sys/devices/system/cpu/online)
    # shellcheck disable=SC2034
    tester_cpu=${online%%[,-]*}
    server_cpu=${online##*[,-]}
    on_dut=(nice -n -20 "$lab_tool" --name "$lab_name" exec --cpu "$server_cpu" dut --)
}

# keep_on_cpu: moves all threads of the server to its CPU: some servers choose CPUs for their threads themselves.
keep_on_cpu() {
    local pid
    for pid in $(server_processes); do
        taskset -acp "$server_cpu" "$pid" >/dev/null || return
    done
}

# ask TYPE NAME ADDRESS [dig's options]: prints the data of the answer, a line for each record.
ask() {
    local type=$1 name=$2 address=$3
    shift 3
    "${on_tester[@]}" dig +short +tries=2 +time=2 "$@" -p "$server_port" "@$address" "$name" "$type"
}

# status_of TYPE NAME ADDRESS: prints the RCODE and the number of answers, as "NOERROR 0".
status_of() {
    "${on_tester[@]}" dig +noall +comments +tries=2 +time=2 -p "$server_port" "@$3" "$2" "$1" |
        sed -n 's/.*status: \([A-Z]*\),.*/\1/p; s/.*ANSWER: \([0-9]*\),.*/\1/p' | paste -sd ' '
}

# start_server KIND DIRECTORY [options of "dnsgauge-zone server"]: starts the server, and returns
# when it answers on every address. Fails, with the end of its log, if it does not within half a
# minute.
start_server() {
    local kind=$1 directory=$2
    shift 2
    run_server "$kind" "$directory" server --zone "$server_zone" --names "$server_names" \
        --aaaa-share 50 "$@"
}

# start_on_dataset KIND DIRECTORY DATASET ZONE SOA: starts the server on a data set, likewise. ZONE is
# one of the data set's zones; the first label in its SOA record is SOA.
start_on_dataset() {
    server_zone=$4
    server_soa=$5
    run_server "$1" "$2" server --dataset "$3"
}

# start_dns64 KIND DIRECTORY [options of "dnsgauge-zone dns64"]: does the same for a DNS64 server.
# AuthDNS must be there.
start_dns64() {
    local kind=$1 directory=$2 address forward=()
    shift 2
    for address in "${auth_addresses[@]}"; do
        forward+=(--forward "$address")
    done
    run_server "$kind" "$directory" dns64 --zone "$server_zone" "${forward[@]}" "$@"
}

# start_resolver KIND DIRECTORY SOA [options of "dnsgauge-zone resolver"]: does the same for a resolver.
# The root must be there; the first label in its SOA record is SOA.
start_resolver() {
    local kind=$1 directory=$2
    server_zone=.
    server_soa=$3
    shift 3
    run_server "$kind" "$directory" resolver "$@"
}

# run_server KIND DIRECTORY server|dns64|resolver [options of it]
run_server() {
    local kind=$1 verb=$3 address listen=()
    server_directory=$2
    shift 3
    for address in "${dut_addresses[@]}"; do
        listen+=(--listen "$address")
    done
    "$zone_tool" "$verb" "$kind" --directory "$server_directory" --port "$server_port" \
        "${listen[@]}" "$@" || return 1
    "${on_dut[@]}" "$server_directory/start" >"$server_directory/run/output" 2>&1 &
    server_pid=$!
    for address in "${dut_addresses[@]}"; do
        wait_for_answer "$address" && continue
        echo "$kind does not answer on $address:"
        tail -n 20 "$server_directory"/run/output "$server_directory"/run/*.log 2>/dev/null
        return 1
    done
}

wait_for_answer() {
    local turn
    for turn in $(seq 150); do
        [[ $(ask SOA "$server_zone" "$1" +tries=1 +time=1 2>/dev/null) == "$server_soa".* ]] && return 0
        kill -0 "$server_pid" 2>/dev/null || return 1
        sleep 0.2
    done
    return 1
}

# is_same WHAT WANTED FOUND
is_same() {
    [[ $2 == "$3" ]] && return 0
    echo "$1: expected \"$2\", found \"$3\""
    return 1
}

# check_server: checks that the server gives the zone's data over every address, and prints all that
# is wrong.
check_server() {
    local address bad=0
    for address in "${dut_addresses[@]}"; do
        check_names "$address" || bad=1
        check_absences "$address" || bad=1
    done
    return $bad
}

check_names() {
    local at="@$1" bad=0 label ipv4 ipv6
    while read -r label ipv4 ipv6; do
        is_same "A $label $at" "$ipv4" "$(ask A "$label.$server_zone" "$1")" || bad=1
        is_same "AAAA $label $at" "$ipv6" "$(ask AAAA "$label.$server_zone" "$1")" || bad=1
        is_same "AAAA $label $at, TCP" "$ipv6" "$(ask AAAA "$label.$server_zone" "$1" +tcp)" || bad=1
    done <<-NAMES
		010-000-000-001 10.0.0.1 2001:db8::a00:1
		010-000-001-000 10.0.1.0
		010-000-007-209 10.0.7.209 2001:db8::a00:7d1
		010-000-015-253 10.0.15.253 2001:db8::a00:ffd
		010-000-015-255 10.0.15.255
	NAMES
    return $bad
}

check_absences() {
    local at="@$1" bad=0 name
    is_same "no AAAA record $at" "NOERROR 0" "$(status_of AAAA "010-000-000-000.$server_zone" "$1")" ||
        bad=1
    for name in 010-000-016-000 010-000-000-256 10-0-0-1 other; do
        is_same "outside: $name $at" "NXDOMAIN 0" "$(status_of A "$name.$server_zone" "$1")" || bad=1
    done
    return $bad
}

# stop_server: sends SIGTERM, waits for at most half a minute, and checks that no process of the
# server is left.
stop_server() {
    local turn all left
    [[ -n $server_pid ]] || return 0
    all=$(server_processes)
    kill -TERM "$server_pid" 2>/dev/null
    for turn in $(seq 150); do
        kill -0 "$server_pid" 2>/dev/null || break
        sleep 0.2
    done
    # Child processes notice a moment later that their parent is gone.
    for turn in $(seq 25); do
        left=$(still_running "$all")
        [[ -n $left ]] || break
        sleep 0.2
    done
    # shellcheck disable=SC2086
    [[ -z $left ]] || kill -KILL $left 2>/dev/null
    wait "$server_pid" 2>/dev/null
    server_pid=
    [[ -z $left ]] && return 0
    echo "left after SIGTERM: $left"
    return 1
}

# Prints the process IDs of the server started last, and of all its descendants.
server_processes() {
    local generation=$server_pid all=
    while [[ -n $generation ]]; do
        all+="$generation "
        generation=$(pgrep -P "${generation// /,}" | paste -sd ' ')
    done
    echo "$all"
}

# still_running PIDS: prints the IDs of processes that still run and are no zombies.
still_running() {
    local pid running=()
    for pid in $1; do
        [[ $(ps -o stat= -p "$pid") == [!Z]* ]] && running+=("$pid")
    done
    echo "${running[*]}"
}
