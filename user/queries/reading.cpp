// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/reading.h"

#include "system/setup_error.h"
#include "system/standard_output.h"
#include "units/quantity_access.h"
#include "workload/query_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

OptionAccess unpacked_most(UnpackLimit &limit)
{
    constexpr std::uint64_t mib_most = 1U << 30U;
    constexpr unsigned bits_of_a_mib = 20;
    return {.set =
                [&limit](const std::string &text, const std::string &name) {
                    limit = {.octets = read_whole(text, name, 1, mib_most) << bits_of_a_mib,
                             .times = 1};
                },
            .get = [] { return OptionValue(); },
            .range = range_text(1, mib_most)};
}

Options input_rows(Reading &reading)
{
    static const std::string usual_most = fmt::format(
        "{}, or {} times its packed size", UnpackLimit{}.octets >> 20U, UnpackLimit{}.times);
    InputOptions &input = reading.input;
    return {
        Option("FILE", OptionGroup::other, "",
               "Captures (pcap, pcapng) or lists of queries; the program merges several by time",
               texts(reading.files),
               {.is_required = true, .is_positional = true, .is_repeatable = true}),
        {"port", OptionGroup::input, "PORT", "The port of the DNS servers in captures",
         whole(input.port, 1)},
        Option("unpacked-most", OptionGroup::input, "MIB",
               "Refuse a packed input that unpacks to more MiB than this",
               unpacked_most(input.unpack), {.usual = usual_most.c_str()}),
    };
}

Options choice_rows(FilterOptions &filter)
{
    return {
        Option("type", OptionGroup::choice, "TYPE", "Keep only queries for this type (repeatable)",
               texts(filter.types), {.is_repeatable = true}),
        Option("name", OptionGroup::choice, "NAME",
               "Keep only queries for this name or a name below it (repeatable)",
               texts(filter.names), {.is_repeatable = true}),
        Option("client", OptionGroup::choice, "PREFIX",
               "Keep only queries of clients in this prefix, and their answers (repeatable)",
               each(filter.clients, parse_ip_prefix), {.is_repeatable = true}),
        Option("server", OptionGroup::choice, "ADDRESS",
               "Keep only queries to this server, and its answers (repeatable)",
               each(filter.servers, parse_ip_address), {.is_repeatable = true}),
        {"opcode", OptionGroup::choice, "NUMBER", "Keep only messages with this opcode; 0 is QUERY",
         whole(filter.opcode, 0, 15)},
        {"since", OptionGroup::choice, "SECONDS",
         "Leave out the messages before this second, counted from the first message",
         time_or_none(filter.since, seconds_most)},
        {"until", OptionGroup::choice, "SECONDS",
         "Leave out the messages from this second on, counted from the first message",
         dnsgauge::time(filter.until, seconds_most)},
    };
}

Options list_rows(InputOptions &input)
{
    return {
        {"rate", OptionGroup::lists, "QPS", "Rate of a list's queries, per second: 20000 or 20k",
         rate(input.rate)},
        {"list-client", OptionGroup::lists, "ADDRESS", "Source address of a list's queries",
         parsed(input.client, parse_ip_address)},
        {"list-server", OptionGroup::lists, "ADDRESS", "Target address of a list's queries",
         parsed(input.server, parse_ip_address)},
        {"recursion-desired", OptionGroup::lists, "",
         "Set RD (recursion desired) in the queries of a text list", flag(input.recursion_desired)},
    };
}

// The source ports of a list's queries, in turn.
constexpr std::uint16_t first_list_port = 1024;
constexpr std::uint16_t list_ports = 64512;

class FromCapture final : public MessageSource
{
public:
    FromCapture(const std::string &path, const InputOptions &options)
        : reader_(path, options.port, options.unpack)
    {
    }

    std::optional<CapturedMessage> next() override
    {
        std::optional<CapturedMessage> message = reader_.next();
        if (message) {
            disordered_ += message->time_ns < latest_ ? 1U : 0U;
            latest_ = std::max(latest_, message->time_ns);
        }
        return message;
    }
    [[nodiscard]] CaptureCounts counts() const override { return reader_.counts(); }
    [[nodiscard]] std::uint64_t disordered() const override { return disordered_; }

private:
    CaptureReader reader_;
    std::int64_t latest_ = 0;
    std::uint64_t disordered_ = 0;
};

class FromList final : public MessageSource
{
public:
    FromList(const std::string &path, const InputOptions &options)
        : options_(options),
          list_(read_query_list(path, {{.recursion_desired = options.recursion_desired}}, "",
                                options.unpack))
    {
    }

