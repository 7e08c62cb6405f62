// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The figures of a trial that a gate judges, each with its margin.
#pragma once

#include "record/fields.h"
#include "stats/median_bounds.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct GateFigure {
    std::string name; // "share", "rate", or a percentile of dnsgauge/trial/1's rtt_ns
    // The candidate is slower if its figure is worse by more than this. The unit of "share" is
    // percentage points of the queries. The other figures have percent of their value.
    double margin = 0;
};

using GateFigures = std::vector<GateFigure>;

// A round's values of a figure: percent, answers per second, or nanoseconds. A missing value means
// that no query was answered.
struct GatePair {
    std::optional<double> baseline{};
    std::optional<double> candidate{};
};

// What the rounds show about a figure's differences. A missing value is infinite, or not yet known.
struct KnownDifference {
    std::optional<double> median{};
    std::optional<double> low{}; // bounds of the median
    std::optional<double> high{};
};

// Returns what these bounds show. They must have at least one difference.
[[nodiscard]] KnownDifference known_by(const MedianBounds &bounds);

inline constexpr FieldForm is_signed{.is_signed = true};

// `median` is the meaning of the median.
void fields_of(Fields &row, KnownDifference &known, const char *median);

[[nodiscard]] bool is_share(const GateFigure &figure);
// Returns whether the figure is the answers per second of a window.
[[nodiscard]] bool is_rate(const GateFigure &figure);
// Returns the unit of the margin and of differences.
[[nodiscard]] const char *unit_of(const GateFigure &figure);

// Returns the figures in a text such as "share=0.1,p50=5,p90". A figure without a margin gets the
// usual one. Throws SetupError.
[[nodiscard]] GateFigures parse_gate_figures(const std::string &text);
[[nodiscard]] std::string to_string(const GateFigures &figures);

// Returns the figure of a trial in the form dnsgauge/trial/1: percent of the queries, answers per
// second, or nanoseconds; nothing if no query was answered. Throws SetupError if the figure needs a
// window, and the trial had none. Throws nlohmann::json::exception.
[[nodiscard]] std::optional<double> value_of(const GateFigure &figure,
                                             const nlohmann::ordered_json &trial);

// Returns by how much the candidate is worse, in unit_of(); infinite if one of the two answered no
// query, and nothing if neither did.
[[nodiscard]] std::optional<double> difference(const GateFigure &figure,
                                               std::optional<double> baseline,
                                               std::optional<double> candidate);

// Returns the median of the values of one server; nothing if there are none.
[[nodiscard]] std::optional<double> median_of(const std::vector<GatePair> &rounds,
                                              std::optional<double> GatePair::*side);

// Returns the number with three significant digits, and at least with its whole part.
[[nodiscard]] std::string number_text(double number);
// Returns the same with a sign in front.
[[nodiscard]] std::string signed_text(double number);
// Returns "5 %" or "1 point".
[[nodiscard]] std::string amount_text(const GateFigure &figure, double amount);
// Returns "5 % worse" or "5 % better".
[[nodiscard]] std::string difference_text(const GateFigure &figure, double difference);

} // namespace dnsgauge
