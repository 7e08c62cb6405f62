// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// In what one JSON object differs from another, for people.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace dnsgauge
{

// "duration was 60, now it is 1", of the first member, at any depth, that is not what it was; empty
// if the two are the same. `name` is what they are called themselves.
[[nodiscard]] std::string json_difference(const nlohmann::ordered_json &before,
                                          const nlohmann::ordered_json &now,
                                          const std::string &name);

} // namespace dnsgauge
