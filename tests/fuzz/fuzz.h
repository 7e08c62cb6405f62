// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What all fuzz targets have: the entry point libFuzzer calls, and a check that survives NDEBUG.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace dnsgauge::testing
{

// Ends the program when an invariant does not hold: that is what a fuzzer notices.
inline void must(bool holds, const char *invariant)
{
    if (holds)
        return;
    std::fprintf(stderr, "violated: %s\n", invariant);
    std::abort();
}

} // namespace dnsgauge::testing
