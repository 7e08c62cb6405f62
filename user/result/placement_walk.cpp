// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "result/placement_walk.h"

#include <fmt/format.h>

namespace dnsgauge
{

std::string sender_options(unsigned cpu, unsigned queue)
{
    return fmt::format("--cpus {} --sender-queues {}", cpu, queue);
}

std::string settings_text(const std::map<std::string, std::string> &settings)
{
    std::string text;
    for (const auto &[name, value] : settings)
        text += fmt::format("{}--{} {}", text.empty() ? "" : " ", name, value);
    return text.empty() ? "as it is" : text;
}

} // namespace dnsgauge
