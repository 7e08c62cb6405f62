#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# clients_test.sh dnsperf|kxdpgun: another project's program asks fakedns, by XDP and by sockets,
# over IPv4 and IPv6. Its counts of queries and replies must equal fakedns' counters, to the query,
# and XDP must leave nothing to the stack. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
PATH=$PATH:/usr/sbin
client=$1
skip_unless_root
skip_unless_built
command -v "$client" >/dev/null || skip "no $client on this machine: see tools/install-packages"

share=30
per_second=2000

# Names that have an A record, of which some have an AAAA record too, and names that do not exist.
# Each question once, and after it $1, where the client reads flags.
write_questions() {
    local i
    for i in {0..999}; do
        printf '010-000-%03d-%03d.dns64perf.test A%s\n' $((i / 256)) $((i % 256)) "$1"
        printf '010-000-%03d-%03d.dns64perf.test AAAA%s\n' $((i / 256)) $((i % 256)) "$1"
        ((i % 4)) || printf 'no-%d.dns64perf.test A%s\n' "$i" "$1"
    done
}

# ---- what the client says: $sent $received $noerror $nxdomain

# said_number PATTERN: prints the number in the first line that fits, or 0.
said_number() {
    local number
    number=$(sed -nE "s/^$1.*/\1/p" "$said" | head -n 1)
    echo "${number:-0}"
}

# ask_dnsperf SERVER [options]: asks each question once, with at most 100 queries open.
ask_dnsperf() {
    in_ns tester dnsperf -s "$1" -d "$scratch/questions" -n 1 -q 100 -c 1 -T 1 -Q $per_second -t 5 \
        "${@:2}" >"$said" 2>&1 || return
    sent=$(said_number ' *Queries sent: +([0-9]+)')
    received=$(said_number ' *Queries completed: +([0-9]+)')
    noerror=$(said_number ' *Response codes:.*NOERROR ([0-9]+)')
    nxdomain=$(said_number ' *Response codes:.*NXDOMAIN ([0-9]+)')
}

# kxdpgun leaves its program on the interface.
ask_kxdpgun() {
    local status=0
    in_ns tester kxdpgun -i "$scratch/questions" -t 1 -Q $per_second -F 0 -I g0 "$1" >"$said" 2>&1 ||
        status=$?
    in_ns tester ip link set dev g0 xdp off
    ((status == 0)) || return $status
    sent=$(said_number 'total queries: +([0-9]+)')
    received=$(said_number 'total replies: +([0-9]+)')
    noerror=$(said_number 'responded NOERROR: +([0-9]+)')
    nxdomain=$(said_number 'responded NXDOMAIN: +([0-9]+)')
}

# ---- what fakedns says

# counted ROW COLUMN: prints a counter of the last table.
counted() {
    awk -v row="$1" -v column="$2" '
        $1 == "kind" { for (i = 2; i <= NF; i++) if ($i == column) field = i }
        $1 == row { value = $field }
        END { print value + 0 }' "$STARTED_LOG"
}

# Prints nothing if the counters of column $1 equal the client's; otherwise the counters.
differences() {
    local what mine
    local -A wanted=([rcode-NOERROR]=$noerror [rcode-NXDOMAIN]=$nxdomain [ignored]=0 [unsent]=0)
    for what in "${!wanted[@]}"; do
        mine=$(counted "$what" "$1")
        [[ $mine -eq ${wanted[$what]} ]] || echo "$what $mine, not ${wanted[$what]}"
    done
    [[ $sent -eq $received ]] || echo "$received of $sent answered"
    [[ $sent -eq $((noerror + nxdomain)) ]] || echo "$noerror and $nxdomain answers for $sent queries"
    ((sent > 0 && nxdomain > 0)) || echo "a poor set of questions"
    [[ $1 == tcp ]] || (($(counted AAAA "$1") > 0 && $(counted NODATA "$1") > 0)) || echo "no AAAA"
}

# Prints how many queries XDP left to the stack. ("passed" also counts kxdpgun's pings, by which it
# finds the server, and packets of interfaces that come up.)
stack_share() {
    local row
    for row in passed-fragment passed-no-room; do
        [[ $(counted $row xdp) -eq 0 ]] || echo "$row $(counted $row xdp)"
    done
    for row in rcode-NOERROR rcode-NXDOMAIN; do
        [[ $(counted $row udp) -eq 0 ]] || echo "$row $(counted $row udp) by sockets"
    done
}

# agree WHAT COLUMN SERVER [options of the client]: checks that both sides agree. A machine that
# stalls may lose packets elsewhere, so a run that differs is made again.
agree() {
    local what=$1 column=$2 turn wrong status mode=native
    shift 2
    [[ $column == xdp ]] || mode=off
    for turn in 1 2 3; do
        start_fakedns --xdp-mode $mode --aaaa-share $share
        status=0
        "ask_$client" "$@" || status=$?
        stop_fakedns
        wrong=$(differences "$column")
        [[ $status -ne 0 || $column != xdp ]] || wrong+=$(stack_share)
        ((status == 0)) && [[ -z $wrong ]] && break
    done
    if ((status != 0)); then
        fail "$client: $what: exit status $status: $(cat "$said")"
    elif [[ -n $wrong ]]; then
        fail "$client: $what: ${wrong//$'\n'/; }"
    else
        pass "$client: $what: $sent queries, as many answers, as many counted"
    fi
}

lab_up
lay_out
if [[ $client == dnsperf ]]; then
    write_questions "" >"$scratch/questions"
    agree "XDP, IPv4" xdp "$server4"
    agree "XDP, IPv6, EDNS" xdp "$server6" -e
    agree "sockets, IPv4, EDNS" udp "$server4" -e
    agree "sockets, IPv6" udp "$server6"
    # dnsperf uses one connection, and does not wait for answers on it.
    agree "TCP, IPv4" tcp "$server4" -m tcp
    agree "TCP, IPv6, EDNS" tcp "$server6" -m tcp -e
else
    write_questions "" >"$scratch/questions"
    agree "XDP, IPv4" xdp "$server4"
    agree "sockets, IPv6" udp "$server6"
    write_questions " E" >"$scratch/questions"
    agree "XDP, IPv6, EDNS" xdp "$server6"
    agree "sockets, IPv4, EDNS" udp "$server4"
fi
finish
