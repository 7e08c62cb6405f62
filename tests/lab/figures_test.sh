#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests the scripts of the papers' figures (tools/experiments): one of sweeps, in which a server refuses its zone, and one
# of replays, in which a resolver's command fails. One line says so, what was measured before is kept, and the same
# command goes on once the fault is mended. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=trial_lib.sh
. "$(dirname "$0")/trial_lib.sh"
PATH=$PATH:/usr/sbin
figures=$lib_directory/../../tools/experiments
skip_unless_root
skip_unless_built dnsgauge dnsgauge-queries dnsgauge-zone fakedns
for program in nsd knotd; do
    command -v $program >/dev/null || skip "no $program on this machine: see tools/install-packages"
done
export DNSGAUGE_BIN=$bin

common="--interface g0 --server $server4 --timeout 1 --pause 0.2 --beyond-selftest --max-lateness 60
    --max-overrun 60 --max-others 100"

# make FIGURE: makes the figure; its exit status is in $status, what it said in $said, its table in $table.
make() {
    status=0
    "$figures/$1" --directory "$scratch/made" --site "$scratch/site.sh" >"$table" 2>"$said" || status=$?
}

# The last line of what was said, without the progress.
last_line() { tail -n 1 "$said" >"$said.last" && mv "$said.last" "$said"; }

trials_of() { grep -c '"record":"trial"' "$scratch/made/$1.jsonl"; }

# A server that finds $scratch/broken gets a zone with a line that is none.
write_sweeps_site() {
    cat >"$scratch/site.sh" <<SITE
on_tester=(ip netns exec $lab_name-tester)
options=($common --min-rate 500 --max-rate 1000 --steps 2 --duration 1)
names=200
servers=(nsd knot)
serve() {
    rm -rf "$scratch/server" "$scratch/served"
    cp -r "\$2" "$scratch/served"
    [[ \$1 != knot || ! -e $scratch/broken ]] || echo "no record" >>"$scratch/served/\$(cut -f 2 "\$2/dataset")"
    "$bin/dnsgauge-zone" server "\$1" --directory "$scratch/server" --dataset "$scratch/served" --listen $server4 ||
        return
    ip netns exec $lab_name-dut "$scratch/server/start" >"$scratch/server.log" 2>&1 &
    server=\$!
    for _ in {1..40}; do
        ip netns exec $lab_name-tester dig +tries=1 +time=1 @$server4 test SOA 2>/dev/null | grep -q NOERROR && return
        sleep 0.1
    done
    unserve
    return 1
}
unserve() {
    kill \$server
    wait || true
}
SITE
}

test_sweeps() {
    write_sweeps_site
    touch "$scratch/broken"
    make paper-003/response-rate
    last_line
    expect 2 "a zone that its server refuses" '^response-rate: knot does not serve .*/made/tld$'
    check "and the curve made before is kept" [ "$(trials_of tld-nsd)" -ge 2 ]
    rm "$scratch/broken"
    cp "$scratch/made/tld-nsd.jsonl" "$scratch/before"
    make paper-003/response-rate
    expect 0 "the same command goes on"
    check "and repeats no trial" cmp "$scratch/before" "$scratch/made/tld-nsd.jsonl"
    check "the table has a column for each server" grep -Eq '^ *queries/s +tld-nsd +tld-knot$' "$table"
    check "and a row for each rate" [ "$(grep -Ec '^ *(500|1000)( +[0-9]+\.[0-9]+){2}$' "$table")" -eq 2 ]
}

test_replays() {
    rm -rf "$scratch/made"
    "$bin/dnsgauge-queries" make --rate 100 --duration 16 --clients 10 --names 10.0.0.0/24 --output "$scratch/made.pcap"
    cat >"$scratch/site.sh" <<SITE
on_tester=(ip netns exec $lab_name-tester)
options=($common --capture $scratch/made.pcap --runs 2 --duration 1)
label=([old]="FakeDNS" [new]="FakeDNS again")
restart=([old]=true [new]="test ! -e $scratch/broken")
SITE
    start_fakedns
    touch "$scratch/broken"
    make paper-004/load-14x
    last_line
    expect 2 "a resolver's command that fails" '^dnsgauge: .*test ! -e .*exit status 1'
    check "and the runs made before are kept" [ "$(trials_of old-7x)" -ge 2 ]
    rm "$scratch/broken"
    cp "$scratch/made/old-7x.jsonl" "$scratch/before"
    make paper-004/load-14x
    expect 0 "the same command goes on"
    check "and repeats no run" cmp "$scratch/before" "$scratch/made/old-7x.jsonl"
    check "the replays stand side by side" grep -Eq '^ *old-7x +new-14x$' "$table"
    stop_fakedns
}

lab_up
lay_out
table=$scratch/table
test_sweeps
test_replays
check "nothing is left at the end" no_program
finish
