// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/played_queries.h"

#include "userland/counted.h"
#include "userland/setup_error.h"

#include <algorithm>
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
                         "one Tester would have no client: use fewer Testers",
                         counted(captured_->clients(), "client"), counted(mine.of, "sender"));
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
