// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of fakedns that make it misbehave, and the telling of what they will do.
#pragma once

#include "fakedns/loader_faulty.h"

#include "common/name_range.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// The options as they are written.
struct FaultArguments {
    std::vector<std::string> faults;
    std::uint16_t pad_to = 0;
    std::optional<unsigned> cpu;
    std::string predict;
};

// Throws SetupError.
[[nodiscard]] FaultOptions understand_faults(const FaultArguments &arguments);

// What a trial that asks every name of the range once for AAAA meets: a line "KIND NAMES" for each
// kind, and one for the delays of each kind that has some, in microseconds.
[[nodiscard]] std::string prediction_table(const fault_plan &plan, const NameRange &names,
                                           std::uint32_t aaaa_share);

} // namespace dnsgauge
