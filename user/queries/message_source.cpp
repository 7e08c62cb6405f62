// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/message_source.h"

#include "userland/setup_error.h"
#include "workload/query_list.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

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
          list_(read_query_list(
              path, {.recursion_desired = options.recursion_desired, .edns_size = std::nullopt}, "",
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

// Merges sources: returns the earliest of their next messages.
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
        // The caller no longer uses the message that was returned last: its source may go on.
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
    std::vector<std::int64_t>
        earlier_; // by how much the messages of each source are shifted to an earlier time
    std::vector<std::optional<CapturedMessage>> heads_;
    std::size_t taken_ = ~std::size_t{0}; // the source of the message that was returned last
};

} // namespace

std::unique_ptr<MessageSource> open_source(const std::string &path, const InputOptions &options)
{
    if (is_prepared(path))
        throw SetupError(path + ": it is prepared for trials: give the capture or the list that it "
                                "was made from");
    if (holds_capture(path))
        return std::make_unique<FromCapture>(path, options);
    return std::make_unique<FromList>(path, options);
}

std::unique_ptr<MessageSource> open_sources(const std::vector<std::string> &paths,
                                            const InputOptions &options)
{
    if (paths.size() == 1)
        return open_source(paths[0], options);
    std::vector<std::unique_ptr<MessageSource>> sources;
    for (const std::string &path : paths)
        sources.push_back(open_source(path, options));
    return std::make_unique<Merged>(std::move(sources), options.align);
}

} // namespace dnsgauge
