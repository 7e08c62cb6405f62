// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a Tester must be able to do before it may be used for a server at rate r with timeout t.
//
// Paper 002 section 4.3.3: it must answer its own queries at 2 r (1 + delta) within t / 4, delta at
// least 0.1. Two, because a DNS64 server asks its authoritative server up to twice for each query;
// a quarter, because the two answers may then take half of the time. RFC 8219 section 9.2.1 prints
// 2 (r + delta) instead, which at delta = 0.1 adds a fifth of a query per second to 2 r, whatever r
// is: that cannot have been meant, and paper 000 of the same authors says 220 %. The stricter of
// the two is what this is.
//
// For authoritative servers neither asks for a self-test. The same one is used: less than double
// the rate would be enough where each query has one answer, so what it allows is on the safe side.
#pragma once

#include "units/rate.h"

#include <cstdint>

namespace dnsgauge
{

class SelftestRule
{
public:
    static constexpr double delta_least = 0.1;
    static constexpr double delta_most = 10;

    // `delta` counts to six decimals.
    explicit SelftestRule(double delta = delta_least);

    [[nodiscard]] double delta() const;
    // At which the self-test for r is made, rounded up.
    [[nodiscard]] Rate rate_for(Rate r) const;
    // As RFC 8219 prints it, for the record.
    [[nodiscard]] double printed_rate_for(Rate r) const;
    // Within which it must have its answers, rounded down.
    [[nodiscard]] static constexpr Nanoseconds timeout_for(Nanoseconds t) { return t / 4; }

private:
    std::uint64_t delta_millionths_;
};

} // namespace dnsgauge
