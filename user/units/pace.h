// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The pace of a trial: the rule by which its queries are due.
#pragma once

#include "units/rate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace dnsgauge
{

struct Pace {
    enum class Kind {
        constant, // one query each 1 / rate
        poisson,  // at random, independent of each other
        steps,    // at a constant rate, and then at the next one
        ramp,     // at a rate that rises evenly
        original, // at the times of captures
        window,   // when another one is answered or times out
    };

    Kind kind = Kind::constant;
    std::uint64_t seed = 1; // Poisson: of the random numbers
    // The rates of steps are from, from + step, ... up or down to `to`. A ramp's rate rises from
    // `from` to `to`.
    Rate from{};
    Rate to{};
    std::uint64_t step = 0;
    // The queries that each sender of a window keeps open, and the rate of all senders together
    // that they do not exceed, if there is one.
    std::uint64_t window = 0;
    std::optional<Rate> most{};

    // Returns the number of rates of steps.
    [[nodiscard]] std::uint64_t rates() const;
    // Returns whether the pace says at which rates queries are due.
    [[nodiscard]] bool has_rates() const { return kind == Kind::steps || kind == Kind::ramp; }

    auto operator<=>(const Pace &) const = default;
};

// A sender keeps no more queries open than these.
inline constexpr std::uint64_t window_most = 10'000;

// Reads constant, poisson, poisson=SEED, steps=FROM:TO:STEP, ramp=FROM:TO, original, window=N or
// window=N,rate=R. Throws SetupError.
[[nodiscard]] Pace parse_pace(std::string_view text);

// Returns the text that parse_pace() reads.
[[nodiscard]] std::string to_string(const Pace &pace);

// The schedule of a whole trial, which all senders share.
struct SchedulePlan {
    Pace pace{};
    Rate rate;              // of steps, ramps and captures: the mean; of a window: the highest
    Nanoseconds duration{}; // all queries are due in this time

    // Returns the highest rate of a window, which is no limit where the user gave none.
    [[nodiscard]] static Rate highest_of(const Pace &window);

    // Returns the plan of a pace that has rates, with their mean.
    [[nodiscard]] static SchedulePlan of_rates(const Pace &pace, Nanoseconds duration);

    // These functions are for a pace of steps. They return when step `number` begins, its rate, and
    // how many queries are due in it. The number of rates stands for the last step's end.
    [[nodiscard]] Nanoseconds begin_of(std::uint64_t number) const;
    [[nodiscard]] Rate rate_of(std::uint64_t number) const;
    [[nodiscard]] std::uint64_t queries_in_step(std::uint64_t number) const;

    // Returns the rate of a ramp at a time from its start.
    [[nodiscard]] long double ramp_at(Nanoseconds time) const;
    // Returns when query `index` of a ramp is due: when the rates until then add up to that number
    // of queries.
    [[nodiscard]] Nanoseconds due_in_ramp(std::uint64_t index) const;

    // Returns how many queries are due. In a window it is the most that may be sent.
    [[nodiscard]] std::uint64_t queries() const;
    // Returns how many queries are due before `time`, which is no later than the duration. At a
    // Poisson pace it is the mean of all seeds.
    [[nodiscard]] std::uint64_t queries_before(Nanoseconds time) const;
    // Returns a rate that no span of `time` exceeds. A Poisson pace exceeds it in one of 10^15
    // cases. A window has no such rate: its senders have slots for the returned one, and wait where
    // these are in use.
    [[nodiscard]] Rate peak(Nanoseconds time) const;
};

} // namespace dnsgauge
