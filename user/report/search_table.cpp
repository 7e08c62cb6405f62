// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "report/search_table.h"

#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace dnsgauge
{

namespace
{

std::string cap_text(const Repetition &repetition)
{
    if (!repetition.cap)
        return {};
    const SearchTrial &trial = repetition.trials.at(repetition.cap->trial);
    return fmt::format("capped by trial {}: {} of {} missing at {} queries/s, then {} steps passed",
                       repetition.cap->trial + 1, trial.sent - trial.valid, trial.sent,
                       trial.rate.per_second, repetition.cap->passed_behind_it);
}

bool is_capped(const Repetition &repetition)
{
    return repetition.cap.has_value();
}

// "-" where it is not defined.
std::string figure(double value)
{
    return std::isnan(value) ? "-" : fmt::format("{:.2f}", value);
}

std::string statistics_text(const SearchResult &result)
{
    if (result.rates().empty())
        return {};
    const Summary summary = summarize(result.rates());
    std::string text;
    const auto row = [&text](const char *name, const std::string &value) {
        fmt::format_to(std::back_inserter(text), "  {:<22} {:>12}\n", name, value);
    };
    row("results", fmt::format("{}", summary.count));
    row("median", figure(summary.median));
    row("1st percentile", figure(summary.p1));
    row("99th percentile", figure(summary.p99));
    row("dispersion, %", figure(summary.dispersion));
    row("mean", figure(summary.mean));
    row("standard deviation", figure(summary.stddev));
    row("margin of error 99.9 %", figure(summary.moe_999));
    row("MAD", figure(summary.mad));
    return text;
}

} // namespace

std::string compliance_label(const SearchResult &result)
{
    if (result.deviations.empty())
        return {};
    return fmt::format("non-RFC 8219 compliant! ({})", fmt::join(result.deviations, "; "));
}

std::string to_table(const SearchResult &result)
{
    std::string text = fmt::format(
        "highest rate from {} to {} queries/s to within {} at which {:g} % are answered right in "
        "time: {} of {} searches\n",
        result.min_rate.per_second, result.max_rate.per_second, result.resolution,
        result.accept_percent, result.rates().size(), result.repeat);
    const auto out = std::back_inserter(text);
    if (!result.deviations.empty())
        fmt::format_to(out, "  {}\n", compliance_label(result));
    fmt::format_to(out, "  {:>6} {:>11} {:>7}\n", "search", "queries/s", "trials");
    for (std::size_t i = 0; i < result.repetitions.size(); i++) {
        const Repetition &repetition = result.repetitions[i];
        const std::string rate =
            repetition.rate ? fmt::format("{}", repetition.rate->per_second) : "-";
        std::string line = fmt::format("  {:>6} {:>11} {:>7}   {}", i + 1, rate,
                                       repetition.trials.size(), cap_text(repetition));
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    if (std::any_of(result.repetitions.begin(), result.repetitions.end(), is_capped))
        text += "  capped: perhaps by one unlucky trial; --confirm 1 would have tried it again\n";
    return text + statistics_text(result);
}

} // namespace dnsgauge
