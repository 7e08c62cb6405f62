// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The doctor's findings, for people and for machines.
#pragma once

#include "record/fields.h"
#include "result/diagnosis.h"

#include <string>

namespace dnsgauge
{

// Returns a line for each finding. Below a finding that is not ok stands its effect on a benchmark.
// A command follows that mends the finding ("mend: ..."), or that changes what a note tells
// ("or:   ..."). The last line sums up.
[[nodiscard]] std::string to_text(const Diagnosis &diagnosis);

void fields(Fields &row, Diagnosis &diagnosis);

} // namespace dnsgauge
