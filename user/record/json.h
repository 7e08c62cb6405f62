// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Results for machines.
#pragma once

#include "result/trial_result.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// A trial as the object of schema "dnsgauge/trial/1", which user/record/README.md describes.
[[nodiscard]] nlohmann::ordered_json to_json(const TrialResult &result);

// What was presupposed of AuthDNS and of the server's cache; null of an authoritative server.
[[nodiscard]] nlohmann::ordered_json dns64_json(const std::optional<Dns64Conditions> &dns64);

// The member "rfc8219": `deviations` from it, and whether there are none.
[[nodiscard]] nlohmann::ordered_json compliance_json(const std::vector<std::string> &deviations);

// Whether a self-test covers the result; null where none is asked for.
[[nodiscard]] nlohmann::ordered_json cover_json(const std::optional<SelftestCover> &cover);

// Queries per second; null where there is none.
[[nodiscard]] nlohmann::ordered_json rate_json(const std::optional<Rate> &rate);

// Replies by RCODE, by its name; only what there was.
[[nodiscard]] nlohmann::ordered_json rcodes_json(const decltype(TrialResult::rcodes) &rcodes);

[[nodiscard]] const char *to_string(Verdict verdict);

} // namespace dnsgauge
