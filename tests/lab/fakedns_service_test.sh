#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests fakedns as a service: its configuration file, several zones, interfaces and queues, a change
# without a gap, metrics, limits, privileges, notifications, and the unit for systemd.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
fakedns=$bin/fakedns
unit=$lib_directory/../../fakedns/fakedns.service
socket_unit=$lib_directory/../../fakedns/fakedns.socket
drop_in=$lib_directory/../../fakedns/sockets.conf
said=

client() { in_ns "$1" /usr/bin/python3 "$lib_directory/fakedns_service_client.py" "${@:2}"; }
# A refused start or change says why in one line.
says() { [[ $(wc -l <"$said") -eq 1 ]] && grep -Eq "^fakedns: .*$1" "$said"; }

# start WHERE ARGUMENT...: starts fakedns and waits until it is ready. Its process ID is in $server.
start() {
    run_fakedns "$@" || fail "fakedns ${*:2}: $(cat "$STARTED_LOG")"
    server=$STARTED_PID
    said=$STARTED_LOG
}

refused() { # WHAT PATTERN ARGUMENT...
    local what=$1 pattern=$2 status=0
    shift 2
    said=$scratch/refused
    in_ns dut "$fakedns" "$@" >/dev/null 2>"$said" || status=$?
    check "refused: $what" [ "$status" -eq 2 ]
    check "and why: $what" says "$pattern" || cat "$said"
}

# until_said PATTERN COUNT: waits until COUNT lines of the output fit.
until_said() {
    local turn
    for turn in {1..100}; do
        [[ $(grep -Ec "$1" "$said") -ge $2 ]] && return
        sleep 0.1
    done
    return 1
}

answer() { # SERVER NAME TYPE
    in_ns tester dig +short +tries=1 +time=2 "@$1" "$2" "$3"
}

ttl() {
    in_ns tester dig +noall +answer @198.18.0.2 010-000-000-001.dns64perf.test | awk '{ print $2 }'
}

total() { awk -v row="$1" '$1 == row { value = $NF } END { print value }' "$said"; }

write_config() { # TTL [LINE...]
    printf '%s\n' 'interface = ["d0", "d1"]' 'user = "nobody"' 'time-every = 10' \
        "metrics = \"$scratch/run/metrics\"" 'aaaa-share = 0' "ttl = $1" \
        'zone = ["dns64perf.test", "other.example,aaaa-prefix=2001:db8:122::/48,aaaa-share=100,ttl=7"]' \
        "${@:2}" >"$scratch/fakedns.toml"
}

test_zones_and_interfaces() {
    local address
    for address in 198.18.0.2 198.18.1.2 2001:2::2 2001:2:0:1::2; do
        check "$address: the first zone has no AAAA" \
            [ "$(answer $address 010-000-000-001.dns64perf.test AAAA)" = "" ]
        check "$address: the second has, of its own prefix" \
            [ "$(answer $address 192-000-002-033.other.example AAAA)" = 2001:db8:122:c000:2:2100:: ]
    done
    check "ns is the interface that was asked" \
        [ "$(answer 198.18.1.2 ns.other.example A)" = 198.18.1.2 ]
    check "what is between the zones is nobody's" \
        in_ns tester sh -c 'dig @198.18.0.2 example NS | grep -q "status: REFUSED"'
}

test_privileges() { # WHAT UID CAPABILITIES
    check "$1: user" [ "$(awk '$1 == "Uid:" { print $2, $3, $4 }' "/proc/$server/status")" = "$2 $2 $2" ]
    check "$1: capabilities" [ "$(awk '$1 == "CapPrm:" { print $2 }' "/proc/$server/status")" = "$3" ]
    check "$1: none can be gained" \
        [ "$(awk '$1 == "CapBnd:" { print $2 }' "/proc/$server/status")" = 0000000000000000 ]
}

