// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/state_record.h"

#include "host/setup_error.h"

#include <fmt/format.h>

#include <filesystem>

namespace dnsgauge
{

void prepare_record(const std::optional<std::string> &given, const std::string &path)
{
    std::error_code error;
    if (!given)
        std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    if (error)
        throw SetupError(fmt::format("cannot make the directory of {}: {}: name another file with "
                                     "--record, or another directory in DNSGAUGE_STATE",
                                     path, error.message()));
}

} // namespace dnsgauge
