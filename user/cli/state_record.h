// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The place of the files in which commands record what they found out about this set-up.
#pragma once

#include <optional>
#include <string>

namespace dnsgauge
{

// Makes the directory of `path` unless the user named that file by --record. Throws SetupError.
void prepare_record(const std::optional<std::string> &given, const std::string &path);

} // namespace dnsgauge
