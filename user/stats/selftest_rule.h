// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The rule of the self-test: what a Tester must be able to do before it may be used for a server at
// rate r with timeout t.
//
// Paper 002 section 4.3.3 demands that the Tester gets its queries at the rate 2 r (1 + delta)
// answered within t / 4, where delta is at least 0.1. The factor is two because a DNS64 server asks
// its authoritative server up to twice for each query. The timeout is a quarter, so that the two
// answers take at most half of the time. RFC 8219 section 9.2.1 prints 2 (r + delta) instead, which
// at delta = 0.1 adds a fifth of a query per second to 2 r, whatever r is. The RFC cannot mean
// that: paper 000, of the same authors, says 220 %. This rule is the stricter of the two.
//
// Neither source asks for a self-test where the server is authoritative. dnsgauge uses the same
// rule there. Less than double the rate would be enough where each query has one answer, so the
// rule is on the safe side.
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

    // Uses six decimals of `delta`.
    explicit SelftestRule(double delta = delta_least);

    [[nodiscard]] double delta() const;
    // Returns the rate of the self-test for r, rounded up.
    [[nodiscard]] Rate rate_for(Rate r) const;
    // Returns the rate that RFC 8219's printed formula gives, for the record.
    [[nodiscard]] double printed_rate_for(Rate r) const;
    // Returns the timeout of the self-test's queries, rounded down.
    [[nodiscard]] static constexpr Nanoseconds timeout_for(Nanoseconds t) { return t / 4; }

private:
    std::uint64_t delta_millionths_;
};

} // namespace dnsgauge
