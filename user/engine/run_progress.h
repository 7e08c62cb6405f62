// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How far a run has come.
#pragma once

#include <cstdint>

namespace dnsgauge
{

struct RunProgress {
    double elapsed_s = 0;
    std::uint64_t sent = 0;
    std::uint64_t valid = 0;
    std::uint64_t wrong = 0; // late or invalid
};

} // namespace dnsgauge
