#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# servers_test.sh [KIND...]: each server starts from the files of dnsgauge-zone, gives the zone's
# data over IPv4 and IPv6, is measured without an error, and stops. Exit status 77: nothing could be
# tested.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
dnsgauge=$bin/dnsgauge
zone_tool=$dnsgauge-zone
skip_unless_root
[[ -x $zone_tool ]] || { echo "no $zone_tool: build it first" && exit 1; }
# servers.sh reads this.
# shellcheck disable=SC2034
dut_addresses=(198.18.0.2 2001:2::2)

# measure SERVER TYPE SHARE: makes a short trial in which SHARE percent of the names have such a
# record, so that the test notices a single wrong or lost answer. Any server keeps this rate on any
# machine, and a stall of this machine is no server's fault.
measure() {
    "${on_tester[@]}" "$dnsgauge" trial --interface g0 --server "$1" --qtype "$2" --accept "$3" \
        --names "$server_names" --rate 500 --duration 1 --timeout 1 --max-lateness 10 --max-overrun 10 --max-others 100 \
        >"$scratch/trial" && return
    # The Tester reports its own stall.
    grep -q 'sending took' "$scratch/trial" && grep -q " $3.0000 %" "$scratch/trial" && return
    cat "$scratch/trial"
    return 1
}

# measure_server: measures both types in each address family.
measure_server() {
    local address bad=0
    for address in "${dut_addresses[@]}"; do
        measure "$address" A 100 || bad=1
        measure "$address" AAAA 50 || bad=1
    done
    return $bad
}

# try_server KIND TITLE [options]
try_server() {
    local kind=$1 title=$2 bad=0
    shift 2
    if start_server "$kind" "$scratch/$kind" "$@"; then
        check_server || bad=1
        measure_server || bad=1
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

lab_up
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
    [[ $kind != knot ]] || try_server knot "by AF_XDP" --xdp d0 || failed=1
done
[[ $tested -gt 0 ]] || exit 77
exit $failed
