// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The difference between two JSON objects, for people.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace dnsgauge
{

// Returns "duration was 60, now it is 1" for the first member, at any depth, that differs; empty if
// the objects are the same. `name` is the name of the objects themselves.
[[nodiscard]] std::string json_difference(const nlohmann::ordered_json &before,
                                          const nlohmann::ordered_json &now,
                                          const std::string &name);

} // namespace dnsgauge
