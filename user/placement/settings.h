// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a placement can set: one table for the command's options, an experiment's keys and the
// changes.
#pragma once

#include "placement/change.h"
#include "placement/knobs.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

// What a user wishes of a setting, and the changes that the wish takes.
struct Wish {
    const Knobs &machine;
    std::string name; // of the setting, as the user calls it
    std::string text;
    std::vector<Change> changes{};
};

// Adds the changes to the wish, none for a value that is already as wished. Throws SetupError if
// the wish is impossible.
using Changes = void (*)(Wish &wish);

struct PlacementSetting {
    const char *name; // of the option and of the experiment's key
    const char *type; // as in Option
    const char *help;
    Changes changes;
    Changes then; // adds changes that are known only once `changes` are made; may be null
};

// Returns the table, in the order in which settings are made.
[[nodiscard]] std::span<const PlacementSetting> placement_settings();

// Wishes by the names of settings.
using PlacementWishes = std::map<std::string, std::string>;

} // namespace dnsgauge
