// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Results as JSON.
#pragma once

#include "result/trial_result.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the object that schemas/trial.schema.json describes.
[[nodiscard]] nlohmann::ordered_json to_json(const TrialResult &result);

// Returns what the trial presupposes of AuthDNS and of the server's cache; null for an
// authoritative server.
[[nodiscard]] nlohmann::ordered_json dns64_json(const std::optional<Dns64Conditions> &dns64);

// Returns the member "rfc8219": the deviations from the RFC, and whether there are none.
[[nodiscard]] nlohmann::ordered_json compliance_json(const std::vector<std::string> &deviations);

// Returns whether a self-test covers the result; null where none is asked for.
[[nodiscard]] nlohmann::ordered_json cover_json(const std::optional<SelftestCover> &cover);

// Returns queries per second; null where there is no rate.
[[nodiscard]] nlohmann::ordered_json rate_json(const std::optional<Rate> &rate);

// Returns the figure; null where it is not known.
[[nodiscard]] nlohmann::ordered_json figure_json(const std::optional<std::uint64_t> &figure);

// Returns what figure_json() wrote. Throws std::invalid_argument.
[[nodiscard]] std::optional<std::uint64_t> read_figure(const nlohmann::ordered_json &value);

// Returns the counts by reason, and their total.
[[nodiscard]] nlohmann::ordered_json invalid_json(const InvalidCounts &invalid);

// Returns what invalid_json() wrote; an older version knew fewer reasons. Throws
// std::invalid_argument.
[[nodiscard]] InvalidCounts read_invalid(const nlohmann::ordered_json &json);

// Returns the replies by the name of their RCODE, without RCODEs that did not occur.
[[nodiscard]] nlohmann::ordered_json rcodes_json(const decltype(TrialResult::rcodes) &rcodes);

[[nodiscard]] const char *to_string(Verdict verdict);
// Returns the verdict that to_string() calls so; nothing if there is none.
[[nodiscard]] std::optional<Verdict> verdict_of(std::string_view word);

} // namespace dnsgauge
