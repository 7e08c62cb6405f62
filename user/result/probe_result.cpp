// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "result/probe_result.h"

#include "system/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string_view>
#include <utility>

namespace dnsgauge
{

namespace
{

using Meaning = std::pair<std::string_view, const char *>;

constexpr std::string_view full_socket = "socket_rcvbuff";

// The meanings of the kernel's reasons for drops that benchmarks meet.
constexpr std::array reasons{
    Meaning{"cpu_backlog", "a full backlog of the CPU (net.core.netdev_max_backlog)"},
    Meaning{"ip_csum", "a wrong checksum of the IP header"},
    Meaning{"netfilter_drop", "a rule of netfilter"},
    Meaning{"no_socket", "no socket at the port"},
    Meaning{"proto_mem", "too little memory for all sockets (net.ipv4.udp_mem)"},
    Meaning{"qdisc_drop", "the queueing discipline"},
    Meaning{"socket_filter", "the socket's filter"},
    Meaning{full_socket, "a full socket buffer (net.core.rmem_max, SO_RCVBUF)"},
    Meaning{"tc_egress", "a program or rule of tc"},
    Meaning{"tc_ingress", "a program or rule of tc"},
    Meaning{"udp_csum", "a wrong checksum"},
    Meaning{"xdp", "an XDP program"}};

} // namespace

std::vector<AlikeQueries> merged(const std::vector<AlikeQueries> &rows)
{
    constexpr double most = 100;
    std::uint64_t slower = 0;
    for (const AlikeQueries &row : rows)
        slower += row.queries;
    const auto place = [&slower] { return std::log1p(static_cast<double>(slower)); };
    const double step = place() / most;
    double begin = place();
    std::vector<AlikeQueries> all;
    for (const AlikeQueries &row : rows) {
        if (all.empty() || begin - place() >= step) {
            all.emplace_back();
            begin = place();
        }
        all.back().queries += row.queries;
        for (std::size_t stage = 0; stage < row.sums.size(); stage++)
            all.back().sums[stage] += row.sums[stage];
        slower -= row.queries;
    }
    return all;
}

std::string reason_text(const std::string &reason)
{
    const auto *const found = std::ranges::find(reasons, reason, &Meaning::first);
    return found == reasons.end() ? reason : found->second;
}

bool tells(const ProbeResult &probe, Telling telling)
{
    return std::ranges::none_of(optional_tracepoints, [&](const OptionalTracepoint &one) {
        return one.telling == telling && std::ranges::count(probe.lacks, one.name) != 0;
    });
}

std::string lacks_text(const ProbeResult &probe)
{
    return joined(optional_tracepoints, [&](const OptionalTracepoint &one) {
        return std::ranges::count(probe.lacks, one.name) == 0
                   ? std::string()
                   : fmt::format("{} (missing: {})", one.name, one.missing);
    });
}

double arrived_per_followed(const ProbeResult &probe)
{
    return probe.followed == 0
               ? 1.0
               : static_cast<double>(probe.arrived) / static_cast<double>(probe.followed);
}

std::string owner_text(const ProbedSocket &socket)
{
    const bool has_reader = !socket.reader.empty();
    const std::string &name = has_reader ? socket.reader : socket.name;
    const std::uint32_t number = has_reader ? socket.thread : socket.process;
    if (name.empty())
        return "an unknown process";
    return number == 0 ? name : fmt::format("{} ({})", name, number);
}

namespace
{

// Returns whose sockets were full, in words.
std::string text_of(const std::vector<ProbedSocket> &sockets)
{
    constexpr std::size_t told = 4;
    if (sockets.empty())
        return {};
    if (sockets.size() == 1)
        return " of " + owner_text(sockets.front());
    const std::size_t count = std::min(told, sockets.size());
    return fmt::format(" of {} sockets: {}{}", sockets.size(),
                       joined(
                           std::span(sockets).first(count),
                           [](const ProbedSocket &socket) {
                               return fmt::format("{} of {}", socket.drops, owner_text(socket));
                           },
                           " and "),
                       count == sockets.size() ? "" : " and others");
}

} // namespace

std::vector<SharedAddress> shared_addresses(const ProbeResult &probe)
{
    std::map<std::string, SharedAddress> shared;
    for (const SharingSocket &socket : probe.sharing) {
        SharedAddress &one = shared[socket.address];
        one.address = socket.address;
        one.sockets.push_back(socket);
        one.queries += socket.queries;
        one.idle += socket.queries == 0 ? 1 : 0;
    }
    std::vector<SharedAddress> all;
    for (auto &[address, one] : shared)
        all.push_back(std::move(one));
    return all;
}

// Returns how many packets XDP programs took before they arrived, as far as is known.
static std::uint64_t taken_by_xdp(const ProbeResult &probe)
{
    return probe.taken + probe.refused + probe.xdp_sent + probe.xdp_dropped;
}

// The kernel's counters include the driver's, and the driver's drops include packets that AF_XDP
// refuses.
std::uint64_t drops_without_fate(const ProbeResult &probe)
{
    std::uint64_t by_driver = 0;
    std::uint64_t by_kernel = 0;
    std::uint64_t by_program = 0;
    for (const auto &[name, count] : probe.interface_drops) {
        const bool is_drivers = name.starts_with("driver.");
        const bool is_programs = name.find("xdp_drop") != std::string::npos;
        (is_programs ? by_program : is_drivers ? by_driver : by_kernel) += count;
    }
    std::uint64_t told = 0; // queries that a program dropped
    for (const auto &[reason, count] : probe.dropped)
        told += reason == "xdp" ? count : 0;
    const std::uint64_t others = std::max(by_driver, by_kernel);
    return others - std::min(others, probe.refused) + by_program - std::min(by_program, told);
}

// Returns the words for `count` queries that never arrived, with what the interface's counters say.
static std::string never_arrived(const ProbeResult &probe, std::uint64_t count)
{
    std::string text = "never reached the server's network stack";
    if (const std::uint64_t drops = drops_without_fate(probe); drops != 0)
        text += fmt::format(" (its interface dropped {}: {})",
                            drops == count ? "as many packets"
                                           : fmt::format("{} packets of any kind", drops),
                            joined(probe.interface_drops, [](const auto &counter) {
                                return fmt::format("{} {}", counter.first, counter.second);
                            }));
    return text;
}

bool sees_all(const ProbeResult &probe, std::uint64_t sent, std::uint64_t replied)
{
    return probe.followed == probe.arrived && probe.arrived + taken_by_xdp(probe) <= sent &&
           replied <= probe.left + probe.taken + probe.xdp_sent + probe.forgotten + probe.repeated;
}

std::vector<Fate> fates_of_lost(const ProbeResult &probe, std::uint64_t sent, std::uint64_t replied)
{
    if (!sees_all(probe, sent, replied) || !tells(probe, Telling::drops))
        return {};
    std::vector<Fate> fates;
    const auto add = [&fates](std::uint64_t count, std::string text) {
        if (count != 0)
            fates.push_back({count, std::move(text)});
    };
    const std::uint64_t never = sent - probe.arrived - taken_by_xdp(probe);
    add(never, never_arrived(probe, never));
    add(probe.refused, "refused by the server's AF_XDP socket, which had no room");
    for (const auto &[reason, count] : probe.dropped)
        add(count, "dropped before the server: " + reason_text(reason) +
                       (reason == full_socket ? text_of(probe.sockets) : ""));
    add(probe.unread, "not read by the server until the end");
    add(probe.unanswered, "read by the server, which did not answer");
    for (const auto &[reason, count] : probe.dropped_replies)
        add(count, "answered, and the reply dropped at the server: " + reason_text(reason));
    add(probe.xdp_dropped,
        "dropped on the way out of the server's interface, where an XDP program sent them back");
    const std::uint64_t gone = probe.left + probe.taken + probe.xdp_sent;
    const std::uint64_t rest = gone - std::min(gone, replied);
    const std::uint64_t too_late = std::min(rest, probe.too_late);
    add(too_late, "answered after twice the timeout");
    const char *where = "answered, and the reply lost on the way back";
    if (probe.taken != 0)
        where =
            "taken by the server's AF_XDP socket, and no reply arrived while the Tester listened";
    else if (probe.xdp_sent != 0)
        where = "answered, or sent back by an XDP program, and no reply arrived while the Tester "
                "listened";
    add(rest - too_late, where);
    return fates;
}

std::vector<Fate> fates_in_sample(const ProbeResult &probe)
{
    if (probe.followed == probe.arrived)
        return {};
    ProbeResult sample = probe;
    sample.arrived = sample.followed;
    sample.taken = sample.refused = sample.xdp_sent = sample.xdp_dropped = 0;
    return fates_of_lost(sample, sample.followed,
                         sample.left - std::min(sample.left, sample.too_late));
}

LatePlaces places_of_late(const ProbeResult &probe, std::uint64_t sent, std::uint64_t replied,
                          std::uint64_t late)
{
    LatePlaces places = probe.late.value_or(LatePlaces{});
    // A late query that the probe followed and did not log was on the way, unless the probe may
    // have missed queries.
    if (probe.unlogged + probe.forgotten + probe.repeated + probe.taken + probe.xdp_sent != 0 ||
        (probe.arrived != sent && !sees_all(probe, sent, replied)))
        places.way = 0;
    places.unknown = 0;
    std::uint64_t known = 0;
    for (const LatePlace &place : late_places)
        known += places.*place.count;
    places.unknown = late - std::min(late, known);
    return places;
}

std::vector<Fate> texts_of(const LatePlaces &places)
{
    std::vector<Fate> texts;
    for (const LatePlace &place : late_places)
        if (places.*place.count != 0)
            texts.push_back({places.*place.count, place.label});
    return texts;
}

std::optional<LossPlaces> places_of_lost(const ProbeResult &probe, std::uint64_t sent,
                                         std::uint64_t replied)
{
    const std::uint64_t fates = sum_of(probe.dropped) + probe.unread + probe.unanswered +
                                sum_of(probe.dropped_replies) + probe.left;
    const std::uint64_t unknown =
        probe.unreadable + probe.forgotten + probe.repeated + taken_by_xdp(probe);
    if (!sees_all(probe, sent, replied) || probe.arrived == 0 || fates != probe.followed ||
        unknown != 0 || !tells(probe, Telling::drops) || !tells(probe, Telling::af_xdp))
        return std::nullopt;
    const std::uint64_t too_late = std::min(probe.too_late, probe.left - replied);
    return LossPlaces{.before_server = sent - probe.arrived,
                      .at_server = probe.arrived - probe.left + too_late,
                      .behind_server = probe.left - replied - too_late};
}

std::uint64_t sum_of(const DropReasons &drops)
{
    std::uint64_t sum = 0;
    for (const auto &[name, count] : drops)
        sum += count;
    return sum;
}

} // namespace dnsgauge
