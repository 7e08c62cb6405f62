// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of trials, a row for each. A new option is a row here and a member of TrialPlan. A
// self-test's set-up has the options in the order of the rows.
#pragma once

#include "options/option.h"
#include "system/words.h"
#include "trial/plan.h"

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

inline constexpr double duration_most = 7 * 86400; // seconds
inline constexpr double timeout_most = 60;         // seconds; an RTT has 36 bits of nanoseconds

inline constexpr auto duts =
    words<Dut>({{Dut::authoritative, "authoritative"}, {Dut::dns64, "dns64"}});

// Returns a plan with the defaults of all options.
[[nodiscard]] TrialPlan usual_plan();

// Return options of trials. tester_options() has those that describe Tester, server, transport,
// duration and zone. trial_options() has these and all others except --rate.
[[nodiscard]] Options tester_options(TrialPlan &plan);
[[nodiscard]] Options trial_options(TrialPlan &plan);

// Returns the options for intervals.
[[nodiscard]] Options interval_options(TrialPlan &plan);

// Returns the default length of a trial's intervals: one second, or more if there would be more
// than 600 intervals.
[[nodiscard]] Nanoseconds usual_interval(Nanoseconds duration, const Pace &pace = {});

// Returns the options of trials that play captures.
[[nodiscard]] Options replay_options(TrialPlan &plan);

// Returns the rate that the user gave; 0 if the plan's pace or captures have their own rates.
// Throws OptionError if the plan needs a rate and none was given, or a rate was given and the plan
// needs none.
[[nodiscard]] Rate checked_rate(const std::optional<Rate> &given, const TrialPlan &plan);

// Completes the plan from the options that were read into it. Throws OptionError if options
// contradict each other, or if no option says what to ask.
void complete(TrialPlan &plan);
// Fills in the timeout and the prefix of right answers if none were given. Checks nothing.
void fill_in(TrialPlan &plan);

// Returns the default timeout for a kind of server: RFC 8219 section 9.2.1 and Lencse 2020 section
// III.
[[nodiscard]] Nanoseconds usual_timeout(Dut dut);

// Returns what RFCs advise against in the plan, as notes for the user.
[[nodiscard]] std::vector<std::string> notes_on(const TrialPlan &plan);

} // namespace dnsgauge
