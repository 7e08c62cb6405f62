// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A search's trials against the real server, and what has to be done between them so that none
// profits or suffers from the one before.
#pragma once

#include "trial/trial.h"
#include "workload/fresh_names.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>

namespace dnsgauge
{

struct BetweenTrials {
    Nanoseconds pause{};       // for the server to settle (RFC 2544 section 23)
    bool pauses_first = false; // before the first trial, too: others went before the series
    std::optional<std::string> command;
    Nanoseconds command_limit{};
    Nanoseconds ready_limit{}; // for the server to answer after the command
    std::optional<FreshNames> fresh_names;
};

// Looks at what a trial has come to before it is run; throws SetupError where it must not be.
using TrialCheck = std::function<void(const Circumstances &)>;

class TrialSeries
{
public:
    // `plan` is of every trial but for its rate and, with fresh names, its names.
    TrialSeries(
        TrialPlan plan, BetweenTrials between, const std::atomic<bool> &stop,
        std::function<void(const TrialProgress &)> progress,
        TrialCheck check = [](const Circumstances & /*any*/) {});

    // Empty: stopped before the trial began. `begun` trials have before. Throws SetupError: what
    // the trial or its check throws, the command failed, or the server did not become ready.
    [[nodiscard]] std::optional<TrialResult> run(Rate rate, std::uint64_t begun);

    // Until the server answers a query, as it must soon after `cause`. False: stopped. Throws
    // SetupError: it does not within the limit; and what `check` throws, which is called again and
    // again meanwhile.
    [[nodiscard]] bool wait_until_ready(
        const std::string &cause, const std::function<void()> &check = [] {}) const;

private:
    [[nodiscard]] bool pause() const;
    [[nodiscard]] std::string why_not_ready() const;

    TrialPlan plan_;
    BetweenTrials between_;
    const std::atomic<bool> &stop_;
    std::function<void(const TrialProgress &)> progress_;
    TrialCheck check_;
    bool is_first_ = true;
};

} // namespace dnsgauge
