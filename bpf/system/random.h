// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Unpredictable random numbers, from the kernel.
#pragma once

#include "wire/scatter.h"

#include <cstddef>
#include <cstdlib>
#include <span>
#include <type_traits>

namespace dnsgauge
{

// Fills the octets.
inline void fill_randomly(std::span<std::byte> octets)
{
    arc4random_buf(octets.data(), octets.size());
}

// Returns a value of random octets.
template <class Value>
requires std::is_trivially_copyable_v<Value>
[[nodiscard]] Value random_value()
{
    Value value{};
    fill_randomly(std::as_writable_bytes(std::span(&value, 1)));
    return value;
}

// Returns a random key of an order, such as the order of names.
[[nodiscard]] inline scatter_key new_scatter_key()
{
    auto key = random_value<scatter_key>();
    for (__u64 &factor : key.factor)
        factor |= 1;
    return key;
}

} // namespace dnsgauge
