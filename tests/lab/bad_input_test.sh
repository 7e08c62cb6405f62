#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests wrong input and wrong environments of dnsgauge trial: the command says in one line what is wrong,
# ends with status 2, attaches nothing and writes nothing. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"

skip_unless_root
skip_unless_built

# Prints what is wrong with a run that should have been refused, or nothing.
faults() { # exit-status pattern
    [[ $1 -eq 2 ]] || echo "exit status $1"
    [[ $(wc -l <"$scratch/err") -eq 1 ]] || echo "not one line"
    grep -Eqi "^dnsgauge: .*$2" "$scratch/err" || echo "not about '$2'"
    [[ ! -s $scratch/out ]] || echo "something on stdout"
    [[ -z $(ls -A "$scratch/made") ]] || echo "a file was made: $(ls -A "$scratch/made")"
    [[ $may_carry == g0 ]] || ! has_program g0 || echo "a program is attached"
}

may_carry=

# refuse WHAT PATTERN COMMAND...: checks that the command is refused with a line that fits PATTERN.
refuse() {
    local what=$1 pattern=$2 status=0 found
    shift 2
    (cd "$scratch/made" && "$@") >"$scratch/out" 2>"$scratch/err" || status=$?
    found=$(faults $status "$pattern")
    if [[ -z $found ]]; then
        pass "$what: $(<"$scratch/err")"
    else
        fail "$what: ${found//$'\n'/, }: $(cat "$scratch/err" "$scratch/out")"
    fi
    rm -f "$scratch/made"/* 2>/dev/null
}

# wrong WHAT PATTERN [OPTION VALUE]...: checks that a trial is refused in which only these options are wrong. A value
# of "none" leaves the option out.
wrong() {
    local what=$1 pattern=$2 option words=()
    local -A options=([--interface]=g0 [--server]=198.18.0.2 [--rate]=100 [--duration]=1
        [--timeout]=0.25 [--names]=10.0.0.0/16 [--json]=result.json [--per-query]=queries.csv)
    shift 2
    while (($# > 1)); do
        options[$1]=$2
        shift 2
    done
    for option in "${!options[@]}"; do
        case ${options[$option]} in
        none) ;;
        '') words+=("$option" '') ;;
        # A separate word that begins with "-" would be taken for an option.
        *) words+=("$option=${options[$option]}") ;;
        esac
    done
    refuse "$what" "$pattern" "${on_tester[@]}" "$dnsgauge" trial "${words[@]}"
}

# The options that "wrong" starts from are right, so that a refusal is due to the changed option.
test_good_input() {
    local status=0
    in_ns tester "$dnsgauge" trial --interface g0 --server 198.18.0.2 --rate 100 --duration 1 \
        --timeout 0.25 --names 10.0.0.0/16 >"$scratch/out" 2>&1 || status=$?
    check "good options make a trial: exit status $status" \
        grep -q 'verdict' "$scratch/out"
}

test_interface() {
    wrong "unknown interface" 'no interface "nosuch0".*g0' --interface nosuch0
    wrong "empty interface" 'interface' --interface ''
    wrong "interface with a long name" 'interface' --interface g0123456789abcdef
    wrong "no interface given" '--interface' --interface none
    ip -n "$lab_name-tester" link add down0 type veth peer name down1
    wrong "interface that is down" 'down0 is down.*up' --interface down0
    ip -n "$lab_name-tester" link set down0 up
    wrong "interface without a link" 'down0 has no carrier' --interface down0
    ip -n "$lab_name-tester" link del down0
    wrong "loopback" 'lo is not an Ethernet interface: choose one that is \(g0\)' --interface lo
}

test_reach() {
    wrong "no server given" '--server' --server none
    wrong "server that is no address" 'nosuch.*address' --server nosuch
    wrong "server that is a range" 'address' --server 198.18.0.0/24
    wrong "half an address" 'address' --server 198.18.0
    wrong "no route, IPv4" 'no route to 192.0.2.1 on g0' --server 192.0.2.1
    wrong "no route, IPv6" 'no route to 2001:db8::1 on g0' --server 2001:db8::1
    wrong "the Tester itself" 'address of this host' --server 198.18.0.1
    wrong "the Tester itself, IPv6" 'address of this host' --server 2001:2::1
    wrong "nobody there, IPv4" 'nobody answers for 198.18.0.77 on g0' --server 198.18.0.77
    wrong "nobody there, IPv6" 'nobody answers for 2001:2::77 on g0' --server 2001:2::77
    ip -n "$lab_name-tester" link add other0 type veth peer name other1
    ip -n "$lab_name-tester" address add 198.19.0.1/24 dev other0
    ip -n "$lab_name-tester" link set other1 up
    ip -n "$lab_name-tester" link set other0 up
    wrong "another interface's network" '198.19.0.2.*other0' --server 198.19.0.2
    ip -n "$lab_name-tester" link del other0
    wrong "MAC address" 'Ethernet address' --server-mac 02:00:00:00:00
    wrong "MAC address with too much" 'Ethernet address' --server-mac 02:00:00:00:00:01:02
    wrong "source that is no address" 'address' --source here
    wrong "source of the other family" '--source.*family' --source 2001:2::1
}

test_numbers() {
    local value
    for value in 0 -1 1.5 many '' 10000000001 99999999999999999999 0x10 '1 000'; do
        wrong "rate '$value'" 'rate' --rate "$value"
    done
    for value in 0 -1 long '' nan inf 604801 1e-9; do
        wrong "duration '$value'" 'duration' --duration "$value"
    done
    for value in 0 -0.1 61 soon '' nan inf; do
        wrong "timeout '$value'" 'timeout' --timeout "$value"
    done
    for value in -1 never ''; do
        wrong "lateness '$value'" 'max-lateness' --max-lateness "$value"
    done
    for value in 0 -1 65536 dns ''; do
        wrong "port '$value'" 'port' --port "$value"
        wrong "first source port '$value'" 'first-source-port' --first-source-port "$value"
        wrong "source ports '$value'" 'source-ports' --source-ports "$value"
    done
    for value in -0.1 100.1 99.9999999 most '' nan; do
        wrong "accept '$value'" 'accept' --accept "$value"
    done
    for value in 0 4095 -1 blue; do
        wrong "VLAN '$value'" 'vlan' --vlan "$value"
    done
    for value in -1 65536 big; do
        wrong "EDNS size '$value'" 'edns-size' --edns-size "$value"
    done
    # CLI11 would read this number as octal.
    for value in port source-ports accept vlan edns-size aaaa-share cached-share; do
        wrong "--$value 010" "--$value: .*begins with a 0" --dut dns64 "--$value" 010
    done
    wrong "no rate given" '--rate' --rate none
    wrong "less than one query" 'less than one query' --rate 1 --duration 0.5
    wrong "source ports after the last" '65535' --first-source-port 65000 --source-ports 1000
    wrong "too few identities" 'source-ports' --source-ports 1 --rate 100000 --timeout 1 \
        --names 10.0.0.0/8
}

test_names() {
    local value
    for value in 10.0.0.0 10.0.0.0/33 10.0.0.0/-1 10.0.0/8 10.0.0.256/32 2001:db8::/96 '' /8 \
        10.0.0.0/ 10.0.0.0/8x; do
        wrong "names '$value'" 'names|range' --names "$value"
    done
    wrong "no names given" '--names' --names none
    wrong "host bits in the range" 'did you mean 10.0.0.0/16' --names 10.0.1.0/16
    wrong "fewer names than queries" '200 different.*10.0.0.0/25 has 128' --names 10.0.0.0/25 \
        --rate 200
    for value in a..b .test '' 'a b' "$(printf 'a%.0s' {1..64}).test" \
        "$(printf 'a%.0s' {1..62}).test"; do
        wrong "zone '$value'" 'zone' --zone "$value"
    done
    for value in 2001:db8::/95 2001:db8::/97 2001:db8::/129 2001:db8:: 10.0.0.0/96 '' \
        2001:db8::1/96 64:ff9b:0:0:100::/96; do
        wrong "answer prefix '$value'" 'prefix|RFC 6052' --answer-prefix "$value"
    done
    wrong "answer that is not any" 'answer' --answer some
    wrong "type" 'qtype' --qtype TXT
    wrong "A records of a DNS64 server" 'qtype A: a DNS64 server is asked for AAAA' --dut dns64 \
        --qtype A
    wrong "DO without EDNS" 'edns-size' --dnssec-ok yes
}

test_machine() {
    local value
    for value in 4096 -1 a '0,' ',0' 1-0 0,0 0-0,0 '' 0-; do
        wrong "CPUs '$value'" 'cpus' --cpus "$value"
    done
    wrong "a CPU that is not there" 'CPU 4095' --cpus 4095
    wrong "more senders than queues" 'transmit queue' --cpus 0,1
    for value in 65536 -1 a '0,' 1-0 3,3 ''; do
        wrong "queues '$value'" 'sender-queues' --sender-queues "$value"
    done
    wrong "a queue that is not there" 'g0 has no transmit queue 1: it has 1 queue' --sender-queues 1
    wrong "more queues than senders" 'names 2 queues for 1 sender' --sender-queues 1,0
    wrong "XDP mode" 'xdp-mode' --xdp-mode fast
    wrong "AF_XDP mode" 'af-xdp' --af-xdp fast
    wrong "zero-copy on veth" 'zero-copy' --af-xdp zero-copy
    wrong "timestamps" 'hardware-timestamps' --hardware-timestamps always
    wrong "a card's timestamps on veth" 'g0 has no clock' --hardware-timestamps on
    wrong "unknown option" 'nonsense' --nonsense 1
    local trial=("${on_tester[@]}" "$dnsgauge" trial --interface g0 --server 198.18.0.2 --rate 100
        --names 10.0.0.0/16)
    refuse "--timeout=" '--timeout has no value' "${trial[@]}" --timeout=
    refuse "--timeout= before an option" '--timeout has no value' "${trial[@]}" --timeout= --duration 1
    refuse "--cpus and nothing" '--cpus has no value' "${trial[@]}" --cpus ''
    refuse "no options" '--interface and --server are required; --rate is required, .*--names is required' "${on_tester[@]}" "$dnsgauge" trial
    refuse "no subcommand" 'subcommand' "${on_tester[@]}" "$dnsgauge"
    refuse "unknown subcommand" 'nonsense|subcommand' "${on_tester[@]}" "$dnsgauge" nonsense
}

test_files() {
    wrong "--json in no folder" '--json .*no-such' --json no-such/result.json
    wrong "--per-query in no folder" '--per-query .*no-such' --per-query no-such/queries.csv
    wrong "--json a folder" '--json .*directory' --json "$scratch"
    wrong "--per-query a folder" '--per-query .*directory' --per-query "$scratch"
    wrong "--json empty" '--json' --json ''
    wrong "--per-query empty" '--per-query' --per-query ''
    wrong "--dns-metrics in no folder" '--dns-metrics .*no-such' --dns-metrics no-such/metrics
    wrong "--dns-metrics empty" '--dns-metrics' --dns-metrics ''
    wrong "both files the same" '--per-query' --json same --per-query same
    printf 'www.example.org A\n' >"$scratch/list"
    wrong "--json the list of queries" '--json .*/list would replace the input' --names none \
        --queries "$scratch/list" --json "$scratch/list"
    check "which is as it was" grep -qx 'www.example.org A' "$scratch/list"
    mkfifo "$scratch/pipe"
    wrong "--json a pipe" '--json .*: it is a pipe that nothing reads' --json "$scratch/pipe"
    wrong "--per-query a pipe" '--per-query .*: it is a pipe that nothing reads' \
        --per-query "$scratch/pipe"
    wrong "--dns-metrics the result's file" '--dns-metrics' --json same --dns-metrics same
    wrong "--dns-metrics the queries' file" '--dns-metrics' --per-query same --dns-metrics same
}

