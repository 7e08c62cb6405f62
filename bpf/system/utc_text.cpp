// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/utc_text.h"

#include <fmt/chrono.h>

namespace dnsgauge
{

std::string utc_text(std::chrono::system_clock::time_point time)
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}",
                       fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

} // namespace dnsgauge
