// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The trials of a series against the real server, and the work between them, which keeps a trial
// from profiting or suffering from the previous one.
#pragma once

#include "machine/interface.h"
#include "trial/trial.h"
#include "workload/fresh_names.h"

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace dnsgauge
{

// The default pause, by RFC 2544 section 23.
inline constexpr Nanoseconds usual_pause = std::chrono::seconds(5);

// Returns the additional pause before a trial that follows `retries` invalid ones in a row, because
// their cause may pass. It is 0 if `retries` is 0.
[[nodiscard]] Nanoseconds retry_pause(unsigned retries);

struct BetweenTrials {
    Nanoseconds pause{}; // for the server to settle (RFC 2544 section 23)
    // Whether to pause before the first trial, too, because other trials came before the series.
    bool pauses_first = false;
    std::optional<std::string> command{};
    Nanoseconds command_limit{};
    std::string ready_limit_name = "--ready-timeout";         // what the user calls the limit
    std::string after_mending = ", then go on with --resume"; // the end of the same message
    Nanoseconds ready_limit{}; // for the server to answer after the command
    std::optional<FreshNames> fresh_names{};
};

// Checks a trial before it runs. Throws SetupError if the trial must not run.
using TrialCheck = std::function<void(const Trial &)>;

// Holds the interface from its construction to its end, so that no other series and no trial of
// another process gets in between two trials.
class TrialSeries
{
public:
    // `plan` is the plan of every trial, except for the rate and, with fresh names, the names.
    TrialSeries(
        TrialPlan plan, BetweenTrials between, const std::atomic<bool> &stop,
        std::function<void(const TrialProgress &)> progress,
        TrialCheck check = [](const Trial & /*any*/) {});

    // Makes a trial, with the plan's duration and pace unless others are given. `begun` trials
    // began before this one, and the last `retries` of them were invalid. Returns nothing if the
    // series was stopped before the trial began. Throws SetupError if the command failed or the
    // server did not become ready. Throws what the trial and its check throw.
    [[nodiscard]] std::optional<TrialResult> run(Rate rate, std::uint64_t begun,
                                                 std::optional<Nanoseconds> duration = {},
                                                 unsigned retries = 0,
                                                 const std::optional<Pace> &pace = {});

    // Waits until the server answers a query. Messages name `cause`, after which it must answer.
    // Calls `check` again and again meanwhile. Returns false if the series was stopped. Throws
    // SetupError if the server does not answer within the limit. Throws what `check` throws.
    [[nodiscard]] bool wait_until_ready(
        const std::string &cause, const std::function<void()> &check = [] {}) const;

    // Returns whether the server answers a query now.
    [[nodiscard]] bool is_ready() const { return why_not_ready().empty(); }

    // Makes the next trials play the captures from this slice on, for `duration` at most. Throws
    // SetupError.
    void play_from(std::uint32_t first_slice, Nanoseconds duration);

private:
    [[nodiscard]] bool pause(Nanoseconds how_long) const;
    void check_way_back();
    [[nodiscard]] std::string why_not_ready() const;

    TrialPlan plan_;
    BetweenTrials between_;
    const std::atomic<bool> &stop_;
    std::function<void(const TrialProgress &)> progress_;
    TrialCheck check_;
    std::optional<InterfaceHold> hold_;
    bool is_first_ = true;
    bool has_way_back_ = false; // to the addresses of --clients, as far as is known
};

} // namespace dnsgauge
