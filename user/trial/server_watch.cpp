// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/server_watch.h"

#include "system/setup_error.h"
#include "trial/attribution.h"

#include <fmt/format.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

constexpr const char *proc = "/proc";

ServerPlace place_of(const TrialPlan &plan)
{
    return {.address = plan.server,
            .port = plan.server_port,
            .is_tcp = is_over_tcp(plan.transport),
            .process = plan.server_process.value_or("")};
}

// Returns the place of a probe: the other end of the veth pair, where queries arrive.
ProbePlace probe_place(const TrialPlan &plan, const Interface &interface)
{
    const NamespaceProcesses processes = processes_by_namespace(proc);
    const VethLinks links = veth_links(interface.name, processes, proc);
    if (const auto ends = links.ends.find(links.peer); ends != links.ends.end())
        for (const VethEnd &end : ends->second)
            if (end.peer_index == links.index && end.peer_namespace == links.own)
                return {.interface = end.name,
                        .index = end.index,
                        .network_namespace = links.peer,
                        .net =
                            fmt::format("{}/{}/net", proc, *processes.seen.at(links.peer).begin()),
                        .port = plan.server_port,
                        .share_percent = plan.probe_percent,
                        .log = std::nullopt,
                        .timeout = plan.timeout,
                        .has_log_of_trial = plan.per_query_file.has_value(),
                        .first_sight = plan.probe_first_sight};
    throw SetupError("--probe: {} is not one end of a veth pair whose other end this process can "
                     "see: run dnsgauge probe where the server is{}",
                     interface.name, processes.hidden.empty() ? "" : ", or grant CAP_SYS_PTRACE");
}

ServerProcesses server_processes(const TrialPlan &plan, const Interface &interface)
{
    if (!interface.ends_on_this_machine() && !plan.server_process)
        return {};
    const NamespaceProcesses processes = processes_by_namespace(proc);
    return find_server(place_of(plan), processes, veth_links(interface.name, processes, proc),
                       proc);
}

} // namespace

ServerWatch::ServerWatch(const TrialPlan &plan, const Interface &interface, Nanoseconds limit)
    : place_(place_of(plan)), sides_(server_processes(plan, interface)), before_(drops_so_far())
{
    if (plan.probe)
        probe_.emplace(probe_place(plan, interface));
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
    if (probe_)
        probe_->begin(start);
}

void ServerWatch::end()
{
    after_ = drops_so_far();
    if (clock_)
        clock_->end();
    if (probe_)
        probe_->end();
}

std::optional<ProbeResult> ServerWatch::probed()
{
    if (!probe_)
        return std::nullopt;
    ProbeResult result = probe_->result();
    // The names are from the set-up, because this process may have given up the right to see the
    // server's sockets.
    const auto &names = sides_.server().names;
    for (ProbedSocket &socket : result.sockets)
        if (socket.name.empty() && before_.contains(std::to_string(socket.inode)) && !names.empty())
            socket.name = names.begin()->second;
    return result;
}

ServerWatch::Drops ServerWatch::drops_so_far() const
{
    return place_.is_tcp ? Drops() : drops_by_socket(place_, sides_.server(), proc);
}

std::vector<std::uint64_t> ServerWatch::drops() const
{
    std::vector<std::uint64_t> drops;
    for (const auto &[inode, after] : after_)
        if (const auto before = before_.find(inode); before != before_.end())
            drops.push_back(after - std::min(after, before->second));
    return drops;
}

void ServerWatch::take_absences(Measurement &measured, Nanoseconds start) const
{
    if (!clock_)
        return;
    measured.server_stalls = server_stalls(clock_->absences(), start);
    take_longest(measured.cpus, clock_->longest());
    if (clock_->missed() != 0)
        measured.circumstances.server_absences =
            fmt::format("recorded, except the last {}: there were more than {}", clock_->missed(),
                        AbsenceClock::most_absences);
}

} // namespace dnsgauge
