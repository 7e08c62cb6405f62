// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/model_tables.h"

#include "experiment/shares_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace dnsgauge
{

namespace
{

// The results so far. Rates that the Tester may limit are kept apart, because they say nothing
// about the server's times.
struct Points {
    std::vector<RateAtShares> fitted;
    std::vector<RateAtShares> limited;
};

Points points_of(const std::vector<Member> &members)
{
    Points points;
    for (const Member &member : members)
        if (const SearchResult &search = member.outcome->result;
            search.dns64 && !search.rates().empty())
            (search.caveats.is_tester_limited() ? points.limited : points.fitted)
                .push_back(shares_point(search));
    return points;
}

std::size_t unfinished_of(const std::vector<Member> &members)
{
    return static_cast<std::size_t>(
        std::count_if(members.begin(), members.end(), [](const Member &member) {
            return member.outcome->result.end != TrialsEnd::complete ||
                   member.outcome->result.rates().empty();
        }));
}

Table unidentified(const std::string &caption, const Points &points, std::size_t cells,
                   const char *why)
{
    const std::string limited =
        points.limited.empty()
            ? ""
            : fmt::format(", {} more may be limited by the Tester", points.limited.size());
    return model_table(caption,
                       {.times = {{.name = "all",
                                   .seconds = {},
                                   .margin = {},
                                   .why_not = fmt::format("{}; {} of {} cells have one{}", why,
                                                          points.fitted.size(), cells, limited)}},
                        .fitted = {},
                        .notes = {}});
}

} // namespace

std::vector<Table> model_tables(const std::function<std::string(const char *)> &caption,
                                const std::vector<Member> &members)
{
    const std::string times = caption(": times of the DNS64 model");
    const Points points = points_of(members);
    try {
        const Dns64Model model = fit_dns64_model(points.fitted);
        Table first = model_table(times, model);
        if (const std::size_t unfinished = unfinished_of(members); unfinished != 0)
            first.notes.push_back(
                fmt::format("{} of {} cells are not finished.", unfinished, members.size()));
        return {first, model_fit_table(caption(": rates of the DNS64 model"), points.fitted, model,
                                       points.limited)};
    } catch (const std::invalid_argument &error) {
        return {unidentified(times, points, members.size(), error.what())};
    }
}

} // namespace dnsgauge
