// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What all fuzz targets share: the entry point that libFuzzer calls, and a check that survives
// NDEBUG.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace dnsgauge::testing
{

// Ends the program when an invariant does not hold, which a fuzzer notices.
inline void must(bool holds, const char *invariant)
{
    if (holds)
        return;
    std::fprintf(stderr, "violated: %s\n", invariant);
    std::abort();
}

// May the text be shown in a line of a terminal?
inline bool is_plain_line(std::string_view text)
{
    return std::ranges::none_of(text,
                                [](unsigned char octet) { return octet < 0x20 || octet == 0x7f; });
}

} // namespace dnsgauge::testing
