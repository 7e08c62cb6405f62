// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "search/search_request.h"

#include "options/option_error.h"
#include "search/compliance.h"
#include "search/tester_setup.h"
#include "units/quantity_access.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

Options rate_options(SearchPlan &plan)
{
    return {
        {.name = "min-rate",
         .group = OptionGroup::rates,
         .type = "QPS",
         .help = "Lowest rate, queries per second",
         .access = rate(plan.range.min)},
        {.name = "max-rate",
         .group = OptionGroup::rates,
         .type = "QPS",
         .help = "Highest rate, queries per second",
         .access = rate(plan.range.max),
         .is_required = true},
        {.name = "resolution",
         .group = OptionGroup::rates,
         .type = "QPS",
         .help = "The result is at most this far below a rate that failed",
         .access = rate(plan.range.resolution)},
        {.name = "repeat",
         .group = OptionGroup::rates,
         .type = "COUNT",
         .help = "Number of whole searches; RFC 8219 demands 20",
         .access = whole(plan.repeat, 1, 10000)},
        {.name = "near",
         .group = OptionGroup::rates,
         .type = "PERCENT",
         .help =
             "Begin each search but the first within this much of the first one's result: saves "
             "trials, and is not compliant with RFC 8219",
         .access = number(plan.near_percent, 0, 50),
         .usual = "in the middle of the range"},
        confirm_option(plan.confirm),
        invalid_retries_option(plan.invalid_retries),
    };
}

} // namespace

SearchRequest usual_request()
{
    SearchRequest request;
    set_defaults(request);
    return request;
}

Option confirm_option(unsigned &confirm)
{
    return {.name = "confirm",
            .group = OptionGroup::rates,
            .type = "COUNT",
            .help = "Times to try a failed trial again before it counts; more than 0 is not "
                    "compliant with RFC 8219",
            .access = whole(confirm, 0, 100)};
}

Options search_options(SearchRequest &request)
{
    Options options = rate_options(request.search);
    append(options, series_options(request));
    return options;
}

void complete(SearchRequest &request, bool starts_anew)
{
    const SearchRange &range = request.search.range;
    if (range.min >= range.max)
        throw OptionError({"min-rate", "max-rate"},
                          fmt::format("--min-rate {} must be below --max-rate {}",
                                      range.min.per_second, range.max.per_second));
    complete(request, range.min, range.max, Repetitions::most_trials(request.search), starts_anew);
}

SearchRequest read_search(const std::vector<GivenOption> &given, bool starts_anew)
{
    SearchRequest request = usual_request();
    read_options(search_options(request), given);
    complete(request, starts_anew);
    return request;
}

nlohmann::ordered_json journal_header(const SearchRequest &request)
{
    return journal_header(request, describe_setup(request.trial));
}

nlohmann::ordered_json journal_header(const SearchRequest &request, const TesterSetup &setup)
{
    SearchRequest values = request;
    return journal_header(request, "dnsgauge/search-journal/1", search_options(values), setup);
}

Caveats caveats_of(const SearchRequest &request)
{
    return caveats_of(request, search_deviations(request.search, request.trial));
}

} // namespace dnsgauge
