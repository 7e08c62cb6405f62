// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/counters.h"

#include "userland/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

namespace dnsgauge
{

namespace
{

unsigned rcode_of(unsigned kind)
{
    return kind == ANSWER_BADVERS ? DNS_RCODE_BADVERS
                                  : answer_rcode(static_cast<answer_kind>(kind));
}

// Each answer_kind, fakedns_counter and SocketCounter.
constexpr auto counter_words = words<unsigned>({{ANSWER_IGNORED, "ignored"},
                                                {ANSWER_A, "A"},
                                                {ANSWER_AAAA, "AAAA"},
                                                {ANSWER_SOA, "SOA"},
                                                {ANSWER_NS, "NS"},
                                                {ANSWER_HINFO, "HINFO"},
                                                {ANSWER_NODATA, "NODATA"},
                                                {ANSWER_NXDOMAIN, "NXDOMAIN"},
                                                {ANSWER_REFUSED, "REFUSED"},
                                                {ANSWER_FORMERR, "FORMERR"},
                                                {ANSWER_NOTIMP, "NOTIMP"},
                                                {ANSWER_BADVERS, "BADVERS"},
                                                {FAKEDNS_PASSED, "passed"},
                                                {FAKEDNS_PASSED_FRAGMENT, "passed-fragment"},
                                                {FAKEDNS_PASSED_NO_ROOM, "passed-no-room"},
                                                {FAKEDNS_LIMITED, "limited"},
                                                {COUNTER_UNSENT, "unsent"}});

// Throws, so that it does not compile, unless every counter has a word.
constexpr bool all_have_words()
{
    for (unsigned counter = 0; counter < COUNTERS; counter++)
        static_cast<void>(counter_words.text_of(counter));
    return true;
}

static_assert(all_have_words());

} // namespace

Counters &Counters::operator+=(const Counters &other)
{
    for (unsigned type = 0; type < FAKEDNS_TYPES; type++)
        std::ranges::transform(value_[type], other.value_[type], value_[type].begin(), std::plus{});
    return *this;
}

std::uint64_t Counters::of(unsigned counter) const
{
    std::uint64_t sum = 0;
    for (const auto &type : value_)
        sum += type[counter];
    return sum;
}

std::uint64_t Counters::answers(std::optional<unsigned> type, std::optional<unsigned> rcode) const
{
    std::uint64_t sum = 0;
    for (unsigned one = 0; one < FAKEDNS_TYPES; one++)
        for (unsigned kind = ANSWER_IGNORED + 1; kind < ANSWER_KINDS; kind++)
            if (one == type.value_or(one) && rcode_of(kind) == rcode.value_or(rcode_of(kind)))
                sum += value_[one][kind];
    return sum;
}

Counters ServerCounters::xdp() const
{
    Counters sum;
    for (const QueueCounters &queue : queues)
        sum += queue.counters;
    return sum;
}

std::string_view counter_name(unsigned counter)
{
    return counter_words.text_of(counter);
}

std::string counters_table(const ServerCounters &counters)
{
    std::string table;
    const Counters xdp = counters.xdp();
    // The paths are xdp, udp, tcp, tls, https, quic.
    const auto row = [&](const std::string &name, const std::array<std::uint64_t, 6> &by_path) {
        table += fmt::format("{:<18} {:>13} {:>13}\n", name, fmt::join(by_path, " "),
                             std::accumulate(by_path.begin(), by_path.end(), std::uint64_t{0}));
    };
    const auto rows = [&](const std::string &name, const auto &of) {
        row(name, {of(xdp), of(counters.udp), of(counters.tcp), of(counters.tls),
                   of(counters.https), of(counters.quic)});
    };

    table += fmt::format("{:<18} {:>13} {:>13} {:>13} {:>13} {:>13} {:>13} {:>13}\n", "kind", "xdp",
                         "udp", "tcp", "tls", "https", "quic", "total");
    for (unsigned i = 0; i < COUNTERS; i++)
        rows(std::string(counter_name(i)), [i](const Counters &of) { return of.of(i); });
    for (unsigned type = 0; type < FAKEDNS_TYPES; type++)
        rows(fmt::format("type-{}", type_names[type]),
             [type](const Counters &of) { return of.answers(type, {}); });
    for (const Rcode &rcode : rcodes)
        rows(fmt::format("rcode-{}", rcode.name),
             [&rcode](const Counters &of) { return of.answers({}, rcode.value); });
    for (const QueueCounters &queue : counters.queues)
        row(fmt::format("queue-{}-{}", queue.interface, queue.queue),
            {queue.counters.answers({}, {})});
    for (const auto &[how, count] : handshake_ends)
        row(fmt::format("handshakes-{}", how),
            {0, 0, 0, counters.tls_handshakes.*count, counters.https_handshakes.*count,
             counters.quic_handshakes.*count});
    return table;
}

} // namespace dnsgauge