test_reload() {
    local steady
    client tester steady 198.18.0.2 3 >"$scratch/steady" 2>&1 &
    steady=$!
    sleep 1
    write_config 200
    kill -HUP "$server"
    check "a change is taken over" until_said '^fakedns: read .* anew' 1
    sleep 1
    write_config 300 'rate-limit = 100000'
    kill -HUP "$server"
    check "and another" until_said '^fakedns: read .* anew' 2
    wait "$steady"
    check "nobody missed an answer, and all saw it: $(cat "$scratch/steady")" \
        grep -qx '[0-9]* 100 200 300' "$scratch/steady"
    write_config 400 'port = 5353'
    kill -HUP "$server"
    check "what cannot change is refused" until_said '^fakedns: the configuration stays as it was: only zones' 1
    mv "$scratch/fakedns.toml" "$scratch/file.toml"
    mkfifo "$scratch/fakedns.toml"
    kill -HUP "$server"
    check "a pipe is not waited for" until_said '^fakedns: the configuration stays as it was: .* name a regular file' 1
    mv "$scratch/file.toml" "$scratch/fakedns.toml"
    echo nonsense >>"$scratch/fakedns.toml"
    kill -HUP "$server"
    check "and what is wrong" until_said '^fakedns: the configuration stays as it was: .*nonsense' 1
    check "the last good one goes on: $(ttl)" [ "$(ttl)" = 300 ]
}

# Prints the sum of the samples whose labels fit.
sample() { awk -v name="^fakedns_$1" '$0 ~ name { sum += $2 } END { print sum + 0 }' "$scratch/metrics"; }

test_metrics() {
    local answers
    client dut get "$scratch/run/metrics" >"$scratch/metrics"
    answers=$(sample 'answers_total{path="xdp"')
    kill -USR1 "$server"
    until_said '^queue-d1-0 ' 1
    check "metrics count as SIGUSR1 does: A" \
        [ "$(sample 'answers_total{.*type="A"')" -eq "$(total type-A)" ]
    check "AAAA" [ "$(sample 'answers_total{.*type="AAAA"')" -eq "$(total type-AAAA)" ]
    check "REFUSED" [ "$(sample 'answers_total{.*rcode="REFUSED"')" -eq "$(total rcode-REFUSED)" ]
    check "XDP, of both interfaces" \
        [ "$(sample 'answers_total{path="xdp".*interface="d1"')" -gt 0 ]
    check "by kind as by type" [ "$(sample 'answers_by_kind_total')" -eq "$(sample 'answers_total')" ]
    check "TCP" [ "$(sample 'answers_total{path="socket",transport="tcp"')" -gt 100 ]
    # Each CPU has its own account.
    check "XDP times: one of ten" \
        [ "$(sample 'query_seconds_count{path="xdp"')" -le $((answers / 10)) -a \
        "$(sample 'query_seconds_count{path="xdp"')" -ge $((answers / 10 - $(nproc))) ]
    check "no bucket is above the count" \
        [ "$(sample 'query_seconds_bucket{path="xdp".*Inf')" -eq "$(sample 'query_seconds_count{path="xdp"')" ]
}

