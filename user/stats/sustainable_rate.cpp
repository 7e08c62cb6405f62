// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/sustainable_rate.h"

#include <fmt/format.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

double spread(std::span<const double> values)
{
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    const double middle = (*least + *greatest) / 2;
    return middle == 0 ? 0 : (*greatest - *least) / middle * 100;
}

bool is_one_duration(std::span<const RateAtDuration> rates)
{
    return std::all_of(rates.begin(), rates.end(), [&rates](const RateAtDuration &rate) {
        return rate.duration == rates.front().duration;
    });
}

void decide(SustainableRates &rates, bool one_duration)
{
    if (one_duration) {
        rates.verdict = Sustainability::undecided;
        rates.why = "trials of one duration cannot show what a server gains by storing requests";
    } else if (rates.calculated_spread > sustainable_spread_most) {
        rates.verdict = Sustainability::wrong;
        rates.why =
            fmt::format("wrong: the calculated rates differ by {:.1f} %, so the formula does not "
                        "describe this server",
                        rates.calculated_spread);
    } else if (rates.measured_spread > sustainable_spread_most) {
        rates.verdict = Sustainability::applies;
        rates.why =
            fmt::format("the calculated rates agree within {:.1f} %, the measured ones differ "
                        "by {:.1f} %: this server stores requests",
                        rates.calculated_spread, rates.measured_spread);
    } else {
        rates.verdict = Sustainability::undecided;
        rates.why = fmt::format("the measured rates differ by {:.1f} % only: shorter trials are "
                                "needed to tell",
                                rates.measured_spread);
    }
}

} // namespace

double sustainable_rate(double rate, Nanoseconds duration, Nanoseconds timeout)
{
    return rate * seconds(duration) / seconds(duration + timeout);
}

double timeout_gain_most(Nanoseconds duration, Nanoseconds timeout)
{
    return seconds(timeout) / seconds(duration + timeout) * 100;
}

SustainableRates judge_sustainability(std::span<const RateAtDuration> rates, Nanoseconds timeout)
{
    SustainableRates result;
    std::vector<double> measured;
    for (const RateAtDuration &rate : rates) {
        measured.push_back(rate.rate);
        result.calculated.push_back(sustainable_rate(rate.rate, rate.duration, timeout));
        result.gain_most.push_back(timeout_gain_most(rate.duration, timeout));
    }
    result.measured_spread = spread(measured);
    result.calculated_spread = spread(result.calculated);
    decide(result, is_one_duration(rates));
    return result;
}

} // namespace dnsgauge