test_taken() {
    run_fakedns tester --interface g0 --port 5300
    may_carry=g0
    wrong "an XDP program is there" 'g0 already carries .*fakedns'
    check "it is still there" has_program g0
    may_carry=
    stop_pid "$STARTED_PID"
}

test_taken_queue() {
    local turn
    start_in tester "$lib_directory/hold_queue.py" g0
    for turn in {1..50}; do
        grep -q '^ready' "$STARTED_LOG" && break
        sleep 0.1
    done
    wrong "the queue is taken" 'queue 0 of g0 is taken'
    stop_pid "$STARTED_PID"
}

# Afterwards files are as they were before.
test_existing_files() {
    echo before >"$scratch/kept.json"
    wrong "with an old result" 'no interface' --interface nosuch0 --json "$scratch/kept.json"
    check "the old result is untouched" grep -qx before "$scratch/kept.json"
    echo before >"$scratch/kept.csv"
    wrong "with an old --per-query" '--json' --json no-such/result.json \
        --per-query "$scratch/kept.csv"
    check "the old --per-query is untouched" grep -qx before "$scratch/kept.csv"
}

test_privilege() {
    if ! command -v setpriv >/dev/null; then
        echo "SKIP: no setpriv: privileges are not tested"
        return
    fi
    local as_nobody=(setpriv --bounding-set=-all --inh-caps=-all --reuid 65534 --regid 65534
        --clear-groups)
    # The program is copied, because the user nobody may not be allowed into the folder of the
    # build.
    install -m 755 "$bin/dnsgauge" "$scratch/dnsgauge"
    chmod 1777 "$scratch/made"
    local trial=("${on_tester[@]}" "${as_nobody[@]}" "$scratch/dnsgauge" trial --interface g0
        --server 198.18.0.2 --rate 100 --duration 1 --names 10.0.0.0/16)
    refuse "no privilege" 'root' "${trial[@]}"
    refuse "no privilege, with files" 'root' "${trial[@]}" --json result.json \
        --per-query queries.csv
    local command words=("${on_tester[@]}" env DNSGAUGE_STATE="$scratch/made/state" "${as_nobody[@]}" "$scratch/dnsgauge")
    local -A more=([selftest]="--rate 100" [calibrate]="--fakedns-interface d0 --fakedns-netns $lab_name-dut"
        [search]="--names 10.0.0.0/16 --max-rate 100 --journal journal"
        [sweep]="--names 10.0.0.0/16 --min-rate 10 --max-rate 100 --journal journal"
        [soak]="--names 10.0.0.0/16 --rate 10 --journal journal")
    for command in "${!more[@]}"; do
        # shellcheck disable=SC2086
        refuse "$command without privilege" "\"dnsgauge $command\" as root .*CAP_NET_RAW" "${words[@]}" $command \
            --interface g0 --server 198.18.0.2 ${more[$command]}
    done
    chmod 755 "$scratch/made"
    refuse "a folder one may not write to" '--json result.json: Permission denied' "${trial[@]}" \
        --json result.json
}

# With ever more address space the program starts at last; before that it says what it lacks.
test_little_memory() {
    local least most=0 blamed=0 told=0
    for ((least = 40; least <= 80; least += 2)); do
        "${on_tester[@]}" prlimit --as=$((least * 1000000)) "$dnsgauge" trial --interface g0 --server 198.18.0.2 \
            --rate 100 --duration 0.1 --timeout 0.1 --names 10.0.0.0/24 >"$scratch/out" 2>"$scratch/err"
        grep -q 'Linux 6.1' "$scratch/err" && blamed=$least
        grep -Eq '^dnsgauge: this process may .*ulimit -v' "$scratch/err" && told=$least
        [[ -s $scratch/out ]] && most=$least && break
    done
    check "little address space is not blamed on the kernel" [ $blamed -eq 0 ]
    [[ $most -ne 0 && $told -eq 0 ]] || check "it is told" [ $told -ne 0 ]
}

lab_up
dnsgauge=$bin/dnsgauge
mkdir "$scratch/made"
test_good_input
test_interface
test_reach
test_numbers
test_names
test_machine
test_files
test_taken
test_taken_queue
test_existing_files
test_little_memory
test_privilege
finish
