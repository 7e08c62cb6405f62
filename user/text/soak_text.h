// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A soak's result for people, and for programs that read tables.
#pragma once

#include "result/soak_result.h"
#include "text/table.h"

#include <string>

namespace dnsgauge
{

// Returns a row for each row of the soak, and the sums of those that are not invalid. In CSV, which
// has no sums, the columns have the names of the members of a row in JSON.
[[nodiscard]] std::string to_text(const SoakResult &result, TableForm form = TableForm::text);

} // namespace dnsgauge
