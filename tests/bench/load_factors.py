#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds by "dnsgauge replay --find-load-factor" how many clients a resolver serves, over each transport.

The resolver has every name in its cache. By default errors are counted: Unbound could answer many times the queries of
the highest load factor, so each "overloaded" is an error, which chance or this machine made. With --clients 0 maxima
are found: the clients of the highest load factor without overload, and of the lowest with it. Each client of a load
factor is another one, and keeps one connection. Needs root, two CPUs and the resolvers.
"""

import collections
import json

from internet import WORLDS, Internet, prepare_resolver
from lab import SERVER_ADDRESS, Lab, Running, dnsgauge_words, generator_cpu, option_words, server_cpu
from program import BIN, ROOT, last_line, print_table, run, start

CLIENTS = "198.19.0.0/16"  # to which the lab's DUT has a route
# Clients at load factor 1 that lead to some 2 to 16 times as many.
CLIENTS_AT_ONCE = {"udp": 1600, "tcp": 400, "dot": 100, "doh": 100}
# A packaged resolver takes few connections at once: what is to be replaced in a file of its configuration.
MORE_CONNECTIONS = {
    "unbound": ("unbound.conf", "server:\n",
                "server:\n    incoming-num-tcp: 6000\n    outgoing-range: 512\n    http-max-streams: 1000\n"),
    "bind9": ("named.conf", "options {\n", "options {\n    tcp-clients 20000;\n    tcp-listen-queue 4000;\n"),
}


def prepare(lab, kind, internet, certificate):
    """Writes the configuration of a resolver that takes many connections. Returns its folder."""
    resolver = prepare_resolver(lab, kind, internet, "--tls-certificate", certificate / "certificate.pem", "--tls-key",
                                certificate / "key.pem")
    if kind in MORE_CONNECTIONS:
        name, before, after = MORE_CONNECTIONS[kind]
        file = resolver / name
        file.write_text(file.read_text(encoding="ascii").replace(before, after, 1), encoding="ascii")
    return resolver


def make_capture(lab, names, clients, options):
    """Makes a capture that has a slice for each of the highest load factor's. Returns its path."""
    capture = lab.scratch / f"{clients}.pcap"
    if not capture.exists():
        run(BIN / "dnsgauge-queries", "make", *option_words({
            "name_list": names, "clients": clients, "rate": clients * options.queries,
            "duration": options.most * options.duration, "output": capture}))
    return capture


def replay(lab, capture, name, **options):
    """Replays the capture. Returns the last line that dnsgauge says, and the result."""
    result = lab.scratch / f"{name}.json"
    words = dnsgauge_words("replay", capture=capture, clients=CLIENTS, before_trial="true", shared_machine=True,
                           beyond_selftest=True, json=result, journal=lab.scratch / f"{name}.jsonl", **options)
    said = run(*lab.command("tester", generator_cpu(), *words), good=(0, 3))
    return last_line(said), json.loads(result.read_text())


def conclusion(found):
    if found["overload"]:
        return f"overloaded by {found['overload']['sign']}"
    if found["undecided"]:
        return "cannot tell"
    return "no overload" if found["end"] == "complete" else f"no end: {found['end']}"


def bounds(found):
    """Returns the clients that the resolver bore, and the clients that were too many; none where nothing was."""
    clients = {factor: one["captures"]["clients"] for factor, one in zip(found["factors"], found["replays"])}
    overload = found["overload"] and clients[found["overload"]["load_factor"]]
    return clients.get(found["load_factor"], 0), overload


def bounds_text(searches):
    """Returns the clients between which the maximum lies, by all searches."""
    if not searches:
        return "-"
    least = min(low for low, _ in searches)
    if any(high is None for _, high in searches):
        return f"{least} or more"
    return f"{least}..{max(high for _, high in searches)}"


def search_all(lab, kind, transport, names, options):
    """Makes the searches against a resolver that runs. Yields the last line that dnsgauge says, and the result."""
    capture = make_capture(lab, names, options.clients or CLIENTS_AT_ONCE[transport], options)
    if transport != "udp":  # replies to the clients are the Tester's own
        run("ip", "-n", f"{lab.name}-tester", "route", "replace", "local", CLIENTS, "dev", "lo")
    replay(lab, capture, f"{kind}-{transport}-warm", runs=1, duration=min(1, options.most * options.duration))
    for number in range(1, options.searches + 1):
        yield replay(lab, capture, f"{kind}-{transport}-{number}", find_load_factor=options.most, runs=options.runs,
                     duration=options.duration, timeout=options.timeout, margin=options.margin, transport=transport)


def main(options):
    rows = []
    counts = collections.Counter()
    with (Lab("dgload", "--setup", "resolver") as lab,
          Internet(lab, "auth", "a0", WORLDS["without distance"], "auto") as internet):
        names, certificate = lab.scratch / "names", lab.scratch / "tls"
        names.write_text("".join(f"www.d{number}.com\n" for number in range(options.names)), encoding="ascii")
        certificate.mkdir()
        run(ROOT / "tools" / "lab", "certificate", certificate)
        (certificate / "key.pem").chmod(0o644)
        ask = lab.command("tester", generator_cpu(), "dig", "+time=1", "+tries=1", f"@{SERVER_ADDRESS}", "www.d0.com")
        for kind in options.resolvers:
            resolver = prepare(lab, kind, internet, certificate)
            row = [kind]
            with Running(lab, "dut", server_cpu(), resolver / "start",
                         wait_for=lambda: "status: " in run(*ask, good=(0, 9))):
                for transport in options.transports:
                    searches = []
                    for said, found in search_all(lab, kind, transport, names, options):
                        counts[conclusion(found)] += 1
                        searches.append(bounds(found))
                        made = sum(len(one["trials"]) for one in found["replays"])
                        print(f"{kind}, {transport}: {made} runs: {bounds_text(searches[-1:])} clients: {said}",
                              flush=True)
                    row.append(bounds_text(searches))
            rows.append(row)
    of = sum(counts.values())
    print("; ".join(f"{count} of {of}: {what}" for what, count in counts.most_common()))
    print_table(["clients", *options.transports], rows, about="the most clients that a resolver serves")


if __name__ == "__main__":
    start(main, needs=["unbound"], searches=10, most=(4, "the highest load factor"), runs=3, duration=1.0, timeout=2.0,
          margin=(0.1, "percent of queries that may go unanswered"),
          clients=(200, "clients at load factor 1; 0: as many as suit the transport"),
          queries=(20, "queries a second of a client"), names=(300, "that the capture asks for"),
          resolvers=["unbound"], transports=["udp"])
