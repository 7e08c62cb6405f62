// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/played_queries.h"

#include "system/counted.h"
#include "system/setup_error.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace dnsgauge
{

PlayedQueries::PlayedQueries(std::shared_ptr<const CapturedQueries> captured)
    : captured_(std::move(captured))
{
}

PlayedQueries::PlayedQueries(std::shared_ptr<const CapturedQueries> captured,
                             const ClientShares &mine)
    : captured_(std::move(captured))
{
    if (mine.count == mine.of)
        return;
    for (std::size_t i = 0; i < captured_->size(); i++)
        if (mine.contain(captured_->entry(i).client))
            numbers_.push_back(i);
    if (numbers_.empty())
        throw SetupError("--capture: the captures have {}, and all Testers have {}: "
                         "one sender would have no client: use fewer Testers, or fewer CPUs "
                         "(--cpus)",
                         counted(captured_->clients(), "client"), counted(mine.of, "sender"));
}

std::uint32_t PlayedQueries::client_numbers() const
{
    std::uint32_t numbers = 0;
    for (std::size_t i = 0; i < size(); i++)
        numbers = std::max(numbers, entry(i).client + 1);
    return numbers;
}

std::uint32_t PlayedQueries::clients_at_once(const Hold &hold) const
{
    constexpr std::int64_t not_yet = -1;
    std::vector<std::int64_t> until(client_numbers(), not_yet);
    std::vector<std::int64_t> begins; // ascending
    std::vector<std::int64_t> ends;
    for (std::size_t i = 0; i < size(); i++) {
        const std::uint32_t client = entry(i).client;
        std::int64_t &end = until[client];
        if (end < due_ns(i)) {
            if (end != not_yet)
                ends.push_back(end);
            begins.push_back(due_ns(i));
        }
        end = due_ns(i) + hold(client).count();
    }
    std::ranges::copy_if(until, std::back_inserter(ends),
                         [](std::int64_t end) { return end != not_yet; });
    std::ranges::sort(ends);
    std::size_t most = 0;
    std::size_t ended = 0;
    for (std::size_t begun = 1; begun <= begins.size(); begun++) {
        while (ended < ends.size() && ends[ended] < begins[begun - 1])
            ended++;
        most = std::max(most, begun - ended);
    }
    return static_cast<std::uint32_t>(most);
}

Rate PlayedQueries::peak_rate(Nanoseconds span) const
{
    std::size_t most = 1;
    std::size_t first = 0;
    for (std::size_t i = 0; i < size(); i++) {
        while (due_ns(i) - due_ns(first) > span.count())
            first++;
        most = std::max(most, i - first + 1);
    }
    return {.per_second =
                static_cast<std::uint64_t>(static_cast<double>(most) / seconds(span)) + 1};
}

std::vector<std::uint64_t> queries_by_share(const CapturedQueries &captured, std::uint32_t shares)
{
    std::vector<std::uint64_t> counts(shares);
    for (std::size_t i = 0; i < captured.size(); i++)
        counts[captured.entry(i).client % shares]++;
    return counts;
}

} // namespace dnsgauge
