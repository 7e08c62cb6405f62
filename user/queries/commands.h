// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The subcommands of dnsgauge-queries.
#pragma once

#include "options/program.h"

namespace dnsgauge
{

[[nodiscard]] Command convert_command();
[[nodiscard]] Command merge_command();
[[nodiscard]] Command slice_command();
[[nodiscard]] Command anonymise_command();
[[nodiscard]] Command names_command();
[[nodiscard]] Command stats_command();
[[nodiscard]] Command make_command();

} // namespace dnsgauge
