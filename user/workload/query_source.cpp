// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/query_source.h"

#include "dns/name_text.h"
#include "workload/query_message.h"

#include "wire/test_name.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace dnsgauge
{

namespace
{

template <QueryStream Stream>
class SourceOf final : public QuerySource
{
public:
    SourceOf(const Stream &stream, const SenderPart &part) : stream_(stream), part_(part) {}

    [[nodiscard]] std::int64_t due() const override { return stream_.due(); }
    Query next() override { return stream_.next(); }
    [[nodiscard]] OpenWindow *window() override
    {
        if constexpr (WindowStream<Stream>)
            return &stream_.timing();
        else
            return nullptr;
    }
    [[nodiscard]] const SenderPart &part() const override { return part_; }

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

} // namespace

QuerySources::QuerySources(Workload workload, const SourcesPlan &plan)
    : workload_(std::move(workload)), plan_(plan)
{
    std::visit(
        Overloaded{
            [&](const NamesWorkload &names) { longest_ = name_message(name_format(names)).size(); },
            [&](MixWorkload &mix) {
                mix.queries = std::make_shared<const MixedQueries>(
                    mix.queries->of_names(mix.names, key_of(mix, plan.order)));
                longest_ = mix.queries->longest();
            },
            [&](const ListWorkload &list) { longest_ = list.queries->longest(); },
            [&](const CaptureWorkload &capture) {
                longest_ = capture.queries->longest();
                for (std::uint32_t i = 0; i < (plan.by_client ? plan.senders : 1); i++)
                    played_.emplace_back(capture.queries,
                                         ClientShares{.first = plan.first_share + i,
                                                      .count = plan.by_client ? 1 : plan.senders,
                                                      .of = plan.shares});
            },
            [](const HandshakesWorkload & /*none*/) {}},
        workload_);
}

ExpectationKind QuerySources::expectations() const
{
    return std::holds_alternative<NamesWorkload>(workload_) ||
                   std::holds_alternative<HandshakesWorkload>(workload_)
               ? ExpectationKind::names
               : ExpectationKind::questions;
}

char *QuerySources::put_text(char *end, std::uint64_t number, std::uint64_t expectation) const
{
    const auto put = [&](std::string_view text) { return std::ranges::copy(text, end).out; };
    return std::visit(
        Overloaded{[&](const NamesWorkload &names) {
                       return put_test_name(end, static_cast<std::uint32_t>(expectation),
                                            names.zone.text);
                   },
                   [&](const CaptureWorkload &capture) {
                       return put(question_text(capture.queries->entry(number).message));
                   },
                   [&](const HandshakesWorkload & /*none*/) { return put("handshake"); },
                   [&](const auto &list_or_mix) { return put(list_or_mix.queries->text(number)); }},
        workload_);
}

std::uint16_t QuerySources::client_port(std::uint64_t number) const
{
    const auto *capture = part_of<CaptureWorkload>(workload_);
    return capture == nullptr ? std::uint16_t{0} : capture->queries->entry(number).port;
}

std::unique_ptr<QuerySource> QuerySources::make(std::uint32_t sender) const
{
    using Made = std::unique_ptr<QuerySource>;
    const auto source_of = [](const auto &stream, const SenderPart &part) -> Made {
        return std::make_unique<SourceOf<std::decay_t<decltype(stream)>>>(stream, part);
    };
    const auto of_names = [&]<Schedule Timing>(const NameStream<Timing> &names,
                                               const SenderPart &part) {
        const NameFormat format = name_format(std::get<NamesWorkload>(workload_));
        return source_of(NameMessages(names, name_message(format), plan_.source), part);
    };
    return with_stream(sender, Overloaded{of_names, source_of});
}

} // namespace dnsgauge
