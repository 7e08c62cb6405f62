// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge probe
#include "cli/command.h"
#include "machine/interface.h"
#include "machine/listeners.h"
#include "options/access.h"
#include "probe/probe.h"
#include "record/json_text.h"
#include "record/probe_fields.h"
#include "series/interruption.h"
#include "series/result_files.h"
#include "system/interface_number.h"
#include "system/monotonic_clock.h"
#include "system/standard_output.h"
#include "text/probe_text.h"
#include "trial/circumstances.h"
#include "trial/trial_options.h"
#include "units/quantity_access.h"

#include <nlohmann/json.hpp>

#include <string>
#include <thread>
#include <vector>

namespace dnsgauge
{

namespace
{

constexpr auto look_interval = std::chrono::milliseconds(50);

struct ProbeArguments {
    ProbePlace place;
    std::optional<Nanoseconds> duration;
    std::optional<std::string> json;
};

Options options_of(ProbeArguments &given)
{
    Options options = {
        Option("interface", OptionGroup::server, "IF", "Interface where queries arrive",
               text(given.place.interface), {.is_required = true}),
        {"port", OptionGroup::server, "PORT", "The server's port", whole(given.place.port, 1)},
        Option("duration", OptionGroup::watching, "SECONDS", "Seconds to watch",
               time_or_none(given.duration, duration_most), {.usual = "until Ctrl-C"}),
        {"share", OptionGroup::watching, "PERCENT",
         "Share of queries to follow, by chance. A smaller share costs the server less",
         number(given.place.share_percent, 0.001, 100)},
        {"first-sight", OptionGroup::watching, "",
         "Also stamp queries by an XDP program, and tell their time from the interface to the "
         "network stack. Packets take another way then",
         flag(given.place.first_sight)},
        {"per-query", OptionGroup::files, "FILE",
         "Write a line to this file for each query whose reply left, or that was dropped (CSV)",
         text(given.place.log)}};
    options.push_back(json_option(given.json));
    return options;
}

ExitStatus run(ProbeArguments &given, const std::vector<std::string> &words)
{
    check_files({{"--json", given.json}, {"--per-query", given.place.log}});
    ResultFile json(given.json, "--json");
    given.place.index = interface_number(given.place.interface);
    if (given.place.index == 0)
        throw_unknown_interface(given.place.interface);
    given.place.network_namespace = network_namespace_of("/proc/self");
    const Circumstances with = machine_circumstances();
    const std::atomic<bool> &stop = catch_interruption();
    Probe probe(given.place);
    const auto from = Nanoseconds(monotonic_ns());
    probe.begin(from);
    say("dnsgauge: following queries to port {} at {}{}\n", given.place.port, given.place.interface,
        given.duration ? "" : ", until Ctrl-C");
    while (!stop && (!given.duration || Nanoseconds(monotonic_ns()) < from + *given.duration))
        std::this_thread::sleep_for(look_interval);
    probe.end();
    const ProbeRecord record{.started = with.started,
                             .version = with.version,
                             .kernel = with.kernel,
                             .command = words,
                             .probe = probe.result()};
    write_and_print([&] { json.commit(json_text(written(record))); }, to_text(record.probe));
    return record.probe.arrived == 0 ? ExitStatus::nothing_learned : ExitStatus::criterion_met;
}

} // namespace

Command probe_command()
{
    return with_arguments<ProbeArguments>(
        {.name = "probe",
         .summary = "Follow queries through the server's machine: stages, and what was dropped",
         .remarks =
             "Runs where the server runs, in its network namespace, beside any load. Linux's "
             "tracepoints tell when each query over UDP reaches the network stack, when the "
             "server reads it and when its reply leaves, or why a packet is dropped. Nothing "
             "touches the server. A server by XDP has no stages: its packets are counted.",
         .examples = {"dnsgauge probe --interface eth1 --duration 10",
                      "dnsgauge probe --interface eth1 --share 10 --json probe.json",
                      "dnsgauge probe --interface eth1 --duration 1 --per-query queries.csv"},
         .statuses = {{ExitStatus::criterion_met, "queries arrived"},
                      {ExitStatus::wrong_input, "the command or the environment is wrong"},
                      {ExitStatus::nothing_learned, "no query arrived"}}});
}

} // namespace dnsgauge
