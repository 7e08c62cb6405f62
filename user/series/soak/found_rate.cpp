// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/soak/found_rate.h"

#include "record/json_text.h"
#include "record/record_file.h"
#include "userland/setup_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

// Returns what a classic search found.
std::optional<std::uint64_t> rate_of_search(const Json &search)
{
    if (const Json &least = search.at("at_least"); !least.is_null())
        return whole_number(least);
    const Json &median = search.at("statistics").at("median");
    return median.is_null() ? std::nullopt
                            : std::optional(static_cast<std::uint64_t>(median.get<double>()));
}

// Returns what a search for several loss ratios found: its goals begin with the least loss.
std::optional<std::uint64_t> rate_of_loss_search(const Json &search)
{
    for (const Json &goal : search.at("goals"))
        if (const Json &lower = goal.at("lower_bound"); !lower.is_null())
            return whole_number(lower);
    return std::nullopt;
}

} // namespace

FoundRate read_found_rate(const std::string &file)
{
    const Json search = read_json_file(file);
    try {
        const std::string schema = plain_text(search.at("schema"));
        std::optional<std::uint64_t> rate;
        if (schema == "dnsgauge/search/1")
            rate = rate_of_search(search);
        else if (schema == "dnsgauge/loss-search/1")
            rate = rate_of_loss_search(search);
        else
            throw SetupError(
                fmt::format("{}: it is of the schema {}: name what dnsgauge search --json wrote",
                            file, schema));
        if (!rate || *rate == 0)
            throw SetupError(fmt::format(
                "{}: the search found no rate that the server keeps: give --rate", file));
        return {Rate{*rate}, plain_text(search.at("server"))};
    } catch (const Json::exception &error) {
        throw SetupError(fmt::format(
            "{}: it is no result of a search ({}): name what dnsgauge search --json wrote", file,
            error.what()));
    }
}

} // namespace dnsgauge