    std::optional<CapturedMessage> next() override
    {
        if (next_ == list_.size())
            return {};
        const std::span<const std::uint8_t> message = list_.entry(next_).message;
        message_.assign(message.begin(), message.end());
        wire_put16(message_.data(), static_cast<std::uint16_t>(next_));
        const auto port = static_cast<std::uint16_t>(first_list_port + next_ % list_ports);
        CapturedMessage query{.time_ns = options_.begin_ns + due_at(options_.rate, next_).count(),
                              .source = {.address = options_.client, .port = port},
                              .target = {.address = options_.server, .port = options_.port},
                              .message = message_};
        next_++;
        return query;
    }
    [[nodiscard]] CaptureCounts counts() const override
    {
        return {.packets = next_, .queries = next_};
    }
    [[nodiscard]] std::uint64_t disordered() const override { return 0; }

private:
    InputOptions options_;
    QueryList list_;
    std::uint64_t next_ = 0;
    std::vector<std::uint8_t> message_;
};

// Merges sources: returns the earliest of the sources' next messages.
class Merged final : public MessageSource
{
public:
    Merged(std::vector<std::unique_ptr<MessageSource>> sources, bool align)
        : sources_(std::move(sources)), earlier_(sources_.size())
    {
        std::optional<std::int64_t> first;
        for (const auto &source : sources_) {
            heads_.push_back(source->next());
            if (heads_.back() && (!first || heads_.back()->time_ns < *first))
                first = heads_.back()->time_ns;
        }
        for (std::size_t i = 0; align && i < heads_.size(); i++)
            if (heads_[i]) {
                earlier_[i] = heads_[i]->time_ns - *first;
                heads_[i]->time_ns = *first;
            }
    }

    std::optional<CapturedMessage> next() override
    {
        // The caller no longer uses the message that was returned last, so its source may go on.
        if (taken_ < heads_.size())
            advance(taken_);
        taken_ = heads_.size();
        for (std::size_t i = 0; i < heads_.size(); i++)
            if (heads_[i] &&
                (taken_ == heads_.size() || heads_[i]->time_ns < heads_[taken_]->time_ns))
                taken_ = i;
        if (taken_ == heads_.size())
            return {};
        return heads_[taken_];
    }
    [[nodiscard]] CaptureCounts counts() const override
    {
        CaptureCounts sum;
        for (const auto &source : sources_)
            sum += source->counts();
        return sum;
    }
    [[nodiscard]] std::uint64_t disordered() const override
    {
        std::uint64_t sum = 0;
        for (const auto &source : sources_)
            sum += source->disordered();
        return sum;
    }

private:
    void advance(std::size_t index)
    {
        heads_[index] = sources_[index]->next();
        if (heads_[index])
            heads_[index]->time_ns -= earlier_[index];
    }

    std::vector<std::unique_ptr<MessageSource>> sources_;
    // The time by which each source's messages are shifted to earlier times.
    std::vector<std::int64_t> earlier_;
    std::vector<std::optional<CapturedMessage>> heads_;
    std::size_t taken_ = ~std::size_t{0}; // the source of the message that was returned last
};

std::unique_ptr<MessageSource> open_source(const std::string &path, const InputOptions &options)
{
    if (is_prepared(path))
        throw SetupError(path + ": it is prepared for trials: give the capture or the list that it "
                                "was made from");
    if (holds_capture(path))
        return std::make_unique<FromCapture>(path, options);
    return std::make_unique<FromList>(path, options);
}

} // namespace

Options rows(Reading &reading)
{
    Options options = input_rows(reading);
    append(options, choice_rows(reading.filter));
    append(options, list_rows(reading.input));
    return options;
}

std::unique_ptr<MessageSource> open_inputs(const Reading &reading)
{
    if (reading.input.client.is_ipv6 != reading.input.server.is_ipv6)
        throw SetupError("--list-client and --list-server are of different IP versions");
    if (reading.files.size() == 1)
        return open_source(reading.files[0], reading.input);
    std::vector<std::unique_ptr<MessageSource>> sources;
    for (const std::string &path : reading.files)
        sources.push_back(open_source(path, reading.input));
    return std::make_unique<Merged>(std::move(sources), reading.input.align);
}

void tell_left_out(std::uint64_t count, const char *what)
{
    if (count != 0)
        say("dnsgauge-queries: left out: {} {}\n", count, what);
}

void tell_left_out(const CaptureCounts &counts)
{
    tell_left_out(counts.tcp, "TCP segments without a whole message");
    tell_left_out(counts.fragments, "fragments of IP packets");
    tell_left_out(counts.cut, "packets that were captured in part");
    tell_left_out(counts.malformed, "packets from or to the port that are no DNS messages");
}

} // namespace dnsgauge
