// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The subcommands of dnsgauge-zone.
#pragma once

#include "options/program.h"

namespace dnsgauge
{

[[nodiscard]] Command records_command();
[[nodiscard]] Command server_command();
[[nodiscard]] Command dns64_command();
[[nodiscard]] Command resolver_command();
[[nodiscard]] Command mix_command();
[[nodiscard]] Command dataset_command();

} // namespace dnsgauge
