// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/server_watch.h"

#include "trial/server_stalls.h"
#include "userland/setup_error.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

constexpr const char *proc = "/proc";

ServerProcesses server_processes(const TrialPlan &plan, const Interface &interface)
{
    if (!interface.ends_on_this_machine() && !plan.server_process)
        return {};
    const NamespaceProcesses processes = processes_by_namespace(proc);
    return find_server({.address = plan.server,
                        .port = plan.server_port,
                        .is_tcp = is_over_tcp(plan.transport),
                        .process = plan.server_process.value_or("")},
                       processes, veth_links(interface.name, processes, proc), proc);
}

} // namespace

ServerWatch::ServerWatch(const TrialPlan &plan, const Interface &interface, Nanoseconds limit)
    : sides_(server_processes(plan, interface))
{
    if (!interface.ends_on_this_machine())
        return;
    try {
        if (sides_.server().names.empty())
            throw SetupError(sides_.server().why);
        clock_.emplace(watched_server(sides_.server(), proc), limit);
        told_ = "recorded";
    } catch (const SetupError &error) {
        told_ = std::string("not recorded: ") + error.what();
    }
}

void ServerWatch::begin(Nanoseconds start)
{
    if (clock_)
        clock_->begin(start);
}

void ServerWatch::end()
{
    if (clock_)
        clock_->end();
}

void ServerWatch::take_absences(Measurement &measured, Nanoseconds start) const
{
    if (!clock_)
        return;
    measured.server_stalls = server_stalls(clock_->absences(), start);
    take_longest(measured.cpus, clock_->longest());
    if (clock_->missed() != 0)
        measured.circumstances.server_absences =
            fmt::format("recorded, but for the last {}: there were more than {}", clock_->missed(),
                        AbsenceClock::most_absences);
}

} // namespace dnsgauge
