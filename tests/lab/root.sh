# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash
#
# A root of one's own, which delegates dns64perf.test to FakeDNS, on the Tester. A script sources lib.sh and this
# file in bash, and calls start_root.

# start_root ADDRESS...: starts knotd as the root, signed, on 198.18.0.1 and 2001:2::1. FakeDNS is at these
# addresses. The root hints are in the file $root_hints.
start_root() {
    local directory=$scratch/root address glue=
    for address in "$@"; do
        glue+="ns.dns64perf.test. 3600 $([[ $address == *:* ]] && echo AAAA || echo A) $address"$'\n'
    done
    root_hints=$directory/hints
    mkdir "$directory"
    cat >"$root_hints" <<END
. 3600 NS a.root.
a.root. 3600 A 198.18.0.1
a.root. 3600 AAAA 2001:2::1
END
    cat - "$root_hints" >"$directory/zone" <<END
. 3600 SOA a.root. admin.root. 1 3600 600 86400 60
dns64perf.test. 3600 NS ns.dns64perf.test.
$glue
END
    cat >"$directory/conf" <<END
server:
    rundir: "$directory"
    user: root
    listen: [ 198.18.0.1@53, 2001:2::1@53 ]
database:
    storage: "$directory"
policy:
  - id: signed
    algorithm: ecdsap256sha256
zone:
  - domain: .
    file: "$directory/zone"
    zonefile-sync: -1
    dnssec-signing: on
    dnssec-policy: signed
END
    start_in tester knotd -c "$directory/conf"
    check "the root answers" wait_for_dns tester 198.18.0.1 53 .
}

# The root's key as "TAG ALGORITHM DIGEST-TYPE DIGEST".
root_key() {
    keymgr -c "$scratch/root/conf" . ds | awk '$5 == 2 || $4 == 2' | head -n 1 | sed 's/^.*DS //'
}
