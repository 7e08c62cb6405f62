// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "stats/selftest_rule.h"

#include <cmath>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t million = 1'000'000;

} // namespace

SelftestRule::SelftestRule(double delta)
    : delta_millionths_(static_cast<std::uint64_t>(std::llround(delta * million)))
{
}

double SelftestRule::delta() const
{
    return static_cast<double>(delta_millionths_) / million;
}

// Calculates in whole numbers: in binary fractions 2 * 10 * 1.1 is more than 22.
Rate SelftestRule::rate_for(Rate r) const
{
    __extension__ using wide = unsigned __int128;
    const wide millionths = wide{2} * r.per_second * (million + delta_millionths_);
    return Rate{static_cast<std::uint64_t>((millionths + million - 1) / million)};
}

double SelftestRule::printed_rate_for(Rate r) const
{
    return 2 * (static_cast<double>(r.per_second) + delta());
}

} // namespace dnsgauge
