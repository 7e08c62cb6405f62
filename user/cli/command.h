// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a subcommand does when it has been chosen.
#pragma once

#include "cli/exit_status.h"

#include <functional>

namespace dnsgauge
{

using Command = std::function<ExitStatus()>;

} // namespace dnsgauge
