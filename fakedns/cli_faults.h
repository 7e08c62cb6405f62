// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of fakedns that make it misbehave, and the prediction of what they do.
#pragma once

#include "fakedns/loader_faulty.h"

#include "userland/name_range.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// The options, as texts and numbers from the command line.
struct FaultArguments {
    std::vector<std::string> faults;
    std::uint16_t pad_to = 0;
    std::optional<unsigned> cpu;
    std::vector<std::string> predict;
};

// Returns the faults that the options ask for. Throws SetupError.
[[nodiscard]] FaultOptions understand_faults(const FaultArguments &arguments);

// Returns what a trial meets that asks for the AAAA record of each name of the range once: a line
// "KIND NAMES" for each kind of fault, and for each kind with delays a line about its delays, in
// microseconds.
[[nodiscard]] std::string prediction_table(const fault_plan &plan, const NameRange &names,
                                           std::uint32_t aaaa_share);

} // namespace dnsgauge
