// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Decides whether a server is slower than another one. Each round has a trial of both servers, and
// the gate decides after each round.
#pragma once

#include "gate/gate_figures.h"
#include "gate/gate_probe.h"
#include "record/fields.h"
#include "result/trial_result.h"
#include "system/words.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

enum class GateVerdict { not_slower, slower, cannot_tell };

inline constexpr auto gate_verdicts =
    words<GateVerdict>({{GateVerdict::not_slower, "not slower"},
                        {GateVerdict::slower, "slower"},
                        {GateVerdict::cannot_tell, "cannot tell"}});

// A round's values, and what was known after the round. A missing value is infinite, or unknown.
struct GateRound {
    GatePair values{};
    std::optional<double> difference{};
    std::optional<double> low{};
    std::optional<double> high{};
};

// The difference, as far as it is known, in the round that decided; if none decided, in all rounds.
struct JudgedFigure : KnownDifference {
    GateFigure figure{};
    std::vector<GateRound> rounds{};
    GateVerdict verdict = GateVerdict::cannot_tell;
    std::uint64_t decided_in = 0; // the round; 0 if none
};

// Decides after each round. Whatever the number of rounds, and whatever ends them,
//
// - if no figure is worse by more than its margin, the verdict is `slower` with a probability of at
//   most `error`. Each of k figures has error/k of it (Bonferroni);
// - if a figure is worse by more than its margin, the verdict is `not slower` with a probability of
//   at most `error`. All figures must be shown not to be worse, so each has the whole error
//   (Berger, Technometrics 24, 1982).
//
// A coin orders each round. If the servers differ by a factor, only the coin decides on which side
// of that factor a round's ratio lies, whatever the machine does meanwhile. So the bounds use signs
// (stats/median_bounds.h), though other bounds would need fewer rounds for normal noise.
class Gate
{
public:
    Gate(const GateFigures &figures, double error_percent);

    // Takes the trials of a round, in the form dnsgauge/trial/1. Throws nlohmann::json::exception.
    void feed(const nlohmann::ordered_json &baseline, const nlohmann::ordered_json &candidate);
    // Takes the values of a round, one pair for each figure.
    void feed(const std::vector<GatePair> &values);

    [[nodiscard]] GateVerdict verdict() const;
    [[nodiscard]] const std::vector<JudgedFigure> &figures() const { return figures_; }
    [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
    // Returns whether another round is needed: there is no verdict yet, or the rounds are too few
    // to bound the stages that a probe saw.
    [[nodiscard]] bool needs_rounds() const;
    // Returns what a probe saw; nothing if no trial had a probe.
    [[nodiscard]] std::optional<GateProbe> probe() const { return probe_.seen(error_percent_); }

private:
    double error_percent_;
    std::vector<JudgedFigure> figures_;
    std::vector<MedianBounds> bounds_; // of each figure
    ProbeComparison probe_;
    std::uint64_t rounds_ = 0;
};

// What dnsgauge/gate/1 tells.
struct GateResult {
    std::vector<std::string> command{};
    std::vector<std::string> baseline{}; // a command, or files
    std::vector<std::string> candidate{};
    bool has_trials = false;             // the gate made trials; false if it read them from files
    std::optional<std::uint64_t> seed{}; // of the order
    std::vector<std::string> first{};    // in each round: baseline, candidate
    double error_percent = 0;
    Nanoseconds spent{};
    std::uint64_t invalid_trials = 0;
    GateVerdict verdict = GateVerdict::cannot_tell;
    std::string why{};
    std::vector<JudgedFigure> figures{};
    std::optional<GateProbe> probe{};
    std::vector<std::string> doubts{};
    std::optional<Circumstances> circumstances{}; // of the last trial

    [[nodiscard]] std::uint64_t rounds() const
    {
        return figures.empty() ? 0 : figures.front().rounds.size();
    }
};

// Puts the gate's decision into the result. If there is no verdict, `end` tells what ended the
// rounds.
void conclude(GateResult &result, const Gate &gate, const std::string &end);

void fields(Fields &row, GateResult &result);

// Returns the line for a log, without its end.
[[nodiscard]] std::string to_text(const GateResult &result);
// Returns lines with what a probe saw, each with its end; empty if there was no probe.
[[nodiscard]] std::string probe_text(const GateResult &result);
// Returns the number of doubts and the first doubt; empty if there are none.
[[nodiscard]] std::string doubts_text(const GateResult &result);
// Returns a comment for a review: the line, a table of the figures, and what a probe saw.
[[nodiscard]] std::string to_markdown(const GateResult &result);
// Returns a suite in JUnit's form with a test case for each figure. A slower figure is a failure,
// and an undecided one an error. The gate ran on this host, and ended at this time.
[[nodiscard]] std::string to_junit(const GateResult &result, const std::string &host,
                                   std::chrono::system_clock::time_point ended);

} // namespace dnsgauge
