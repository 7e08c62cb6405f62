// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of trials, a row each. A new option is a row here and a member of TrialPlan. The
// order of the rows is also the order in a self-test's set-up.
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

// Both return options of trials. The first has the options that describe Tester, server, transport,
// duration and zone. The second has these and all others but --rate.
[[nodiscard]] Options tester_options(TrialPlan &plan);
[[nodiscard]] Options trial_options(TrialPlan &plan);

// Returns the options that say by which intervals a trial's queries are counted.
[[nodiscard]] Options interval_options(TrialPlan &plan);

// Returns the default length of a trial's intervals: one second, or more if there would be more
// than 600 intervals.
[[nodiscard]] Nanoseconds usual_interval(Nanoseconds duration, const Pace &pace = {});

// Returns the options of trials that play captures.
[[nodiscard]] Options replay_options(TrialPlan &plan);

// Returns the rate that the user gave; 0 if the plan's pace or captures have rates of their own.
// Throws OptionError if the plan needs a rate and none was given, or the other way round.
[[nodiscard]] Rate checked_rate(const std::optional<Rate> &given, const TrialPlan &plan);

// Completes the plan from the options that were read into it. Throws OptionError if options
// contradict each other, or if none says what to ask.
void complete(TrialPlan &plan);
// Fills in the timeout and the prefix of right answers if none were given. Checks nothing.
void fill_in(TrialPlan &plan);

// Returns the default timeout of trials against such a server: RFC 8219 section 9.2.1 and Lencse
// 2020 section III.
[[nodiscard]] Nanoseconds usual_timeout(Dut dut);

// Returns what RFCs advise against in the plan, as notes for the user.
[[nodiscard]] std::vector<std::string> notes_on(const TrialPlan &plan);

} // namespace dnsgauge
