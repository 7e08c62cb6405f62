// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the trials of a gate, or takes them from files.
#pragma once

#include "gate/gate.h"
#include "series/trial_series.h"
#include "trial/trial_options.h"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the plan of a gate's trials. Lost queries never decide whether a trial counts. Otherwise
// a candidate that loses queries on a busy machine would keep only its lucky trials. Others and
// stalls are noise, which the random order makes fair.
[[nodiscard]] TrialPlan gate_plan();

struct GateRequest {
    // Each is a command that runs the server in the foreground, or files of results.
    std::vector<std::string> baseline{};
    std::vector<std::string> candidate{};
    GateFigures figures = parse_gate_figures("share,p50,p90");
    double error_percent = 5;
    Nanoseconds time = std::chrono::minutes(10); // for all rounds
    std::uint64_t rounds_most = 1000;
    unsigned invalid_retries = 10; // how often in a row a round with an invalid trial is made again
    std::uint64_t seed = 0;
    TrialPlan plan = gate_plan();
    BetweenTrials between{};
};

// Returns whether the texts are files of results; false if they are a command. Throws SetupError
// if they are neither.
[[nodiscard]] bool are_results(const GateRequest &request);

// Judges the trials in the files, which pair in their order. Throws SetupError.
[[nodiscard]] GateResult judge_files(const GateRequest &request);

// In each round starts the servers in turn and makes a trial of each. Ends when the verdict is
// known, when the time or the rounds are over, or when `stop` is set. Throws SetupError, also if a
// server ends by itself.
[[nodiscard]] GateResult run_gate(const GateRequest &request, const std::atomic<bool> &stop);

} // namespace dnsgauge
