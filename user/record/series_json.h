// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the results of all kinds of series have in common, as JSON.
#pragma once

#include "result/series_result.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace dnsgauge
{

// Returns the members that tell of all trials in a journal with this header: how many they were,
// and under which conditions.
[[nodiscard]] nlohmann::ordered_json log_json(const TrialLog &log,
                                              const nlohmann::ordered_json &header);

// Returns the object of the schema `dnsgauge/KIND/1`. `header` is the header of the series'
// journal, `plan` has the members that say what the kind was to do, and `found` those that say what
// the kind found.
[[nodiscard]] nlohmann::ordered_json series_json(const std::string &kind,
                                                 const SeriesResult &result,
                                                 const nlohmann::ordered_json &header,
                                                 const nlohmann::ordered_json &plan,
                                                 const nlohmann::ordered_json &found);

} // namespace dnsgauge
