// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the doctor found, for people and for machines.
#pragma once

#include "result/diagnosis.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace dnsgauge
{

// A line per finding; below one that is not ok why it matters, and the command that mends it
// ("mend: ...") or, of a note, changes it ("or:   ..."). The last line sums up.
[[nodiscard]] std::string to_text(const Diagnosis &diagnosis);

// The object of schema "dnsgauge/doctor/1", which user/record/README.md describes.
[[nodiscard]] nlohmann::ordered_json to_json(const Diagnosis &diagnosis);

} // namespace dnsgauge
