// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include "wire/scatter.h"

#include <cstdint>

namespace dnsgauge::testing
{

// Returns a key that is not trivial; another one for each `number`.
inline scatter_key some_scatter_key(std::uint64_t number = 1)
{
    scatter_key key{};
    __u64 state = number * 0x9e3779b97f4a7c15;
    for (__u64 &word : key.add)
        word = state = state * 6364136223846793005 + 1442695040888963407;
    for (__u64 &word : key.factor)
        word = (state = state * 6364136223846793005 + 1442695040888963407) | 1;
    return key;
}

} // namespace dnsgauge::testing
