// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// JSON as it stands in files, which anybody may have written.
#pragma once

#include "units/rate.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// Discarded, is_discarded(), where the text is no JSON, or nested deeper than what we ever write:
// comparing and writing a value take a turn of the stack for each level.
[[nodiscard]] nlohmann::ordered_json parse_json(std::string_view text);

// Returns the whole file's text. A command line may hold octets that are no UTF-8.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json &json);

// Throws nlohmann::json::exception: it is no text, or has control characters: what we write has
// none, and they would tell a terminal what to do.
[[nodiscard]] std::string plain_text(const nlohmann::ordered_json &value);
// Of an array.
[[nodiscard]] std::vector<std::string> plain_texts(const nlohmann::ordered_json &values);

// Throws nlohmann::json::exception: it is none that a std::uint64_t holds.
[[nodiscard]] std::uint64_t whole_number(const nlohmann::ordered_json &value);

// Throws likewise: they are no seconds, or more than anything of ours takes.
[[nodiscard]] Nanoseconds read_seconds(const nlohmann::ordered_json &value);

} // namespace dnsgauge
