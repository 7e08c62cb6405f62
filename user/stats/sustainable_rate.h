// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The sustainable rate: the rate that a server could keep for ever (paper 002 section 6.6, formulas
// (1) to (3)). In a short trial a server stores requests, and answers them within the timeout after
// the last request. The formulas assume that this is all that the server gains.
#pragma once

#include "units/rate.h"

#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

// A search's median rate, and the duration of its trials.
struct RateAtDuration {
    Nanoseconds duration{};
    double rate = 0; // queries per second
};

enum class Sustainability {
    applies,   // the measured rates differ with the duration, the calculated ones do not
    wrong,     // the calculated rates differ: the formula does not describe this server
    undecided, // nothing differs, or there is one duration only: the data cannot tell
};

struct SustainableRates {
    std::vector<double> calculated; // in the order given
    std::vector<double> gain_most;  // likewise: timeout_gain_most() of each
    double measured_spread = 0;     // greatest minus least over the mean of both, percent
    double calculated_spread = 0;
    Sustainability verdict = Sustainability::undecided;
    std::string why;
};

// Rates calculated from trials of different durations agree when they spread by no more than this,
// in percent. In paper 002 the spread is 0.2, 0.6 and 0.2 where the authors say that the rates
// agree (Tables 1 to 3), and 14 and 10 where they say that the rates are wrong (Tables 4 and 5).
inline constexpr double sustainable_spread_most = 1;

// Returns formula (1): duration × rate / (duration + timeout).
[[nodiscard]] double sustainable_rate(double rate, Nanoseconds duration, Nanoseconds timeout);

// Returns the largest share of a measured rate, in percent, that storing requests can have gained.
[[nodiscard]] double timeout_gain_most(Nanoseconds duration, Nanoseconds timeout);

// Returns the row of calculated rates and the verdict on it. `rates` is not empty.
[[nodiscard]] SustainableRates judge_sustainability(std::span<const RateAtDuration> rates,
                                                    Nanoseconds timeout);

} // namespace dnsgauge
