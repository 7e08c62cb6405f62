// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Several results side by side, for people.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace dnsgauge
{

struct NamedResult {
    std::string name;                              // heads the column
    const nlohmann::ordered_json *trial = nullptr; // schema dnsgauge/trial/1
};

// Is it the result of a trial, of this version?
[[nodiscard]] bool is_trial(const nlohmann::ordered_json &result);

// A row per figure, a column per result, of which there is one at least; some rows only where they
// say something. Notes tell why a result is not compliant with RFC 8219. Throws
// nlohmann::json::exception where a result lacks a field of its schema.
[[nodiscard]] std::string compare(const std::vector<NamedResult> &results);

} // namespace dnsgauge
