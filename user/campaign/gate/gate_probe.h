// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a probe saw of both servers of a gate: where time went, and where queries were lost. This
// has no part in the verdict.
#pragma once

#include "gate/gate_figures.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// The difference of a figure: the candidate's less the baseline's.
struct SeenFigure : KnownDifference {
    std::vector<GatePair> rounds{}; // with both values
};

// The median time of a stage, in nanoseconds; differences are percent.
struct SeenStage {
    std::string name;
    SeenFigure figure{};
};

// Queries that were lost in one way, in percent of all; differences are percentage points.
struct SeenFate {
    std::string name; // in words
    SeenFigure figure{};
    std::uint64_t baseline = 0; // queries of all rounds
    std::uint64_t candidate = 0;
};

struct GateProbe {
    std::vector<SeenStage> stages{}; // in the order in which a query meets them
    std::vector<SeenFate> fates{};
    std::uint64_t baseline = 0; // queries that were sent, of a sample those that were followed
    std::uint64_t candidate = 0;
};

// Compares what a probe saw in each round. Bounds the median differences like a gate's figures. The
// error is the probability that the low bound of any stage is wrong at any time. High bounds have
// the same error. So do the fates that were seen, together.
class ProbeComparison
{
public:
    // Takes the trials of a round, in the form dnsgauge/trial/1. Throws nlohmann::json::exception.
    void feed(const nlohmann::ordered_json &baseline, const nlohmann::ordered_json &candidate);

    // Returns whether a probe saw rounds, and too few of them to bound the stages.
    [[nodiscard]] bool needs_rounds(double error_percent) const;
    // Returns what was seen; nothing if no trial had a probe.
    [[nodiscard]] std::optional<GateProbe> seen(double error_percent) const;

private:
    struct Lost {
        std::vector<GatePair> rounds{};
        std::uint64_t baseline = 0;
        std::uint64_t candidate = 0;
    };

    std::map<std::string, std::vector<GatePair>> stages_;
    std::vector<std::pair<std::string, Lost>> fates_; // in the order in which they were first seen
    std::uint64_t rounds_ = 0;
    std::uint64_t baseline_ = 0;
    std::uint64_t candidate_ = 0;
};

void fields(Fields &row, GateProbe &probe);

// Returns a line about the stages and a line about lost queries, each with its end.
[[nodiscard]] std::string to_text(const GateProbe &probe);
// Returns these lines, and a table of the same.
[[nodiscard]] std::string to_markdown(const GateProbe &probe);

} // namespace dnsgauge
