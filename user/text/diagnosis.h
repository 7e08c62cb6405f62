// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The doctor's findings, for people and for machines.
#pragma once

#include "record/fields.h"
#include "result/diagnosis.h"

#include <string>

namespace dnsgauge
{

// Returns a line for each finding. A finding that is not ok is followed by its effect on a
// benchmark, and by a command that mends it ("mend: ..."), or that changes the state of a note
// ("or:   ..."). The last line sums up.
[[nodiscard]] std::string to_text(const Diagnosis &diagnosis);

void fields(Fields &row, Diagnosis &diagnosis);

} // namespace dnsgauge
