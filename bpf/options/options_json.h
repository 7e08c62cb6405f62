// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Options as JSON.
#pragma once

#include "options/program.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace dnsgauge
{

// Returns null, a boolean, a number, a text or an array of numbers.
[[nodiscard]] nlohmann::ordered_json json_of(const OptionValue &value);

// Returns the values that the first line of a search's journal has, by the options' names.
[[nodiscard]] nlohmann::ordered_json journal_options(const Options &options);

// Returns the commands and their options as JSON, for manuals and completions: the object that
// record/schemas/options.schema.json describes. Options come in the order of --help.
[[nodiscard]] std::string description_text(const Program &program);

} // namespace dnsgauge
