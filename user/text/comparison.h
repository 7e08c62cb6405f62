// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Several results side by side.
#pragma once

#include "text/table.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace dnsgauge
{

struct NamedResult {
    std::string name;                               // heads the column
    const nlohmann::ordered_json *result = nullptr; // of a kind that is_comparable() knows
};

// Returns whether the object is a result that can be compared: of a trial, repeated trials, a
// search, a self-test, a replay or a probe, in this version of its schema.
[[nodiscard]] bool is_comparable(const nlohmann::ordered_json &result);

// Returns a table with a row for each figure and a column for each result; there is at least one.
// Some rows are shown only if a result is unusual. Notes say why a result is not compliant with RFC
// 8219. Throws SetupError if the results are not of one kind. Throws nlohmann::json::exception if a
// result lacks a field of its schema.
[[nodiscard]] std::string compare(const std::vector<NamedResult> &results,
                                  TableForm form = TableForm::text);

} // namespace dnsgauge
