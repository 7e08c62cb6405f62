// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The knee of a closed loop: the number of open queries from which on more of them bring no more
// answers per second.
//
// A run is a trial at each window. Each run gets its own least-squares fit of two lines that meet
// at the knee, log answers per second by log open queries. The knee that is told is the geometric
// mean of the runs' knees, and its interval is Student's t over the runs' logarithms. So it allows
// for all that scatters from run to run, and runs must be several.
//
// Beyond the knee answers may fall, where a server's buffers are full. The fit leaves such windows
// out: it ends with the last window with at least 90 % of the highest mean.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

// A figure with the ends of its interval.
struct Bounded {
    double value = 0;
    double low = 0;
    double high = 0;
};

struct Knee {
    // Missing if none is told.
    std::optional<Bounded> open{};
    double answered_rate = 0; // answers per second at the knee, by the runs' geometric mean
    // By what answers per second are multiplied where the open queries are doubled, below the knee
    // and above it.
    Bounded below{};
    Bounded above{};
    // The first window after the fit, from which on answers are fewer; missing if none is.
    std::optional<double> falls_from{};
    std::size_t runs = 0;
    std::string why_not{}; // the reason why none is told
};

inline constexpr double knee_confidence = 0.95;
inline constexpr std::size_t knee_runs_least = 3;
inline constexpr std::size_t knee_windows_least = 5;
// Above a knee twice as many open queries bring at most this multiple of the answers.
inline constexpr double knee_gain_most = 1.1;

// Returns the knee. `open` ascends; each run has a rate above 0 for each of its values.
[[nodiscard]] Knee find_knee(std::span<const double> open,
                             std::span<const std::vector<double>> runs);

} // namespace dnsgauge
