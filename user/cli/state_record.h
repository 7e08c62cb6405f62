// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file in which a command records what it found out about this set-up.
#pragma once

#include "cli/output_file.h"

#include <optional>
#include <string>

namespace dnsgauge
{

// `path`, which is `given` where the user named one by --record: only where nobody did its
// directory is made. Throws SetupError.
[[nodiscard]] OutputFile open_record(const std::optional<std::string> &given,
                                     const std::string &path);

} // namespace dnsgauge
