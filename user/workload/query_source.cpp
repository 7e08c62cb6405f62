// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/query_source.h"

#include "userland/name_text.h"
#include "userland/overloaded.h"
#include "workload/mixed_queries.h"
#include "workload/played_queries.h"
#include "workload/query_list.h"
#include "workload/query_message.h"
#include "workload/schedule.h"
#include "workload/streams.h"

#include "wire/test_name.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dnsgauge
{

namespace
{

// The part of a schedule that one sender has.
struct SenderPart {
    Share share;
    std::uint64_t queries = 0; // that all shares have together
    // The queries' numbers in the whole schedule; empty if the shares count the whole schedule.
    std::span<const std::uint64_t> numbers{};
};

template <QueryStream Stream>
class SourceOf final : public QuerySource
{
public:
    SourceOf(Stream stream, const SenderPart &part) : stream_(std::move(stream)), part_(part) {}

    [[nodiscard]] std::int64_t due() const override { return stream_.due(); }
    Query next() override { return stream_.next(); }
    [[nodiscard]] OpenWindow *window() override
    {
        if constexpr (WindowStream<Stream>)
            return &stream_.timing();
        else
            return nullptr;
    }
    [[nodiscard]] std::uint64_t queries() const override
    {
        return part_.share.count(part_.queries);
    }
    [[nodiscard]] std::uint64_t number(std::uint64_t index) const override
    {
        const std::uint64_t number = part_.share.query(index);
        return part_.numbers.empty() ? number : part_.numbers[number];
    }

private:
    Stream stream_;
    SenderPart part_;
};

// A NameStream's queries as messages.
template <Schedule Timing>
class NameMessages
{
public:
    NameMessages(const NameStream<Timing> &names, std::vector<std::uint8_t> message,
                 const IpAddress &source)
        : names_(names), message_(std::move(message)), source_(source)
    {
    }

    [[nodiscard]] std::int64_t due() const { return names_.due(); }

    Query next()
    {
        const NameQuery query = names_.next();
        test_name_write(message_.data() + DNS_HEADER_SIZE + 1, query.expectation);
        return {.message = message_,
                .due_ns = query.due_ns,
                .source = source_,
                .expectation = query.expectation};
    }
    [[nodiscard]] Timing &timing() { return names_.timing(); }

private:
    NameStream<Timing> names_;
    std::vector<std::uint8_t> message_;
    IpAddress source_;
};

// Returns a source of the stream that `stream_of` makes of the plan's schedule.
template <class StreamOf>
std::unique_ptr<QuerySource> paced_source(const SourcesPlan &plan, std::uint32_t sender,
                                          const StreamOf &stream_of)
{
    const SenderPart part{.share = {.number = plan.first_share + sender, .of = plan.shares},
                          .queries = plan.queries};
    const auto at = [&](const auto &schedule) -> std::unique_ptr<QuerySource> {
        auto stream = stream_of(schedule, part.share);
        return std::make_unique<SourceOf<decltype(stream)>>(std::move(stream), part);
    };
    if (plan.schedule.pace.kind == Pace::Kind::constant)
        return at(ConstantRate(plan.schedule.rate, part.share.number, part.share.of));
    if (plan.schedule.pace.kind == Pace::Kind::window)
        return at(window_of(plan.schedule.pace, part.share.of));
    return at(PacedSchedule(plan.schedule, part.share.number, part.share.of));
}

class NameSources final : public QuerySources
{
public:
    NameSources(const NamesWorkload &names, const SourcesPlan &plan)
        : plan_(plan), message_(name_message(name_format(names))), zone_(names.zone.text),
          names_(names.names), cached_(names.cached), key_(key_of(names, plan.order))
    {
    }

    [[nodiscard]] ExpectationKind expectations() const override { return ExpectationKind::names; }
    [[nodiscard]] std::size_t longest() const override { return message_.size(); }
    [[nodiscard]] std::unique_ptr<QuerySource> make(std::uint32_t sender) const override
    {
        return paced_source(plan_, sender, [this](const auto &schedule, const Share &share) {
            const NameWalk walk(names_, share.number, share.of, cached_, key_);
            return NameMessages(NameStream(walk, schedule), message_, plan_.source);
        });
    }
    char *put_text(char *end, std::uint64_t /*number*/, std::uint64_t expectation) const override
    {
        return put_test_name(end, static_cast<std::uint32_t>(expectation), zone_);
    }

private:
    SourcesPlan plan_;
    std::vector<std::uint8_t> message_;
    std::string zone_;
    NameRange names_;
    CachedShare cached_;
    NameKey key_;
};

// `Queries` is QueryList or MixedQueries.
template <class Queries>
class MessageSources final : public QuerySources
{
public:
    MessageSources(std::shared_ptr<const Queries> queries, const SourcesPlan &plan)
        : plan_(plan), queries_(std::move(queries))
    {
    }

    [[nodiscard]] ExpectationKind expectations() const override
    {
        return ExpectationKind::questions;
    }
    [[nodiscard]] std::size_t longest() const override { return queries_->longest(); }
    [[nodiscard]] std::unique_ptr<QuerySource> make(std::uint32_t sender) const override
    {
        return paced_source(plan_, sender, [this](const auto &schedule, const Share &share) {
            const typename Queries::Cursor cursor(*queries_, share.number, share.of);
            return MessageStream(cursor, plan_.source, schedule);
        });
    }
    char *put_text(char *end, std::uint64_t number, std::uint64_t /*expectation*/) const override
    {
        return std::ranges::copy(queries_->text(number), end).out;
    }

private:
    SourcesPlan plan_;
    std::shared_ptr<const Queries> queries_;
};

class CaptureSources final : public QuerySources
{
public:
    CaptureSources(const CaptureWorkload &capture, const SourcesPlan &plan) : plan_(plan)
    {
        const std::uint32_t parts = plan.by_client ? plan.senders : 1;
        for (std::uint32_t part = 0; part < parts; part++)
            played_.emplace_back(capture.queries,
                                 ClientShares{.first = plan.first_share + part,
                                              .count = plan.by_client ? 1 : plan.senders,
                                              .of = plan.shares});
    }

    [[nodiscard]] ExpectationKind expectations() const override
    {
        return ExpectationKind::questions;
    }
    [[nodiscard]] std::size_t longest() const override { return captured().longest(); }
    [[nodiscard]] std::unique_ptr<QuerySource> make(std::uint32_t sender) const override
    {
        const PlayedQueries &played = played_[plan_.by_client ? sender : 0];
        const Share share =
            plan_.by_client ? Share{} : Share{.number = sender, .of = plan_.senders};
        const CaptureStream stream(played, share.number, share.of, plan_.source, std::nullopt);
        return std::make_unique<SourceOf<CaptureStream>>(
            stream,
            SenderPart{.share = share, .queries = played.size(), .numbers = played.numbers()});
    }
    char *put_text(char *end, std::uint64_t number, std::uint64_t /*expectation*/) const override
    {
        return std::ranges::copy(question_text(captured().entry(number).message), end).out;
    }

private:
    [[nodiscard]] const CapturedQueries &captured() const { return played_.front().captured(); }

    SourcesPlan plan_;
    std::vector<PlayedQueries> played_; // of all senders, or of each
};

class HandshakeSources final : public QuerySources
{
public:
    explicit HandshakeSources(const SourcesPlan &plan) : plan_(plan) {}

    [[nodiscard]] ExpectationKind expectations() const override { return ExpectationKind::names; }
    [[nodiscard]] std::size_t longest() const override { return 0; }
    [[nodiscard]] std::unique_ptr<QuerySource> make(std::uint32_t sender) const override
    {
        return paced_source(plan_, sender, [this](const auto &schedule, const Share & /*share*/) {
            return HandshakeStream(plan_.source, schedule);
        });
    }
    char *put_text(char *end, std::uint64_t /*number*/,
                   std::uint64_t /*expectation*/) const override
    {
        return std::ranges::copy(std::string_view("handshake"), end).out;
    }

private:
    SourcesPlan plan_;
};

} // namespace

std::unique_ptr<const QuerySources> make_query_sources(const Workload &workload,
                                                       const SourcesPlan &plan)
{
    using Made = std::unique_ptr<const QuerySources>;
    return std::visit(
        Overloaded{[&](const NamesWorkload &names) -> Made {
                       return std::make_unique<NameSources>(names, plan);
                   },
                   [&](const MixWorkload &mix) -> Made {
                       return std::make_unique<MessageSources<MixedQueries>>(
                           std::make_shared<const MixedQueries>(
                               mix.queries->of_names(mix.names, key_of(mix, plan.order))),
                           plan);
                   },
                   [&](const ListWorkload &list) -> Made {
                       return std::make_unique<MessageSources<QueryList>>(list.queries, plan);
                   },
                   [&](const CaptureWorkload &capture) -> Made {
                       return std::make_unique<CaptureSources>(capture, plan);
                   },
                   [&](const HandshakesWorkload & /*none*/) -> Made {
                       return std::make_unique<HandshakeSources>(plan);
                   }},
        workload);
}

} // namespace dnsgauge
