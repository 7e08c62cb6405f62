// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "soak/soak_request.h"

#include "options/option_error.h"
#include "search/tester_setup.h"
#include "soak/found_rate.h"
#include "trial/compliance.h"
#include "trial/trial_options.h"
#include "units/quantity_access.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace dnsgauge
{

namespace
{

constexpr double hours_most = 10'000; // more than a year
constexpr double hours_least = 0.0001;
constexpr double row_most = 3'600; // seconds
constexpr double seconds_per_hour = 3'600;

// The journal has the rate itself: where the rate came from decides nothing.
Options load_options(SoakRequest &request)
{
    return {{.name = "rate",
             .group = OptionGroup::rates,
             .type = "QPS",
             .help = "Queries per second",
             .access = rate(request.rate),
             .is_required = true,
             .stand_ins = {"search"},
             .excludes = {"search"}},
            {.name = "search",
             .group = OptionGroup::rates,
             .type = "FILE",
             .help = "Take the rate from what dnsgauge search --json wrote: --percent of it",
             .access = text(request.from),
             .is_in_journal = false},
            {.name = "percent",
             .group = OptionGroup::rates,
             .type = "PERCENT",
             .help = "With --search: percent of the rate that the search found",
             .access = number(request.percent, 0.1, 1000),
             .usual = fmt::format("{:g}", SoakRequest::usual_percent),
             .excludes = {"rate"},
             .is_in_journal = false},
            {.name = "hours",
             .group = OptionGroup::rates,
             .type = "HOURS",
             .help = "Hours for which queries are sent, the time between rows not included",
             .access = number(request.hours, hours_least, hours_most)},
            {.name = "row",
             .group = OptionGroup::rates,
             .type = "SECONDS",
             .help = "Seconds of a row, for which queries are sent",
             .access = time(request.trial.duration, row_most)},
            invalid_retries_option(request.soak.invalid_retries)};
}

void find_rate(SoakRequest &request)
{
    if (!request.from)
        return;
    const FoundRate found = read_found_rate(*request.from);
    if (const std::string server = servers_text({}, request.trial); found.server != server)
        throw OptionError({"search", "server"},
                          fmt::format("--search {}: the search was of {}, and --server is {}: give "
                                      "the result of a search of this server, or --rate",
                                      *request.from, found.server, server));
    constexpr double all = 100;
    const double percent = request.part_percent();
    const double part = std::floor(static_cast<double>(found.rate.per_second) * percent / all);
    if (part < 1)
        throw OptionError({"percent", "search"},
                          fmt::format("--percent {:g} of {} queries/s is less than one: give more",
                                      percent, found.rate.per_second));
    request.rate = Rate{static_cast<std::uint64_t>(part)};
}

} // namespace

SoakRequest usual_soak()
{
    SoakRequest request;
    set_defaults(request);
    request.trial.duration = std::chrono::minutes(1);
    request.between.pause = {}; // the load is to last
    return request;
}

Options soak_options(SoakRequest &request)
{
    Options options = load_options(request);
    Options series = series_options(request);
    // --row is the duration of a trial.
    std::erase_if(series, [](const Option &option) { return option.name == "duration"; });
    append(options, series);
    return options;
}

void complete(SoakRequest &request)
{
    find_rate(request);
    SoakPlan &plan = request.soak;
    plan.rate = *request.rate;
    if (queries_in(plan.rate, request.trial.duration) == 0)
        throw OptionError({"rate", "row"},
                          "--rate times --row is less than one query: raise one of them");
    const double rows =
        std::ceil(request.hours * seconds_per_hour / seconds(request.trial.duration) - 1e-9);
    plan.rows = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rows));
    // With --fresh-names an invalid row asks for names of its own.
    complete(request, plan.rate, plan.rate, plan.rows + plan.invalid_retries, false);
}

nlohmann::ordered_json journal_header(const SoakRequest &request)
{
    SoakRequest values = request;
    return journal_header(request, "dnsgauge/soak-journal/1", soak_options(values),
                          describe_setup(request.trial));
}

Caveats caveats_of(const SoakRequest &request)
{
    return caveats_of(request, trial_deviations(request.trial));
}

} // namespace dnsgauge
