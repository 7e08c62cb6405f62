// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The kernel's receive stamps, which are of CLOCK_REALTIME, as times of CLOCK_MONOTONIC.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace dnsgauge
{

[[nodiscard]] inline std::int64_t monotonic_ns()
{
    return std::chrono::steady_clock::now().time_since_epoch().count();
}
[[nodiscard]] inline std::int64_t realtime_ns()
{
    return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Knows how far the two clocks are apart. Somebody may set the real-time clock: stamps from before
// such a step have no known time.
class StampClock
{
public:
    // Takes note of a look at both clocks at once. Looks come in their order.
    void look(std::int64_t monotonic_ns, std::int64_t real_ns)
    {
        const std::int64_t ahead = real_ns - monotonic_ns;
        const std::int64_t passed = monotonic_ns - now_;
        if (!has_looked_)
            since_ = monotonic_ns - first_reach_ns;
        else if (std::abs(ahead - ahead_) > jitter_ns + passed / slewing)
            since_ = monotonic_ns;
        has_looked_ = true;
        ahead_ = ahead;
        now_ = monotonic_ns;
    }

    // Returns when the stamp was taken; nothing if that was not between the last step of the clock
    // and the last look.
    [[nodiscard]] std::optional<std::int64_t> monotonic(std::int64_t stamp_ns) const
    {
        const std::int64_t at = stamp_ns - ahead_;
        if (at <= since_ || at > now_ + jitter_ns)
            return std::nullopt;
        return at > now_ ? now_ : at;
    }

private:
    // Two looks may differ by so much if the clock is not set, and by 1/1000 of the time between
    // them: the kernel never slews its clock by more than 1/2000.
    static constexpr std::int64_t jitter_ns = 2000;
    static constexpr std::int64_t slewing = 1000;
    static constexpr std::int64_t first_reach_ns = 1'000'000'000;

    bool has_looked_ = false;
    std::int64_t ahead_ = 0; // CLOCK_REALTIME less CLOCK_MONOTONIC
    std::int64_t now_ = 0;   // the last look
    std::int64_t since_ = 0; // no step since then
};

} // namespace dnsgauge
