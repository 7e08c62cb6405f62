// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How much a packed input may become: a thousand octets can unpack to a million, and a list of
// queries takes ten times as much memory as text.
#pragma once

#include <cstdint>

namespace dnsgauge
{

// A packed input is refused once it has unpacked to more than `octets`, and to more than `times`
// what was read. An input that is not packed has no limit.
struct UnpackLimit {
    std::uint64_t octets = std::uint64_t{64} << 20U;
    std::uint64_t times = 100;
};

} // namespace dnsgauge
