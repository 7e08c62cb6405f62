#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# internet_test.sh KIND [COUNT]: the resolver, with an empty cache, asks "fakedns --internet" for COUNT names (1,000),
# and returns what "--predict" says: tools/RESOLVER.md lists every difference for the resolver. A changed fate is
# found. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# servers.sh reads these.
# shellcheck disable=SC2034
zone_tool=$bin/dnsgauge-zone dut_addresses=(198.18.0.2 2001:2::2)
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
kind=${1:?which resolver: ${resolver_kinds[*]}}
count=${2:-1000}
conformance=$lib_directory/../../tools/internet-conformance
guide=$lib_directory/../../tools/RESOLVER.md

skip_unless_root
skip_unless_built dnsgauge-zone fakedns
skip_unless_installed "$kind"
/usr/bin/python3 -c 'import dns' 2>/dev/null ||
    skip "no python3-dnspython on this machine: see tools/install-packages"

# compare FATES [options]: asks for the names of the file. The table is in $said.
compare() {
    local fates=$1
    shift
    in_ns tester "$conformance" check --server "${dut_addresses[0]}" --fates "$fates" "$@" >"$said" 2>&1
}

# counted FILE: prints the differences of a table, each as its count, a tab and its words.
counted() { sed -n 's/^different: \([0-9,]*\) x \(.*\), such as .*/\1\t\2/p' "$1" | tr -d ,; }

# Succeeds if the guide tells of each difference. Chance loses packets, so:
# - a difference may occur three times as often as the guide tells, and three times more;
# - a difference that the guide does not tell may occur three times, if a zone has a broken server, or if the resolver
#   says SERVFAIL, as it does when all its queries are lost.
has_known_differences() {
    sed -n "/^### $kind\$/,/^###* /p" "$guide" >"$scratch/known"
    awk -F '\t' -v share="$(awk -v count="$count" 'BEGIN { print 3 * count / 100000 }')" '
        FILENAME == ARGV[1] { known[$2] = $1; next }
        $1 > ($2 in known ? known[$2] * share + 3 : /are not sound/ || $2 ~ /^SERVFAIL/ ? 3 : 0) {
            print "unknown, or more often than known: " $0
            bad = 1
        }
        END { exit bad }' <(counted "$scratch/known") <(counted "$said")
}

lab_up --setup resolver
said=$scratch/said
run_fakedns auth --internet --interface a0 || { fail "fakedns --internet: $(cat "$STARTED_LOG")" && finish; }
"$bin/fakedns" --internet --root-hints >"$scratch/hints"
"$conformance" names --count "$count" >"$scratch/names"
check "$count names, none twice" [ "$(sort -u "$scratch/names" | wc -l)" -eq "$count" ]
check "$kind answers" start_resolver "$kind" "$scratch/resolver" a --hints "$scratch/hints"

"$bin/fakedns" --internet --predict - <"$scratch/names" | compare -
check "$kind: the comparison ends" [ "${PIPESTATUS[*]}" = "0 0" -o "${PIPESTATUS[*]}" = "0 1" ]
cat "$said"
check "$kind: it asked for all" grep -Eq "^all +$count " <(tr -d , <"$said")
check "$kind: no difference that tools/RESOLVER.md does not tell of" has_known_differences

"$bin/fakedns" --internet --predict - < <(head -n 500 "$scratch/names") |
    awk '/"node":"absent".*"reachable":"yes"/ && n++ < 20' |
    sed 's/"rcode":"NXDOMAIN"/"rcode":"NOERROR"/' >"$scratch/changed"
compare "$scratch/changed"
check "$kind: changed fates are found" [ $? -eq 1 ]
check "$kind: all of them" grep -Eq '^all +20 +0 +.* 20  ' "$said"
check "$kind stops" stop_server
finish
