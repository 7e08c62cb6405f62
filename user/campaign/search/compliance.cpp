// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/compliance.h"

#include "trial/compliance.h"
#include "userland/counted.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

constexpr unsigned searches_least = 20;

} // namespace

std::vector<std::string> search_deviations(const SearchPlan &search, const TrialPlan &trial)
{
    std::vector<std::string> found = trial_deviations(trial);
    if (search.repeat < searches_least)
        found.push_back(fmt::format("{}, not {}", counted(search.repeat, "search", "searches"),
                                    searches_least));
    if (search.confirm > 0)
        found.push_back(fmt::format("a failed trial was tried again, up to {}",
                                    counted(search.confirm, "time")));
    if (search.near_percent > 0 && search.repeat > 1)
        found.push_back(fmt::format("searches began within {:g} % of the first one's result",
                                    search.near_percent));
    if (search.invalid_retries > SearchPlan{}.invalid_retries)
        found.push_back(fmt::format("an invalid trial was made again, up to {}",
                                    counted(search.invalid_retries, "time")));
    return found;
}

} // namespace dnsgauge
