# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
# shellcheck shell=bash disable=SC2034
#
# The place of the sweeps, unless --site names another: a cable joins the Tester to the DUT, and ssh reaches the DUT as
# root. The DUT has dnsgauge-zone, rsync and the servers.
options=(--interface eth1 --server 198.18.0.2 --cpus 0-3 --min-rate 100k --max-rate 5M --steps 50 --duration 10
    --repeat 3 --timeout 1)

# serve SERVER DATASET: starts the server on the data set, and returns when it answers.
serve() {
    rsync -a --delete "$2/" root@dut:/srv/dnsgauge/dataset/ &&
        ssh root@dut "rm -rf /srv/dnsgauge/$1 &&
            dnsgauge-zone server $1 --directory /srv/dnsgauge/$1 --dataset /srv/dnsgauge/dataset --listen 198.18.0.2 &&
            systemd-run --quiet --unit dnsgauge-server /srv/dnsgauge/$1/start" || return
    for _ in {1..600}; do
        dig +tries=1 +time=1 @198.18.0.2 . SOA >/dev/null && return
        sleep 1
    done
    return 1
}

unserve() { ssh root@dut systemctl stop dnsgauge-server; }
