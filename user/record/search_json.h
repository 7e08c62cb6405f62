// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A search's result as JSON.
#pragma once

#include "result/search_result.h"

#include <nlohmann/json_fwd.hpp>

namespace dnsgauge
{

// Returns the object that schemas/search.schema.json describes. `header` is the header of the
// search's journal.
[[nodiscard]] nlohmann::ordered_json to_json(const SearchResult &result,
                                             const nlohmann::ordered_json &header);

[[nodiscard]] const char *to_string(SearchEnd end);

} // namespace dnsgauge
