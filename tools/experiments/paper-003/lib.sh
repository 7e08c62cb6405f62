# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# What the figures of T. Hlavacek, "Benchmarking of authoritative DNS servers and DNSSEC impact assessment"
# (DNS-OARC, 2015) have in common. A figure's file sources this one, calls begin "$@", then dataset and curve for
# each curve, and then table.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
keeps="where data sets, journals and results go; a sweep that is there goes on where it ended, and one
                   that is complete is not made again"
site_has="interface, rates and servers"
one_try=trial
programs=(dnsgauge dnsgauge-zone)
set_defaults() {
    names=1000000
    servers=(bind9 nsd knot yadifa pdns)
    dnssec_server=knot
}
# shellcheck source-path=SCRIPTDIR source=../figures.sh
. "$here/../figures.sh"

# dataset NAME [options of "dnsgauge-zone dataset"]: makes the data set, unless it is there.
dataset() {
    local name=$1
    shift
    [[ ! -e $directory/$name/queries.txt ]] || return 0
    rm -rf "${directory:?}/$name"
    "$bin/dnsgauge-zone" dataset "$@" --out "$directory/$name" || exit 2
}

# curve NAME SERVER DATASET: sweeps the server on that data set, as NAME.
curve() {
    local file=$directory/$1 resume=() status=0
    [[ ! -e $file.jsonl ]] || resume=(--resume)
    serve "$2" "$directory/$3" || die "$2 does not serve $directory/$3"
    "${on_tester[@]}" "$bin/dnsgauge" sweep "${options[@]}" --queries "$directory/$3/queries.txt" \
        --journal "$file.jsonl" --json "$file.json" "${resume[@]}" >"$file.txt" || status=$?
    unserve "$2"
    ((status == 0)) || exit $status
}

# table TITLE NAME...: prints a row for each step of these curves.
table() {
    local title=$1
    shift
    tell "$title" rows "$@"
}

rows() {
    echo
    /usr/bin/python3 "$here/curves.py" "$directory" "$@"
}
