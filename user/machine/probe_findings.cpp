// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a probe saw, as advice for the server's machine.
#include "machine/findings.h"
#include "machine/rule.h"
#include "result/stalls.h"
#include "system/counted.h"
#include "system/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace dnsgauge
{

namespace
{

using ProbeVerdict = std::optional<DoctorJudgement>;

// A thread that runs, or waits for a CPU, for this share of the load has no more to give.
constexpr double busy_share = 0.95;
// A thread may wait for a CPU for this share of the load.
constexpr double waiting_share = 0.05;
// A thread may read this multiple of its share of the queries.
constexpr double uneven = 1.5;
constexpr std::uint64_t buffer_most = 1ULL << 30U; // octets

// Returns the time's share of the load. A thread may be at work beyond the load's end.
double share_of(Nanoseconds part, const LoadedProbe &probed)
{
    return probed.load <= Nanoseconds{} ? 0 : std::min(1.0, seconds(part) / seconds(probed.load));
}

// Returns whether a thread had no time to sleep.
bool is_busy(const LoadedProbe &probed)
{
    return std::ranges::any_of(probed.probe.threads, [&](const ProbedThread &thread) {
        return share_of(thread.ran, probed) + share_of(thread.waited, probed) >= busy_share;
    });
}

std::string percent(double share)
{
    return fmt::format("{:.0f} %", 100 * share);
}

std::string name_of(const ProbedThread &thread)
{
    return fmt::format("{} ({})", thread.name, thread.thread);
}

// Returns a buffer that holds all that found the socket full, even if it came at once.
std::uint64_t buffer_for(const ProbedSocket &socket)
{
    const std::uint64_t most = buffer_most / packet_in_buffer;
    return std::bit_ceil(std::min(socket.buffer, buffer_most) +
                         packet_in_buffer * std::min(socket.drops, most));
}

// Returns whether the kernel tells the threads' times. Otherwise nothing is judged by them.
bool has_times(const std::vector<ProbedThread> &threads)
{
    return std::ranges::all_of(threads, &ProbedThread::has_times);
}

ProbeVerdict judge_trial(const LoadedProbe &probed)
{
    if (probed.trial.empty())
        return std::nullopt;
    return fine("the worst: " + probed.trial);
}

ProbeVerdict judge_sockets(const LoadedProbe &probed)
{
    const std::vector<ProbedSocket> &sockets = probed.probe.sockets;
    if (!tells(probed.probe, Telling::full_sockets))
        return unknown("the kernel does not tell which sockets are full");
    if (sockets.empty())
        return fine("no query found a full socket");
    const auto worst = std::ranges::max_element(sockets, {}, buffer_for);
    const std::string seen =
        fmt::format("{} found a full socket of {}, whose buffer has {} octets",
                    counted(worst->drops, "datagram"), owner_text(*worst), worst->buffer);
    if (is_busy(probed))
        return warned(seen + "; the server had no time left, so a larger buffer would only make "
                             "queries wait");
    const std::uint64_t enough = buffer_for(*worst);
    return warned(
        fmt::format("{}; {} octets hold them all, even if they came at once", seen, enough),
        fmt::format("sysctl -w net.core.rmem_default={}", enough));
}

ProbeVerdict judge_server_cpus(const LoadedProbe &probed)
{
    const ProbeResult &probe = probed.probe;
    const auto busiest = std::ranges::max_element(probe.threads, {}, &ProbedThread::ran);
    double read = 0;
    double ran = 0;
    for (const ProbedThread &thread : probe.threads) {
        read += static_cast<double>(thread.queries);
        ran += seconds(thread.ran);
    }
    if (read == 0 || probe.arrived == 0 || probed.load <= Nanoseconds{})
        return unknown("no thread was seen to read a query");
    if (!has_times(probe.threads))
        return unknown("the kernel does not tell the times of threads");
    // Threads spend their time on queries that were not followed, too.
    const double each = ran / (read * arrived_per_followed(probe));
    const double rate = static_cast<double>(probe.arrived) / seconds(probed.load);
    const double share = share_of(busiest->ran, probed);
    const std::string seen =
        fmt::format("{:.3g} us of CPU a query, {:.2f} CPUs for {:.0f} queries/s; {} ran for {} of "
                    "the time, of {}",
                    1e6 * each, rate * each, rate, name_of(*busiest), percent(share),
                    counted(probe.threads.size(), "thread that read", "threads that read"));
    // Queries that were lost need time, too.
    if (rate * each > static_cast<double>(probe.threads.size()))
        return warned(fmt::format("{}; they need {:.0f} such threads, each with a CPU of its own",
                                  seen, std::ceil(rate * each)));
    return share >= busy_share ? warned(seen) : fine(seen);
}

ProbeVerdict judge_steering(const LoadedProbe &probed)
{
    const std::vector<ProbedThread> &threads = probed.probe.threads;
    const std::string idle = joined(
        shared_addresses(probed.probe),
        [](const SharedAddress &shared) {
            return shared.idle == 0
                       ? std::string()
                       : fmt::format("; no query was read from {} of {} sockets at {}", shared.idle,
                                     shared.sockets.size(), shared.address);
        },
        "");
    if (threads.empty() || (threads.size() < 2 && idle.empty()))
        return std::nullopt;
    const auto most = std::ranges::max_element(threads, {}, &ProbedThread::queries);
    double all = 0;
    for (const ProbedThread &thread : threads)
        all += static_cast<double>(thread.queries);
    const double share = all == 0 ? 0 : static_cast<double>(most->queries) / all;
    const std::string seen = fmt::format("{} read {} of the queries, of {}{}", name_of(*most),
                                         percent(share), counted(threads.size(), "thread"), idle);
    return share * static_cast<double>(threads.size()) > uneven || !idle.empty() ? warned(seen)
                                                                                 : fine(seen);
}

ProbeVerdict judge_waits(const LoadedProbe &probed)
{
    const std::vector<ProbedThread> &threads = probed.probe.threads;
    if (threads.empty())
        return std::nullopt;
    if (!has_times(threads))
        return unknown("the kernel does not tell the times of threads");
    const auto most = std::ranges::max_element(threads, {}, &ProbedThread::waited);
    const double share = share_of(most->waited, probed);
    const std::string seen = fmt::format("{} was ready without a CPU for {} of the time",
                                         name_of(*most), percent(share));
    return share > waiting_share ? warned(seen) : fine(seen);
}

constexpr std::array<DoctorRule<LoadedProbe>, 5> probe_rules = {{
    {"server-trial", "of several trials the worst one tells most", judge_trial},
    {"server-sockets",
     "what finds a full socket is lost; net.core.rmem_max bounds what a server may ask for itself",
     judge_sockets},
    {"server-cpus", "a thread that always runs answers no more: give the server more threads",
     judge_server_cpus},
    {"server-steering",
     "the kernel picks a socket by the hash of addresses and ports: few ports of clients fill few "
     "sockets",
     judge_steering},
    {"server-waits", "queries wait meanwhile, and fill the sockets", judge_waits},
}};

} // namespace

std::vector<Finding> probe_findings(const LoadedProbe &probed)
{
    return judge_all(probe_rules, probed);
}

} // namespace dnsgauge
