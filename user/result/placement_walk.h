// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a self-test found when it tried placements of the Tester: plain values.
#pragma once

#include "stats/summary.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct WalkedPlacement {
    unsigned sender_cpu = 0;
    std::optional<unsigned> sender_queue{}; // missing if it is the usual one
    // Settings of dnsgauge placement apply, by name. No setting means the machine as it is.
    std::map<std::string, std::string> settings{};
    // The highest r that each search found, queries per second; 0 if none passed.
    std::vector<std::uint64_t> rates{};

    // Returns how far the rates lie apart; all zero if there are none.
    [[nodiscard]] Band spread() const
    {
        return band_of(std::vector<double>(rates.begin(), rates.end())).value_or(Band{});
    }
};

// Placements of one part of the Tester, tried in turn, round after round.
struct PlacementStage {
    std::string part{};
    std::vector<WalkedPlacement> walked{}; // the usual placement first
    std::size_t best = 0;                  // the usual one unless another is better
    std::optional<double> gain_percent{};  // of the best median; missing if it is the usual one
    std::string found{};                   // the finding as a clause: "found CPU 1 best: ..."

    [[nodiscard]] const WalkedPlacement &chosen() const { return walked.at(best); }
};

struct PlacementWalk {
    std::string finished;                // UTC, ISO 8601
    std::uint64_t repeat = 0;            // searches of each placement
    std::vector<PlacementStage> stages;  // each begins with the best placement of the previous one
    std::vector<std::string> not_walked; // parts that cannot be placed here, and why

    [[nodiscard]] const WalkedPlacement &best() const { return stages.back().chosen(); }
};

// The parts, as `PlacementStage::part` names them.
inline constexpr const char *sender_part = "sender";
inline constexpr const char *transmit_part = "transmit queue";
inline constexpr const char *receive_part = "receiving queues";

// Returns the options of trials with that sender: "--cpus 5 --sender-queues 1".
[[nodiscard]] inline std::string sender_options(unsigned cpu, unsigned queue)
{
    return "--cpus " + std::to_string(cpu) + " --sender-queues " + std::to_string(queue);
}

// Returns "as it is", or the settings as options: "--irqbalance stop --irq-cpus 2".
[[nodiscard]] inline std::string settings_text(const std::map<std::string, std::string> &settings)
{
    std::string text;
    for (const auto &[name, value] : settings)
        text += (text.empty() ? "--" : " --") + name + ' ' + value;
    return text.empty() ? "as it is" : text;
}

} // namespace dnsgauge
