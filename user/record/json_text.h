// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads and writes the JSON of files, which anybody may have written.
#pragma once

#include "units/rate.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// Returns the value. It is_discarded() if the text is no JSON, or if an object is nested deeper or
// has more names than any of dnsgauge: the depth costs stack, and each name is compared with all
// names before it.
[[nodiscard]] nlohmann::ordered_json parse_json(std::string_view text);

// Returns the text of a file. Replaces octets that are no UTF-8, which a command line may hold.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json &json);

// Returns the text. Throws nlohmann::json::exception if `value` is no text, or has control
// characters, which a terminal would obey.
[[nodiscard]] std::string plain_text(const nlohmann::ordered_json &value);
// Returns the texts of an array. Throws as plain_text() does.
[[nodiscard]] std::vector<std::string> plain_texts(const nlohmann::ordered_json &values);

// Returns the number. Throws nlohmann::json::exception if `value` is no number that a std::uint64_t
// holds.
[[nodiscard]] std::uint64_t whole_number(const nlohmann::ordered_json &value);
// Returns the number; nothing for null. Throws as whole_number() does.
template <class Number = std::uint64_t>
[[nodiscard]] std::optional<Number> number_or_none(const nlohmann::ordered_json &value)
{
    return value.is_null() ? std::nullopt : std::optional(static_cast<Number>(whole_number(value)));
}

// Returns the duration. Throws nlohmann::json::exception if `value` is no number of seconds, or
// longer than anything in dnsgauge.
[[nodiscard]] Nanoseconds read_seconds(const nlohmann::ordered_json &value);

// Returns a sentence such as "duration was 60, now it is 1" for the first member, at any depth,
// that differs; empty if the objects are equal. `name` names the objects themselves.
[[nodiscard]] std::string json_difference(const nlohmann::ordered_json &before,
                                          const nlohmann::ordered_json &now,
                                          const std::string &name);

} // namespace dnsgauge
