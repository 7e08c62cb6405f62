#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Soaks fakedns at its limit of descriptors for SECONDS (default 180). Three times as many clients as fit hold
# connections, others ask slowly for the metrics, and the configuration is read anew. Clients are served all the time,
# a missing descriptor is taken for nothing else, and memory, descriptors and CPU time end as they began.
#
# usage: descriptors_soak_test.sh [SECONDS]
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
duration=${1:-180}
fakedns=$bin/fakedns

client() { in_ns "$1" /usr/bin/python3 "$lib_directory/fakedns_service_client.py" "${@:2}"; }
descriptors() { find "/proc/$server/fd" -type l 2>/dev/null | wc -l; }
memory_kib() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$server/status"; }
ticks() { awk '{ print $14 + $15 }' "/proc/$server/stat"; }

skip_unless_root
skip_unless_built fakedns
lab_up
printf 'interface = "d0"\nmetrics = "127.0.0.1:9153"\ntcp-connections = 100\n' >"$scratch/fakedns.toml"
start_in dut prlimit --nofile=100:300 setpriv --bounding-set=-sys_resource "$fakedns" --config "$scratch/fakedns.toml"
server=$STARTED_PID said=$STARTED_LOG
for _ in {1..100}; do
    grep -q '^fakedns: ready' "$said" && break
    sleep 0.1
done
check "it starts: $(cat "$said")" grep -q '^fakedns: ready' "$said"

begun=$(descriptors) early=0 most=0 rounds=0 unserved=0
end=$((SECONDS + duration))
client tester storm 198.18.0.2 300 "$duration" >"$scratch/storm" 2>&1 &
storm=$!
while ((SECONDS < end)) && kill -0 "$server" 2>/dev/null; do
    client dut crowd 127.0.0.1:9153 40 >"$scratch/crowd" 2>&1 || unserved=$((unserved + 1))
    [[ $(in_ns tester dig +short +tcp +tries=1 +time=5 @198.18.0.2 010-000-000-001.dns64perf.test) = 10.0.0.1 ]] ||
        unserved=$((unserved + 1))
    kill -HUP "$server"
    now=$(descriptors)
    ((now <= most)) || most=$now
    rounds=$((rounds + 1))
    ((rounds != 5)) || early=$(memory_kib)
    sleep 0.5
done
wait "$storm"
check "clients of the storm are served: $(tail -n 1 "$scratch/storm")" [ "$(tail -n 1 "$scratch/storm")" = 2 ]
check "the other clients are served in all $rounds rounds: $unserved were not" [ "$unserved" -eq 0 -a "$rounds" -ge 5 ]
check "the limit was met: $most descriptors, $begun at first" [ "$most" -ge $((begun + 95)) -a "$most" -le 300 ]
check "the file was read anew" [ "$(grep -c '^fakedns: read .* anew' "$said")" -ge 3 ]
check "no interface is gone, nothing is refused: $(sort "$said" | uniq -c | sort -rn | head -n 5)" \
    [ "$(grep -Ec 'is gone|stays as it was' "$said")" -eq 0 ]
sleep 12 # idle connections are closed after 10 s
check "the descriptors are given back: $(descriptors)" [ "$(descriptors)" -le $((begun + 2)) ]
check "memory stays: $(memory_kib) KiB, $early KiB early" [ "$(memory_kib)" -le $((early + 2048)) ]
before=$(ticks)
sleep 2
check "and it is idle: $(($(ticks) - before)) ticks in 2 s" [ $(($(ticks) - before)) -le 10 ]
finish
