// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a reply says of idle connections: the option edns-tcp-keepalive (RFC 7828).
#pragma once

#include "units/rate.h"

#include <cstdint>
#include <optional>
#include <span>

namespace dnsgauge
{

// Returns how long the server lets an idle connection stay open; nothing if the message does not
// say so, or cannot be read that far.
[[nodiscard]] std::optional<Nanoseconds> keepalive_of(std::span<const std::uint8_t> message);

} // namespace dnsgauge
