// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a change is bound to. This decides from where it can be put back.
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

// Returns what a change of this place is bound to, if `interface` is placed. Returns nothing if no
// setting ever makes such a change: a record that asks for it must not be obeyed.
[[nodiscard]] std::optional<Scope> scope_of(Knob knob, const std::string &where,
                                            const std::string &interface);

} // namespace dnsgauge
