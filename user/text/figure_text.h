// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Figures as text. The end of a field's name in JSON is the figure's unit: _ns, _s, _percent,
// _octets (record/fields.h).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace dnsgauge
{

// Returns the duration in the unit that reads best.
[[nodiscard]] std::string duration_text(double nanoseconds);

// Returns a rounded duration for people who wait: "2 d 3 h", "5 h 12 min", "3 min", "40 s".
[[nodiscard]] std::string waiting_text(double seconds);

// Returns the percentage rounded to a ten-thousandth. It says 100 only if it is 100, and 0 only if
// it is 0, as far as a double can tell.
[[nodiscard]] std::string percent_text(double percent);

// Returns part / whole in percent; "-" if `whole` is 0.
[[nodiscard]] std::string percent_text(std::uint64_t part, std::uint64_t whole);

// Returns the value of a field for people, with its unit; "-" for null. `name` is the field's name,
// or its JSON pointer, whose last unit counts. Throws nlohmann's exceptions if the value is neither
// a figure nor a text.
[[nodiscard]] std::string figure_text(std::string_view name, const nlohmann::ordered_json &value);

// Returns the value for programs, without a unit; nothing for null. Throws as figure_text() does.
[[nodiscard]] std::string plain_figure(std::string_view name, const nlohmann::ordered_json &value);

} // namespace dnsgauge
