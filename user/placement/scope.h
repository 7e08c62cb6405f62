// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a change is bound to, and with that, from where it can be put back.
#pragma once

#include "placement/change.h"

#include <optional>
#include <string>

namespace dnsgauge
{

enum class Scope {
    machine,           // interrupts, processes, threads: seen from every network namespace
    network_namespace, // its sysctls
    interface,
};

// Returns what a change of this place is bound to, where `interface` is the one placed; nothing if
// no setting ever makes such a change: a record that asks for it is not to be obeyed.
[[nodiscard]] std::optional<Scope> scope_of(Knob knob, const std::string &where,
                                            const std::string &interface);

} // namespace dnsgauge
