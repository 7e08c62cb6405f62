// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A workload's queries, as one host's senders have them.
#pragma once

#include "dns/ip_address.h"
#include "dns/ip_prefix.h"
#include "system/overloaded.h"
#include "units/pace.h"
#include "workload/mixed_queries.h"
#include "workload/open_window.h"
#include "workload/played_queries.h"
#include "workload/query.h"
#include "workload/query_list.h"
#include "workload/schedule.h"
#include "workload/streams.h"
#include "workload/workload.h"

#include "wire/scatter.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace dnsgauge
{

// The part of a schedule that one sender has.
struct SenderPart {
    Share share;
    std::uint64_t queries = 0; // that all shares have together
    // The queries' numbers in the whole schedule; empty if the shares count the whole schedule.
    std::span<const std::uint64_t> numbers{};

    // Returns how many queries the sender has.
    [[nodiscard]] std::uint64_t count() const { return share.count(queries); }
    // Returns the number in the whole schedule of the sender's query `index`.
    [[nodiscard]] std::uint64_t number(std::uint64_t index) const
    {
        const std::uint64_t number = share.query(index);
        return numbers.empty() ? number : numbers[number];
    }
};

// One sender's queries for an engine in which a system call costs more than an indirect call: whole
// DNS messages, whatever the workload.
class QuerySource
{
public:
    virtual ~QuerySource() = default;

    // Returns when the query that next() yields is due, in nanoseconds from the start.
    [[nodiscard]] virtual std::int64_t due() const = 0;
    // Returns the next query, whose transaction ID is zero. The message stays as it is until the
    // next call. Call it as often as there are queries.
    virtual Query next() = 0;
    // Returns the window that decides when queries are due; null at another pace.
    [[nodiscard]] virtual OpenWindow *window() = 0;
    [[nodiscard]] virtual const SenderPart &part() const = 0;
};

struct SourcesPlan {
    SchedulePlan schedule;     // of all hosts' senders
    std::uint64_t queries = 0; // of the whole schedule
    std::uint32_t senders = 1; // of this host
    std::uint32_t first_share = 0;
    std::uint32_t shares = 1; // of all hosts' senders
    // Each client of captures has all its queries from one sender, whose share is the client's
    // number modulo `shares`. Otherwise the senders have the queries in turn.
    bool by_client = false;
    scatter_key order{}; // of names in random order; the same on all hosts
    IpAddress source;    // where the queries come from
    // Each client of captures has an address of its own in this prefix, in place of `source`.
    std::optional<IpPrefix> clients{};
};

// Sender i of `senders` has share first_share + i of `shares` shares of the whole schedule.
class QuerySources
{
public:
    // `workload` is loaded. Throws SetupError if this host has none of the captures' queries.
    QuerySources(Workload workload, const SourcesPlan &plan);

    [[nodiscard]] const Workload &workload() const { return workload_; }
    [[nodiscard]] ExpectationKind expectations() const;
    // Returns the length of the longest message.
    [[nodiscard]] std::size_t longest() const { return longest_; }
    // Writes the question of query `number` of the whole schedule to `end`, where there is room for
    // QueryLog::query_text_most octets. Returns the text's end.
    char *put_text(char *end, std::uint64_t number, std::uint64_t expectation) const;
    // Returns the port that a captured query's client had; 0 if the queries are no captured ones.
    [[nodiscard]] std::uint16_t client_port(std::uint64_t number) const;

    // Returns the source of a sender, 0 to senders - 1. The source refers to this object.
    [[nodiscard]] std::unique_ptr<QuerySource> make(std::uint32_t sender) const;
    // Returns what `make` makes of the sender's stream and part. Each kind of queries and of
    // schedules has a type of stream, so that no query costs an indirect call. With `keeps_ports`,
    // which needs `clients`, captured queries leave from their clients' ports.
    template <class Make>
    [[nodiscard]] auto with_stream(std::uint32_t sender, const Make &make,
                                   bool keeps_ports = false) const
    {
        const SenderPart part{.share = {.number = plan_.first_share + sender, .of = plan_.shares},
                              .queries = plan_.queries};
        const auto paced = [&](const auto &stream_at) {
            return at_pace(part.share,
                           [&](const auto &times) { return make(stream_at(times), part); });
        };
        const auto messages = [&](const auto &cursor) {
            return paced(
                [&](const auto &times) { return MessageStream(cursor, plan_.source, times); });
        };
        return std::visit(
            Overloaded{[&](const NamesWorkload &names) {
                           const NameWalk walk(names.names, part.share.number, part.share.of,
                                               names.cached, key_of(names, plan_.order));
                           return paced([&](const auto &times) { return NameStream(walk, times); });
                       },
                       [&](const MixWorkload &mix) {
                           return messages(MixedQueries::Cursor(*mix.queries, part.share.number,
                                                                part.share.of));
                       },
                       [&](const ListWorkload &list) {
                           return messages(
                               QueryList::Cursor(*list.queries, part.share.number, part.share.of));
                       },
                       [&](const CaptureWorkload & /*capture*/) {
                           const PlayedQueries &played = played_[plan_.by_client ? sender : 0];
                           const Share share = plan_.by_client
                                                   ? Share{}
                                                   : Share{.number = sender, .of = plan_.senders};
                           return make(CaptureStream(played, share.number, share.of, plan_.source,
                                                     plan_.clients, keeps_ports),
                                       SenderPart{.share = share,
                                                  .queries = played.size(),
                                                  .numbers = played.numbers()});
                       },
                       [&](const HandshakesWorkload & /*none*/) { return messages(NoMessages()); }},
            workload_);
    }

private:
    // A constant pace costs least per query.
    template <class Make>
    [[nodiscard]] auto at_pace(const Share &share, const Make &make) const
    {
        if (plan_.schedule.pace.kind == Pace::Kind::constant)
            return make(ConstantRate(plan_.schedule.rate, share.number, share.of));
        if (plan_.schedule.pace.kind == Pace::Kind::window)
            return make(window_of(plan_.schedule.pace, share.of));
        return make(PacedSchedule(plan_.schedule, share.number, share.of));
    }

    Workload workload_;
    SourcesPlan plan_;
    std::size_t longest_ = 0;
    std::vector<PlayedQueries> played_; // captured queries, of all senders or of each
};

} // namespace dnsgauge
