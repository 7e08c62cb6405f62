// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Options as JSON.
#pragma once

#include "options/option.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

// Returns null, a boolean, a number, a text or an array of numbers.
[[nodiscard]] nlohmann::ordered_json json_of(const OptionValue &value);

// Returns the values that the first line of a search's journal has, by the options' names.
[[nodiscard]] nlohmann::ordered_json journal_options(const Options &options);

// Returns what manuals and completions need: name, group, type, default and help of each option, in
// the order of --help.
[[nodiscard]] nlohmann::ordered_json description_of(const Options &options);

} // namespace dnsgauge