# link_of INTERFACE: the BPF link that $server holds there.
link_of() {
    local index file
    index=$(in_ns dut cat "/sys/class/net/$1/ifindex")
    for file in "/proc/$server/fdinfo"/*; do
        awk -v index_there="$index" '$1 == "link_id:" { id = $2 }
            $1 == "ifindex:" && $2 == index_there { print id }' "$file"
    done
}

# is_attached: what the metrics say of the kernel program on d0.
is_attached() {
    client dut get "$scratch/run/metrics" >"$scratch/metrics"
    sample 'xdp_attached{interface="d0"'
}

# Somebody detaches the kernel program: fakedns says so, and SIGHUP attaches it again.
test_detached_program() {
    check "metrics: d0 carries the program" [ "$(is_attached)" -eq 1 ]
    bpftool link detach id "$(link_of d0)" || fail "bpftool link detach"
    check "a detached program is told of" until_said '^fakedns: somebody has detached .* d0: .*SIGHUP' 1
    check "metrics: d0 carries no program" [ "$(is_attached)" -eq 0 ]
    check "sockets answer" [ "$(answer 198.18.0.2 010-000-000-001.dns64perf.test A)" = 10.0.0.1 ]
    write_config 500
    kill -HUP "$server"
    check "SIGHUP attaches it again" until_said '^fakedns: the XDP program is attached to d0 again' 1
    check "metrics: d0 carries the program again" [ "$(is_attached)" -eq 1 ]
    check "and answers with what is new: $(ttl)" [ "$(ttl)" = 500 ]
    check "told of once" [ "$(grep -c 'somebody has detached' "$said")" -eq 1 ]
}

test_rate_limit() { # MODE
    local answered
    start dut --interface d0 --xdp-mode "$1" --rate-limit 20
    answered=$(client tester burst 198.18.0.2 500)
    check "$1: 20 of a burst of 500 are answered, not many more: $answered" \
        [ "$answered" -ge 20 -a "$answered" -le 60 ]
    check "$1: TCP is not limited" \
        [ "$(in_ns tester dig +short +tcp @198.18.0.2 010-000-000-001.dns64perf.test)" = 10.0.0.1 ]
    check "$1: another network has answers of its own" \
        [ "$(answer 2001:2::2 010-000-000-001.dns64perf.test A)" = 10.0.0.1 ]
    stop_pid "$server"
    check "$1: all are counted" [ "$(($(total limited) + $(total type-A)))" -ge 502 ]
}

# The reader of fakedns' output may be gone.
test_lost_messages() {
    start_in dut bash -c 'exec "$@" 2> >(exec true)' - "$fakedns" --interface d0 --xdp-mode off
    server=$STARTED_PID said=$STARTED_LOG
    until_said '^fakedns: ready ' 1
    kill -HUP "$server"
    sleep 0.5
    check "without a reader of its messages it goes on" kill -0 "$server"
    stop_pid "$server"
    check "and ends as it should" until_said '^type-A ' 1
}

in_dut() { ip -n "$lab_name-dut" "$@"; }

# Adds e0 to the lab: 198.18.9.2, and 198.18.9.1 on the Tester.
add_e0() {
    in_dut link add e0 type veth peer name f0 netns "$lab_name-tester"
    in_dut addr add 198.18.9.2/24 dev e0
    ip -n "$lab_name-tester" addr add 198.18.9.1/24 dev f0
    ip -n "$lab_name-tester" link set f0 up
    in_dut link set e0 up
}

program_of() { in_dut -d link show "$1" | sed -n 's/.*prog\/xdp id \([0-9]*\).*/\1/p'; }

reread() { # TTL PATTERN COUNT
    printf '%s\n' 'interface = ["d0", "e0"]' "ttl = $1" >"$scratch/fakedns.toml"
    kill -HUP "$server"
    until_said "$2" "$3"
}

# Tests a change when some interfaces cannot take it, have gone, or have another name.
test_interfaces_that_change() {
    add_e0
    printf '%s\n' 'interface = ["d0", "e0"]' 'ttl = 100' >"$scratch/fakedns.toml"
    start dut --config "$scratch/fakedns.toml"
    bpftool link detach id "$(link_of e0)" || fail "bpftool link detach"
    # Another program where fakedns would attach its own.
    in_ns dut bpftool net attach xdp id "$(program_of d0)" dev e0 || fail "bpftool net attach"
    check "where one cannot change" reread 777 '^fakedns: the configuration stays as it was: ' 1
    check "none does: $(ttl)" [ "$(ttl)" = 100 ]
    in_dut link del e0
    check "one that goes is named" until_said '^fakedns: interface e0 is gone' 1
    check "and is in nobody's way" reread 200 '^fakedns: read .* anew' 1
    check "when the others change: $(ttl)" [ "$(ttl)" = 200 ]
    in_dut link set d0 name dz0 || { # before Linux 6.2 only while it is down
        in_dut link set d0 down
        in_dut link set d0 name dz0 up
    }
    check "one has another name" reread 300 '^fakedns: read .* anew' 2
    check "ns has its address still" [ "$(answer 198.18.0.2 ns.dns64perf.test A)" = 198.18.0.2 ]
    in_dut link set dz0 name d0 || {
        in_dut link set dz0 down
        in_dut link set dz0 name d0 up
    }
    check "what is gone is said once" [ "$(grep -c 'is gone' "$said")" -eq 1 ]
    stop_pid "$server"
}

# Prints the ticks (hundredths of a second) of CPU time that $server takes in a second.
busy() {
    local before after
    before=$(awk '{ print $14 + $15 }' "/proc/$server/stat")
    sleep 1
    after=$(awk '{ print $14 + $15 }' "/proc/$server/stat")
    echo $((after - before))
}

# One answer waits when its interface goes down, and another when the interface disappears.
test_last_interface() {
    local status=0 ticks
    add_e0
    start dut --interface e0 --fault delay=100%:500ms
    in_ns tester dig +tries=1 +time=1 @198.18.9.2 010-000-000-001.dns64perf.test >/dev/null &
    sleep 0.3
    in_dut link set e0 down
    sleep 0.5
    ticks=$(busy)
    check "nobody is busy with an answer that cannot leave: $ticks" [ "$ticks" -le 5 ]
    in_dut link set e0 up
    check "and answers come once more" \
        [ "$(answer 198.18.9.2 010-000-000-001.dns64perf.test A)" = 10.0.0.1 ]
    in_dut link del e0
    check "the last interface is named" until_said '^fakedns: interface e0 is gone' 1
    check "and the end" until_said '^fakedns: no interface is left' 1
    stop_pid "$server" || status=$?
    check "which has a status of its own" [ "$status" -eq 3 ]
    check "the counters are told" until_said '^type-A ' 1
}

# An Internet goes on while an interface is left.
test_interfaces_of_internet() {
    local status=0 ticks
    add_e0
    in_dut route add local 198.18.128.0/17 dev lo
    in_dut route add local 2001:2:0:80::/64 dev lo
    start dut --internet --interface d0 --interface e0
    ip -n "$lab_name-tester" route add 198.18.128.0/17 via 198.18.9.2
    for _ in {1..20}; do
        in_ns tester dig +tries=1 +time=1 @198.18.128.1 . NS >/dev/null &
    done
    sleep 0.1
    in_dut link del e0
    check "an Internet names an interface that goes" until_said '^fakedns: interface e0 is gone' 1
    ticks=$(busy)
    check "nobody is busy with what cannot leave: $ticks" [ "$ticks" -le 5 ]
    ip -n "$lab_name-tester" route add 198.18.128.0/17 via 198.18.0.2
    check "the other interface is served" in_ns tester sh -c \
        'dig +tries=10 +time=2 @198.18.128.1 . NS | grep -q "status: NOERROR"'
    stop_pid "$server" || status=$?
    check "the end has no status of its own" [ "$status" -eq 0 ]
    add_e0
    start dut --internet --interface e0
    in_dut link del e0
    check "the last interface is named" until_said '^fakedns: interface e0 is gone' 1
    check "the end is told" until_said '^fakedns: no interface is left' 1
    stop_pid "$server" || status=$?
    check "and has the status" [ "$status" -eq 3 ]
    check "the counters are told" until_said '^unsent ' 1
    in_dut route del local 198.18.128.0/17 dev lo
    in_dut route del local 2001:2:0:80::/64 dev lo
}

test_refusals() {
    refused "a zone in another" 'one lies in the other' --interface d0 --zone a.test --zone b.a.test
    refused "a zone twice" 'one lies in the other' --interface d0 --zone a.test --zone A.test
    refused "nine zones" 'at most 8' --interface d0 \
        --zone a --zone b --zone c --zone d --zone e --zone f --zone g --zone h --zone i
    refused "a zone's share" '--zone a.test: aaaa-share 101: must be' --interface d0 --zone a.test,aaaa-share=101
    refused "a zone's option" 'color' --interface d0 --zone a.test,color=red
    refused "a zone's octal TTL" 'ttl: "010" begins with a 0' --interface d0 --zone a.test,ttl=010
    refused "an octal share" '--aaaa-share: "010" begins with a 0' --interface d0 --aaaa-share 010
    printf 'interface = "d0"\nttl = 0100\n' >"$scratch/bad.toml"
    refused "an octal TTL in a file" 'bad.toml:2: "ttl = 0100": ' --config "$scratch/bad.toml"
    refused "an interface twice" 'd0 is given twice' --interface d0 --interface d0
    said=$scratch/refused
    check "refused: help that cannot be written" \
        [ "$("$fakedns" --help 2>"$said" >/dev/full; echo $?)" -eq 2 ]
    check "and why" says 'cannot write standard output'
    refused "no such file" 'nosuch' --config "$scratch/nosuch"
    printf 'interface = "d0"\ncolor = "red"\n' >"$scratch/bad.toml"
    refused "an option that there is not" 'color' --config "$scratch/bad.toml"
    refused "no such user" 'nobody-at-all' --interface d0 --user nobody-at-all
    refused "metrics for all the world" 'loopback' --interface d0 --metrics 0.0.0.0:9153
    refused "metrics nowhere" 'metrics' --interface d0 --metrics here
    echo precious >"$scratch/run/precious"
    refused "metrics where a file is" 'cannot listen there' --interface d0 \
        --metrics "$scratch/run/precious"
    check "the file is left alone" grep -qx precious "$scratch/run/precious"
}

# Tests what more clients do than descriptors are left for.
test_descriptors() {
    local few=(prlimit --nofile=100:300 setpriv --bounding-set=-sys_resource) most status=0
    said=$scratch/refused
    in_ns dut "${few[@]}" "$fakedns" --interface d0 --tcp-connections 1000 --metrics 9153 \
        >/dev/null 2>"$said" || status=$?
    check "more connections than descriptors are refused: $(cat "$said")" [ $status -eq 2 ]
    check "and why" says '1000 TCP connections .* the limit is 300: raise it'
    most=$(sed -n 's/.*let --tcp-connections be \([0-9]*\) at most.*/\1/p' "$said")
    start_in dut "${few[@]}" "$fakedns" --interface d0 --tcp-connections "$most" --metrics 9153
    server=$STARTED_PID said=$STARTED_LOG
    check "with as many as fit it starts" until_said '^fakedns: ready' 1
    client tester storm 198.18.0.2 $((3 * most)) >"$scratch/storm" 2>&1
    check "at the limit clients are served: $(tail -n 1 "$scratch/storm")" \
        [ "$(tail -n 1 "$scratch/storm")" = 2 ]
    client dut get 127.0.0.1:9153 >"$scratch/metrics"
    check "and the metrics" grep -q '^# TYPE fakedns_answers_total counter' "$scratch/metrics"
    check "no interface is gone: $(cat "$said")" [ "$(grep -c 'is gone' "$said")" -eq 0 ]
    stop_pid "$server" || status=$?
}

# as_nobody CAPABILITY...: puts into the array `as` the words that run a command with no more than
# these.
as_nobody() {
    local capability list=-all
    for capability in "$@"; do
        capability=${capability#CAP_}
        list+=,+${capability,,}
    done
    as=(setpriv --reuid "$nobody" --regid "$(id -g nobody)" --clear-groups --bounding-set="$list"
        --inh-caps="$list" --ambient-caps="$list")
}

# Tests the unit for systemd: its words are right, it exposes little, the capabilities and the system
# calls that it grants suffice, and the message that names missing capabilities names all of them.
test_unit() {
    local granted missing status=0 filter=()
    sed "s|^ExecStart=[^ ]*|ExecStart=$fakedns|" "$unit" >"$scratch/fakedns.service"
    if command -v systemd-analyze >/dev/null; then
        said=$scratch/verified
        systemd-analyze verify --man=no "$scratch/fakedns.service" >"$said" 2>&1 || status=$?
        check "systemd-analyze finds nothing: $(cat "$said")" [ $status -eq 0 -a ! -s "$said" ]
        # What is left is what the server does: networks, capabilities, bpf(2).
        check "and an exposure of 1.7 at most" \
            systemd-analyze security --offline=yes --threshold=17 --no-pager "$scratch/fakedns.service"
        filter=("$lib_directory/with_unit_filter.py" "$unit")
    else
        echo "SKIP: no systemd-analyze: the unit is not verified"
    fi
    read -ra granted < <(sed -n 's/^AmbientCapabilities=//p' "$unit")
    check "the unit bounds what it grants" \
        [ "$(sed -n 's/^CapabilityBoundingSet=//p' "$unit")" = "${granted[*]}" ]

    # The program is copied, because the user nobody may not be allowed into the folder of the
    # build.
    install -m 755 "$fakedns" "$scratch/fakedns"
    as_nobody "${granted[@]}"
    printf 'interface = "d0"\nxdp-mode = "native"\nmetrics = "127.0.0.1:9153"\n' >"$scratch/fakedns.toml"
    start_in dut "${as[@]}" "${filter[@]}" "$scratch/fakedns" --config "$scratch/fakedns.toml"
    server=$STARTED_PID said=$STARTED_LOG
    check "with what the unit grants it starts: $(cat "$said")" until_said '^fakedns: ready .*native' 1
    kill -HUP "$server"
    check "reads its file anew" until_said '^fakedns: read .* anew' 1
    check "answers over UDP" [ "$(answer 198.18.0.2 010-000-000-001.dns64perf.test A)" = 10.0.0.1 ]
    check "and TCP" \
        [ "$(in_ns tester dig +short +tcp @198.18.0.2 010-000-000-001.dns64perf.test)" = 10.0.0.1 ]
    client dut get 127.0.0.1:9153 >"$scratch/metrics"
    check "and serves its metrics" grep -q '^# TYPE fakedns_answers_total counter' "$scratch/metrics"
    kill -USR1 "$server"
    check "and prints them" until_said '^queue-d0-0 ' 1
    status=0
    stop_pid "$server" || status=$?
    check "and ends" [ $status -eq 0 ]
    for missing in CAP_BPF CAP_NET_ADMIN CAP_PERFMON; do
        as_nobody "${granted[@]/$missing/CAP_CHOWN}"
        said=$scratch/refused status=0
        in_ns dut "${as[@]}" "$scratch/fakedns" --interface d0 --xdp-mode native \
            >/dev/null 2>"$said" || status=$?
        check "without $missing it does not: $(cat "$said")" [ $status -eq 2 ]
        check "and says so" says "grant .*$missing"
    done
}

# Tests the unit with the sockets that systemd opens: its exposure, and that what it grants then suffices.
test_passed_sockets() {
    local granted status=0 filter=() directory=$scratch/units
    mkdir -p "$directory/fakedns.service.d"
    sed "s|^ExecStart=[^ ]*|ExecStart=$fakedns|" "$unit" >"$directory/fakedns.service"
    cp "$socket_unit" "$directory"
    cp "$drop_in" "$directory/fakedns.service.d"
    if command -v systemd-analyze >/dev/null; then
        said=$scratch/verified
        systemd-analyze verify --man=no "$directory"/fakedns.{service,socket} >"$said" 2>&1 || status=$?
        check "with sockets of systemd: it finds nothing: $(cat "$said")" [ $status -eq 0 -a ! -s "$said" ]
        check "and an exposure of 1.5 at most" \
            systemd-analyze security --offline=yes --threshold=15 --no-pager "$directory/fakedns.service"
        filter=("$lib_directory/with_unit_filter.py" "$unit,$drop_in")
    fi
    read -ra granted < <(sed -n 's/^AmbientCapabilities=\(.\)/\1/p' "$drop_in")
    as_nobody "${granted[@]}"
    start_in dut "$lib_directory/with_sockets.py" "$socket_unit" d0 "$(command -v "${as[0]}")" "${as[@]:1}" \
        "${filter[@]}" "$scratch/fakedns" --config "$scratch/fakedns.toml"
    server=$STARTED_PID said=$STARTED_LOG
    check "with passed sockets it starts: $(cat "$said")" until_said '^fakedns: ready .*native' 1
    check "and misses none" [ "$(grep -c 'has passed no socket' "$said")" -eq 0 ]
    check "the program answers" [ "$(answer 198.18.0.2 010-000-000-001.dns64perf.test A)" = 10.0.0.1 ]
    bpftool link detach id "$(link_of d0)" || fail "bpftool link detach"
    check "it sees that somebody detaches the program" until_said '^fakedns: somebody has detached' 1
    for address in 198.18.0.2 2001:2::2; do
        check "$address: the passed sockets answer by UDP" \
            [ "$(answer $address 010-000-000-001.dns64perf.test A)" = 10.0.0.1 ]
        check "$address: and by TCP" \
            [ "$(in_ns tester dig +short +tcp @$address 010-000-000-001.dns64perf.test)" = 10.0.0.1 ]
    done
    kill -HUP "$server"
    check "SIGHUP attaches the program again" until_said '^fakedns: the XDP program is attached to d0 again' 1
    client dut get 127.0.0.1:9153 >"$scratch/metrics"
    check "the metrics have the passed socket" grep -q '^# TYPE fakedns_answers_total counter' "$scratch/metrics"
    status=0
    stop_pid "$server" || status=$?
    check "it ends as it should" [ $status -eq 0 ]
}

skip_unless_root
nobody=$(id -u nobody)
lab_up --second-link
mkdir -m 777 "$scratch/run"
test_refusals

write_config 100
# Makes a socket as a killed server leaves it.
/usr/bin/python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$scratch/run/metrics"
start dut --config "$scratch/fakedns.toml"
test_zones_and_interfaces
test_privileges "with --config and --user" "$nobody" 000000c000001000
test_reload
test_metrics
test_detached_program
stop_pid "$server"
check "the socket of the metrics is gone" [ ! -e "$scratch/run/metrics" ]

start dut --interface d0 --metrics 9153
test_privileges "without" 0 0000000000000000
client dut get 127.0.0.1:9153 >"$scratch/metrics"
check "metrics at a port" grep -q '^# TYPE fakedns_answers_total counter' "$scratch/metrics"
kill -HUP "$server"
check "nothing to read anew" until_said 'the configuration stays as it was: there is no --config' 1
stop_pid "$server"

start dut --interface d1 --xdp-mode off --metrics 9153
client dut crowd 127.0.0.1:9153 40 >"$scratch/crowd" 2>&1
check "slow connections do not stop the metrics: $(tail -n 1 "$scratch/crowd")" \
    grep -q '^# TYPE fakedns_answers_total counter' "$scratch/crowd"
stop_pid "$server"
test_descriptors

test_lost_messages
test_interfaces_that_change
test_last_interface
test_interfaces_of_internet
test_rate_limit native
test_rate_limit off
test_unit
test_passed_sockets
check "systemd is told" [ "$(client dut notified "$scratch/notify" "$fakedns" --interface d0 |
    paste -sd ' ')" = "READY=1 STOPPING=1" ]
finish
