// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "result/engine_modes.h"

#include "system/listed.h"

namespace dnsgauge
{

std::string modes_text(const UsedModes &modes, const char *separator)
{
    return joined(
        engine_modes,
        [&modes](const EngineMode &mode) {
            const auto used = modes.find(mode.name);
            return *mode.label == '\0' || used == modes.end()
                       ? std::string()
                       : std::string(mode.label) + " " + used->second;
        },
        separator);
}

std::string mode_options_text()
{
    return joined(
        engine_modes, [](const EngineMode &mode) { return mode.option; }, " and ");
}

} // namespace dnsgauge
