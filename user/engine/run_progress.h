// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How far a run has come, and what it did in the last second.
#pragma once

#include <cstdint>
#include <deque>

namespace dnsgauge
{

struct RunProgress {
    double elapsed_s = 0;
    std::uint64_t sent = 0;
    std::uint64_t valid = 0;
    std::uint64_t wrong = 0; // late or invalid
};

// Compares looks at a run, which come some fifth of a second apart.
class LastSecond
{
public:
    // Takes a look. Returns what has come since the look a second ago, or since the run began.
    RunProgress look(const RunProgress &now)
    {
        while (!past_.empty() && now.elapsed_s - past_.front().elapsed_s > second) {
            before_ = past_.front();
            past_.pop_front();
        }
        past_.push_back(now);
        return {.elapsed_s = now.elapsed_s - before_.elapsed_s,
                .sent = now.sent - before_.sent,
                .valid = now.valid - before_.valid,
                .wrong = now.wrong - before_.wrong};
    }

private:
    // Less than a second, because a look may be early or late by half the distance of two looks.
    static constexpr double second = 0.9;

    RunProgress before_;           // a second ago
    std::deque<RunProgress> past_; // since then
};

} // namespace dnsgauge
