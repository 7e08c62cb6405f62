#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# servers_test.sh [KIND...]: each server starts from what dnsgauge-zone writes, gives the zone's
# data over IPv4 and IPv6, and stops. Exit status 77: nothing could be tested.
set -u
here=$(cd "$(dirname "$0")" && pwd)
zone_tool=${DNSGAUGE_BIN:-$here/../../build/bin}/dnsgauge-zone
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$here/servers.sh"

skip() {
    echo "SKIP: $*"
    exit 77
}

[[ $(id -u) -eq 0 ]] || skip "network namespaces need root"
for tool in ip dig; do
    command -v $tool >/dev/null || skip "no $tool on this machine: see tools/install-packages"
done
[[ -x $zone_tool ]] || { echo "no $zone_tool: build it first" && exit 1; }

tester=dgsrv-$$-tester
dut=dgsrv-$$-dut
on_tester=(ip netns exec "$tester")
on_dut=(ip netns exec "$dut")
dut_addresses=(198.18.0.2 2001:2::2)
scratch=$(mktemp -d /tmp/dgsrv.XXXXXX)
# Servers that run as a user of their own must reach what is theirs.
chmod 755 "$scratch"

clean_up() {
    stop_server
    ip netns del "$tester" 2>/dev/null
    ip netns del "$dut" 2>/dev/null
    rm -rf "$scratch"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

make_hosts() {
    set -e
    ip netns add "$tester"
    ip netns add "$dut"
    ip -n "$tester" link add lab0 numtxqueues 1 numrxqueues 1 type veth \
        peer name lab0 netns "$dut" numtxqueues 1 numrxqueues 1
    ip -n "$tester" address add 198.18.0.1/24 dev lab0
    ip -n "$tester" address add 2001:2::1/64 dev lab0 nodad
    ip -n "$dut" address add 198.18.0.2/24 dev lab0
    ip -n "$dut" address add 2001:2::2/64 dev lab0 nodad
    for host in "$tester" "$dut"; do
        ip -n "$host" link set lo up
        ip -n "$host" link set lab0 up
    done
    set +e
}

# try_server KIND TITLE [options]
try_server() {
    local kind=$1 title=$2 bad=0
    shift 2
    if start_server "$kind" "$scratch/$kind" "$@"; then
        check_server || bad=1
    else
        bad=1
    fi
    stop_server || bad=1
    rm -rf "${scratch:?}/$kind"
    if [[ $bad -eq 0 ]]; then
        echo "ok: $kind $title"
    else
        echo "FAILED: $kind $title"
    fi
    return $bad
}

make_hosts
[[ $# -gt 0 ]] || set -- "${server_kinds[@]}"
failed=0
tested=0
for kind in "$@"; do
    if ! server_is_installed "$kind"; then
        echo "SKIP: $kind: $(server_program "$kind") is not installed: see tools/install-packages"
        continue
    fi
    tested=$((tested + 1))
    try_server "$kind" "as packaged" || failed=1
    try_server "$kind" "with 2 workers, as nobody" --workers 2 --user nobody || failed=1
    [[ $kind != knot ]] || try_server knot "by AF_XDP" --xdp lab0 || failed=1
done
[[ $tested -gt 0 ]] || exit 77
exit $failed
