// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "gate/gate_figures.h"

#include "options/access.h"
#include "record/json_text.h"
#include "result/repeated_trials.h"
#include "stats/summary.h"
#include "system/listed.h"
#include "system/setup_error.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace dnsgauge
{

namespace
{

constexpr const char *share = "share";
constexpr const char *answered_rate = "rate";
constexpr double usual_share_margin = 0.1; // percentage points
constexpr double usual_margin = 5;         // percent

GateFigure parse_figure(const std::string &text)
{
    const std::size_t equals = text.find('=');
    GateFigure figure{text.substr(0, equals)};
    std::vector<std::string> known = {share, answered_rate};
    for (const SpreadFigure &one : rtt_figures)
        known.emplace_back(one.key);
    if (std::ranges::find(known, figure.name) == known.end())
        throw SetupError("\"{}\" is no figure: there are {}", figure.name, listed(known, "and"));
    figure.margin = is_share(figure) ? usual_share_margin : usual_margin;
    if (equals != std::string::npos)
        figure.margin = read_real(text.substr(equals + 1), "the margin of " + figure.name, 0,
                                  is_share(figure) ? 100 : 1e6);
    return figure;
}

} // namespace

bool is_share(const GateFigure &figure)
{
    return figure.name == share;
}

bool is_rate(const GateFigure &figure)
{
    return figure.name == answered_rate;
}

const char *unit_of(const GateFigure &figure)
{
    return is_share(figure) ? "points" : "%";
}

GateFigures parse_gate_figures(const std::string &text)
{
    GateFigures figures;
    for (const std::string_view part : split(text)) {
        figures.push_back(parse_figure(std::string(part)));
        const auto is_same = [&](const GateFigure &one) { return one.name == figures.back().name; };
        if (std::ranges::count_if(figures, is_same) > 1)
            throw SetupError("\"{}\" names {} twice", text, figures.back().name);
    }
    return figures;
}

std::string to_string(const GateFigures &figures)
{
    return joined(
        figures, [](const GateFigure &one) { return fmt::format("{}={:g}", one.name, one.margin); },
        ",");
}

std::optional<double> value_of(const GateFigure &figure, const nlohmann::ordered_json &trial)
{
    const auto valid = static_cast<double>(whole_number(trial.at("valid")));
    const auto sent = static_cast<double>(whole_number(trial.at("sent")));
    if (is_share(figure))
        return sent == 0 ? 0 : 100 * valid / sent;
    if (is_rate(figure) && !(trial.contains("window") && trial.at("window").is_object()))
        throw SetupError("--judge rate: a trial in the files was not made with --pace window, and "
                         "its answers per second do not say how fast a server is: judge other "
                         "figures");
    if (valid == 0)
        return std::nullopt;
    if (is_rate(figure))
        return trial.at("window").at("answered_rate").get<double>();
    const nlohmann::ordered_json &rtt = trial.at("rtt_ns").at(figure.name);
    if (rtt.is_null())
        return std::nullopt;
    return static_cast<double>(whole_number(rtt));
}

std::optional<double> difference(const GateFigure &figure, std::optional<double> baseline,
                                 std::optional<double> candidate)
{
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (!baseline && !candidate)
        return std::nullopt;
    if (!baseline || !candidate)
        return candidate ? -infinity : infinity;
    if (is_share(figure))
        return *baseline - *candidate;
    if (is_rate(figure))
        return 100 * (1 - *candidate / std::max(*baseline, 1.0));
    return 100 * (*candidate / std::max(*baseline, 1.0) - 1);
}

std::optional<double> median_of(const std::vector<GatePair> &rounds,
                                std::optional<double> GatePair::*side)
{
    std::vector<double> values;
    for (const GatePair &round : rounds)
        if (round.*side)
            values.push_back(*(round.*side));
    return values.empty() ? std::nullopt : std::optional(summarize(values).median);
}

std::string number_text(double number)
{
    return std::abs(number) < 1000 ? fmt::format("{:.3g}", number) : fmt::format("{:.0f}", number);
}

std::string signed_text(double number)
{
    return (number < 0 ? "" : "+") + number_text(number);
}

std::string amount_text(const GateFigure &figure, double amount)
{
    const std::string number = number_text(amount);
    return fmt::format("{} {}", number,
                       number == "1" && is_share(figure) ? "point" : unit_of(figure));
}

std::string difference_text(const GateFigure &figure, double difference)
{
    return amount_text(figure, std::abs(difference)) + (difference < 0 ? " better" : " worse");
}

KnownDifference known_by(const MedianBounds &bounds)
{
    const auto finite = [](double value) {
        return std::isfinite(value) ? std::optional(value) : std::nullopt;
    };
    return {finite(summarize(bounds.sorted()).median), finite(bounds.low()), finite(bounds.high())};
}

void fields_of(Fields &row, KnownDifference &known, const char *median)
{
    row.made("median_difference", known.median, median, is_signed);
    row.made("low", known.low,
             "the median difference is at least this, as far as the rounds show; null: not bounded",
             is_signed);
    row.made("high", known.high,
             "the median difference is at most this, as far as the rounds show; null: not bounded",
             is_signed);
}

} // namespace dnsgauge
