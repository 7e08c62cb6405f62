// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include <cstdint>

namespace dnsgauge
{

// What a query leaves with, and its reply comes back with.
struct PortAndId {
    std::uint16_t port = 0;
    std::uint16_t id = 0;
};

} // namespace dnsgauge
