// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/counters.h"

#include "system/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

namespace dnsgauge
{

namespace
{

unsigned rcode_of(unsigned kind)
{
    return kind == ANSWER_BADVERS ? DNS_RCODE_BADVERS
                                  : answer_rcode(static_cast<answer_kind>(kind));
}

// The words of each answer_kind, fakedns_counter and SocketCounter.
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

constexpr unsigned shortest_ns_bits = 5; // 32 ns
constexpr unsigned longest_ns_bits = 30; // a second

void head(std::string &text, std::string_view name, std::string_view type, std::string_view help)
{
    text += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

void answers(std::string &text, const std::string &labels, const Counters &counters)
{
    for (unsigned type = 0; type < FAKEDNS_TYPES; type++)
        for (const Rcode &rcode : rcodes)
            text += fmt::format("fakedns_answers_total{{{},type=\"{}\",rcode=\"{}\"}} {}\n", labels,
                                type_names[type], rcode.name, counters.answers(type, rcode.value));
}

void kinds(std::string &text, const std::string &labels, const Counters &counters)
{
    for (unsigned kind = ANSWER_IGNORED + 1; kind < ANSWER_KINDS; kind++)
        text += fmt::format("fakedns_answers_by_kind_total{{{},kind=\"{}\"}} {}\n", labels,
                            counter_name(kind), counters.of(kind));
}

void others(std::string &text, const std::string &labels, const Counters &counters)
{
    const auto line = [&](unsigned counter) {
        text += fmt::format("fakedns_packets_total{{{},fate=\"{}\"}} {}\n", labels,
                            counter_name(counter), counters.of(counter));
    };
    line(ANSWER_IGNORED);
    for (unsigned counter = ANSWER_KINDS; counter < COUNTERS; counter++)
        line(counter);
}

void times(std::string &text, std::string_view labels, const DurationHistogram &times)
{
    // Durations are whole nanoseconds: "below 2^n" is "at most 2^n - 1".
    for (unsigned bits = shortest_ns_bits; bits <= longest_ns_bits; bits++) {
        const std::uint64_t limit = std::uint64_t{1} << bits;
        text += fmt::format("fakedns_query_seconds_bucket{{{},le=\"{:.9f}\"}} {}\n", labels,
                            static_cast<double>(limit - 1) * 1e-9, times.below(limit));
    }
    text += fmt::format("fakedns_query_seconds_bucket{{{0},le=\"+Inf\"}} {1}\n"
                        "fakedns_query_seconds_sum{{{0}}} {2:.9f}\n"
                        "fakedns_query_seconds_count{{{0}}} {1}\n",
                        labels, times.count(), static_cast<double>(times.sum_ns()) * 1e-9);
}

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

std::string metrics_text(const ServerCounters &counters)
{
    std::string text;
    const std::string xdp = "path=\"xdp\",transport=\"udp\"";
    const std::string udp = "path=\"socket\",transport=\"udp\"";
    const std::array<std::pair<std::string, Counters>, 6> paths{
        {{xdp, counters.xdp()},
         {udp, counters.udp},
         {"path=\"socket\",transport=\"tcp\"", counters.tcp},
         {"path=\"socket\",transport=\"tls\"", counters.tls},
         {"path=\"socket\",transport=\"https\"", counters.https},
         {"path=\"socket\",transport=\"quic\"", counters.quic}}};

    head(text, "fakedns_answers_total", "counter",
         "Answers, by the type asked for, RCODE, path and receive queue.");
    for (const QueueCounters &queue : counters.queues)
        answers(text,
                fmt::format("{},interface=\"{}\",queue=\"{}\"", xdp, queue.interface, queue.queue),
                queue.counters);
    for (const auto &[labels, by_path] : std::span(paths).subspan(1))
        answers(text, labels, by_path);

    head(text, "fakedns_answers_by_kind_total", "counter", "The same answers by what they say.");
    for (const auto &[labels, by_path] : paths)
        kinds(text, labels, by_path);

    head(text, "fakedns_packets_total", "counter",
         "Packets that the server did not answer, or not by this path.");
    for (const auto &[labels, by_path] : paths)
        others(text, labels, by_path);

    head(text, "fakedns_tls_handshakes_total", "counter", "Handshakes of TLS, by how they ended.");
    for (const auto &[how, count] : handshake_ends)
        for (const auto &[transport, counts] : {std::pair{"tls", counters.tls_handshakes},
                                                {"https", counters.https_handshakes},
                                                {"quic", counters.quic_handshakes}})
            text += fmt::format("fakedns_tls_handshakes_total{{transport=\"{}\",how=\"{}\"}} {}\n",
                                transport, how, counts.*count);

    head(text, "fakedns_xdp_attached", "gauge",
         "1 while the interface carries the kernel program; 0: only sockets answer there.");
    for (const ProgramState &program : counters.programs)
        text += fmt::format("fakedns_xdp_attached{{interface=\"{}\"}} {}\n", program.interface,
                            program.is_attached ? 1 : 0);

    head(text, "fakedns_query_seconds", "histogram",
         "Time between the arrival of the query in the program and the departure of the answer.");
    times(text, xdp, counters.xdp_times);
    times(text, udp, counters.udp_times);
    return text;
}

} // namespace dnsgauge
