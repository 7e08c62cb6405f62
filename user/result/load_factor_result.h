// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How many clients' traffic at once a resolver bears: plain values, which all rooms may use.
#pragma once

#include "result/replay_result.h"
#include "userland/words.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// What shows that a resolver is overloaded, against the baseline.
enum class OverloadSign {
    unanswered, // more queries than the margin allows are not answered, beyond chance
    latency,    // the latency curves separate: the bands of the runs do not overlap
};

inline constexpr auto overload_signs = words<OverloadSign>(
    {{OverloadSign::unanswered, "unanswered"}, {OverloadSign::latency, "latency"}});

// The runs that a replay must have for its latency to be compared: the bands of two times seven
// equal runs separate at one point in 3,432, so that in a search of some ten comparisons, of some
// six parts of the curve each, chance does so in one of fifty.
inline constexpr std::size_t runs_with_bands = 7;

struct Overload {
    std::uint32_t load_factor = 0;
    OverloadSign sign = OverloadSign::unanswered;
    std::string why;
};

// A load factor whose runs scatter too much to tell whether the resolver was overloaded.
struct Undecided {
    std::uint32_t load_factor = 0;
    std::string why;
};

struct LoadFactorResult {
    double margin_percent = 0;
    std::uint32_t most = 0;               // the highest load factor that may be tried
    std::vector<std::uint32_t> factors{}; // that were tried, in their order; the first is 1
    std::vector<ReplayResult> replays{};  // of these factors; the last one may be cut short
    std::optional<std::uint32_t> borne{}; // the highest without overload; absent: none is known
    std::optional<Overload> overload{};   // the lowest with it; absent: none was found
    std::optional<Undecided> undecided{}; // where the runs could not tell, which ended the search
    unsigned runs_most = 0;               // that a load factor may have
    std::vector<std::string> doubts{};    // what may have had a part in the load factor
    TrialsEnd end = TrialsEnd::complete;
};

} // namespace dnsgauge
