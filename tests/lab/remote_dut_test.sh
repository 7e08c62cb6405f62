#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Tests dnsgauge experiment with the commands of tools/experiments/site.toml as they are: ssh,
# systemd-run, pkill, and a power cycle for maxcpus=. There is no second machine: the DUT is the
# lab's, in a process namespace of its own. "ssh" runs words there as ssh does, joined and by a
# shell that does not end when ssh does; "systemd-run" is taskset; the power cycle ends every
# process of the DUT. So the test shows when and how the commands are called, and what is left. The higher rate sends
# more in a trial than a server answers within the timeout. Exit status 77: this test cannot run here.
set -u
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source-path=SCRIPTDIR source=servers.sh
. "$lib_directory/servers.sh"
site=$(realpath "$lib_directory/../../tools/experiments/site.toml")

skip_unless_root
skip_unless_built dnsgauge dnsgauge-zone
skip_unless_installed knot nsd
command -v nsenter >/dev/null || skip "no nsenter on this machine"

# The tools that start the DUT's first process (in $scratch/init) anew, and reach it.
write_tools() {
    calls=$scratch/calls
    mkdir "$scratch/bin"
    cat >"$scratch/bin/dut-power-cycle" <<SH
#!/bin/sh
echo "power-cycle \$*" >>"$calls"
if [ -e "$scratch/init" ]; then
    kill -KILL "\$(cat "$scratch/init")"
    while kill -0 "\$(cat "$scratch/init")" 2>/dev/null; do sleep 0.05; done
fi
setsid ip netns exec "$lab_name-dut" unshare --pid --mount-proc --fork sleep infinity \\
    >/dev/null 2>&1 </dev/null &
until pgrep -P \$! >"$scratch/init"; do sleep 0.05; done
SH
    cat >"$scratch/bin/ssh" <<SH
#!/bin/sh
echo "ssh \$*" >>"$calls"
[ "\$1" = root@dut ] || exit 255
shift
exec nsenter -t "\$(cat "$scratch/init")" -n -p -m setsid -w \\
    env PATH="$scratch/bin:$bin:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin" sh -c "\$*"
SH
    cat >"$scratch/bin/systemd-run" <<'SH'
#!/bin/sh
cpus=${4#AllowedCPUs=}
[ "$1 $2 $3" = "--scope --quiet -p" ] && [ "$cpus" != "$4" ] || exit 64
shift 4
exec taskset -c "$cpus" "$@"
SH
    # The server has fewer names than the trials ask for.
    cat >"$scratch/bin/dnsgauge-zone" <<SH
#!/bin/sh
for word; do
    shift
    [ "\$word" != 10.0.0.0/16 ] || word=10.0.0.0/22
    set -- "\$@" "\$word"
done
exec "$bin/dnsgauge-zone" "\$@"
SH
    chmod +x "$scratch/bin"/*
}

# Prints the DUT's processes besides the first one, which does not wait for ended ones.
dut_processes() {
    nsenter -t "$(<"$scratch/init")" -p -m ps -e -o stat=,comm= |
        grep -Ev '^Z|^[^ ]+ +(sleep|ps|nsenter)$'
}

# write_file SERVER [lines of [dut]]: writes the experiment. The zone has 1,024 names. So 250 queries
# pass, and 10,250 fail, however busy the machine is. The resolution leaves no rate between the two.
write_file() {
    cat >"$scratch/experiment.toml" <<TOML
extends = "$site"
title = "A DUT far away"
scaled-down = "two trials"

[variables]
dut-home = "$scratch/home"

[search]
interface = "g0"
cpus = "0"
names = "10.0.0.0/16"
beyond-selftest = true
allow-repeats = true
duration = 0.25
timeout = 0.25
min-rate = 1000
max-rate = 41000
resolution = 40000
repeat = 1
pause = 0
max-lateness = 60
max-overrun = 60
max-others = 100

[matrix]
server = ["$1"]
cores = [1, 2]

[dut]
${2-}
TOML
}

# run DIRECTORY: runs the experiment.
run() {
    status=0
    : >"$calls"
    in_ns tester env PATH="$scratch/bin:$PATH" "$bin/dnsgauge" experiment \
        "$scratch/experiment.toml" --directory "$scratch/$1" >"$scratch/said" 2>&1 || status=$?
}

# expect STATUS WHAT PATTERN: checks the last run.
expect() {
    if [[ $status -eq $1 ]] && grep -Eq -- "$3" "$scratch/said"; then
        pass "$2"
    else
        fail "$2: exit status $status, not $1 with '$3': $(cat "$scratch/said")"
    fi
}

# calls_are WHAT LINE...: checks that these are all calls, in this order.
calls_are() {
    local what=$1
    shift
    if diff <(printf '%s\n' "$@") "$calls" >"$scratch/difference"; then
        pass "$what"
    else
        fail "$what: $(cat "$scratch/difference")"
    fi
}

# zone_call KIND CORES
zone_call() {
    echo "ssh root@dut dnsgauge-zone server $1 --directory $scratch/home/$1 --names 10.0.0.0/16" \
        "--type AAAA --listen 198.18.0.2 --workers $2"
}

# start_call KIND CPUS
start_call() {
    echo "ssh root@dut systemd-run --scope --quiet -p AllowedCPUs=$2 $scratch/home/$1/start"
}

# stop_call KIND PIDFILE
stop_call() { echo "ssh root@dut pkill -F $scratch/home/$1/run/$2.pid"; }

# Child processes end a moment later.
nothing_runs() {
    for _ in {1..50}; do
        [[ -n $(dut_processes) ]] || return 0
        sleep 0.1
    done
    return 1
}

test_cpuset() {
    write_file knot
    run cpuset
    expect 0 "Knot DNS, CPUs by systemd-run" '^Median \(qps\) +1000 +1000$'
    calls_are "prepared, started, stopped for each number of cores, by ssh" \
        "$(zone_call knot 1)" "$(start_call knot 0)" "$(stop_call knot knot)" \
        "$(zone_call knot 2)" "$(start_call knot 0,1)" "$(stop_call knot knot)"
    check "the server that ssh leaves behind is stopped" nothing_runs
}

test_power_cycle() {
    local first
    first=$(<"$scratch/init")
    write_file nsd $'cpu-method = "maxcpus"\npower-cycle = ["dut-power-cycle", "${cores}"]'
    run maxcpus
    expect 0 "NSD, CPUs by maxcpus=" '^Median \(qps\) +1000 +1000$'
    calls_are "the DUT is started anew before the first cell and for each number of cores" \
        "power-cycle 1" "$(zone_call nsd 1)" "$(start_call nsd 0)" "$(stop_call nsd nsd)" \
        "power-cycle 2" "$(zone_call nsd 2)" "$(start_call nsd 0,1)" "$(stop_call nsd nsd)"
    check "it is another one" test "$first" != "$(<"$scratch/init")"
    check "on which nothing runs" nothing_runs
    check "the table does not say cpuset" sh -c "! grep -q cpuset '$scratch/said'"

    write_file nsd $'cpu-method = "maxcpus"\npower-cycle = ["false", "${cores}"]'
    run failed
    expect 2 "a power cycle that fails" '^dnsgauge: .*false 1.*status 1'
    check "and nothing is started on a DUT that is not there" test ! -s "$calls"
}

lab_up
write_tools
"$scratch/bin/dut-power-cycle" at first
test_cpuset
test_power_cycle
finish
