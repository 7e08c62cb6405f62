// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Converts the kernel's receive stamps, of CLOCK_REALTIME, to times of CLOCK_MONOTONIC.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace dnsgauge
{

[[nodiscard]] inline std::int64_t realtime_ns()
{
    return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
}

// Knows the distance of the two clocks. Somebody may set the real-time clock: stamps from before
// such a step have no known time.
class StampClock
{
public:
    // Takes a reading of the real-time clock between two readings of the monotonic one. Calls come
    // in the order of time. An interruption between the readings makes the distance less sure, but
    // is no step.
    void look(std::int64_t before_ns, std::int64_t real_ns, std::int64_t after_ns)
    {
        const std::int64_t unsure = (after_ns - before_ns) / 2;
        const std::int64_t ahead = real_ns - before_ns - unsure;
        const std::int64_t unsure_by_now = unsure_ + (before_ns - now_) / slewing;
        const bool steps = std::abs(ahead - ahead_) > jitter_ns + unsure + unsure_by_now;
        if (!has_looked_)
            since_ = before_ns - first_reach_ns;
        else if (steps)
            since_ = after_ns;
        const bool is_surer = !has_looked_ || steps || unsure <= unsure_by_now;
        ahead_ = is_surer ? ahead : ahead_;
        unsure_ = is_surer ? unsure : unsure_by_now;
        now_ = after_ns;
        has_looked_ = true;
    }

    // Returns when the stamp was taken; nothing if it is from before the last step of the clock, or
    // after the last reading.
    [[nodiscard]] std::optional<std::int64_t> monotonic(std::int64_t stamp_ns) const
    {
        const std::int64_t at = stamp_ns - ahead_;
        if (at <= since_ || at > now_ + jitter_ns + unsure_)
            return std::nullopt;
        return at > now_ ? now_ : at;
    }

private:
    // If the clock is not set, two distances differ at most by the jitter and by 1/1000 of the time
    // between them: the kernel never slews its clock by more than 1/2000.
    static constexpr std::int64_t jitter_ns = 2000;
    static constexpr std::int64_t slewing = 1000;
    static constexpr std::int64_t first_reach_ns = 1'000'000'000;

    bool has_looked_ = false;
    std::int64_t ahead_ = 0;  // CLOCK_REALTIME less CLOCK_MONOTONIC
    std::int64_t unsure_ = 0; // of that, either way
    std::int64_t now_ = 0;    // the last look
    std::int64_t since_ = 0;  // no step since then
};

} // namespace dnsgauge
