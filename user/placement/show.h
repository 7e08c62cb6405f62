// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a machine is like, and its present placement.
#pragma once

#include "machine/card.h"
#include "machine/topology.h"
#include "placement/placement.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct ShownInterrupt : QueueInterrupt {
    std::string cpus;           // CPUs that may handle it
    std::string effective_cpus; // CPUs among them that do handle it
};

struct ShownPlacement {
    std::string interface;
    std::string driver;                // empty if not known
    std::optional<unsigned> card_node; // the memory node next to the card
    Topology topology;
    std::vector<ShownInterrupt> interrupts;
    PresentPlacement present;
    Handled handled;
    std::string record_file;
    std::optional<PlacementRecord> record;
};

// Reads everything. Throws SetupError if there is no such interface.
[[nodiscard]] ShownPlacement show_placement(const Knobs &machine, const std::string &record_file);

[[nodiscard]] std::string to_text(const ShownPlacement &shown);
void fields(Fields &row, ShownPlacement &shown);
// Returns the values from what the rows wrote. Throws nlohmann::json::exception.
[[nodiscard]] std::vector<Change> values_of(const nlohmann::ordered_json &json);

} // namespace dnsgauge
