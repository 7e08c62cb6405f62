// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// For how long clients keep a connection that they do not use.
#pragma once

#include "units/rate.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

struct IdleTimes {
    struct Share {
        Nanoseconds time{};
        unsigned percent = 0; // of the clients

        bool operator==(const Share &) const = default;
    };
    std::vector<Share> shares; // together 100 %

    // Returns the number in `shares` of the time that a client has. Each share is exact in every
    // hundred clients that begin at a multiple of a hundred.
    [[nodiscard]] std::size_t number_of(std::uint32_t client) const;
    [[nodiscard]] Nanoseconds of(std::uint32_t client) const
    {
        return shares[number_of(client)].time;
    }

    bool operator==(const IdleTimes &) const = default;
};

// Reads "10", seconds, or "0=40,10=35,30=25", seconds with percent of the clients that are 100
// together. Throws SetupError.
[[nodiscard]] IdleTimes parse_idle_times(std::string_view text);

// Returns the text that parse_idle_times() reads.
[[nodiscard]] std::string to_string(const IdleTimes &times);

} // namespace dnsgauge
