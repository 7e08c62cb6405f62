// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Unpredictable random numbers, from the kernel.
#pragma once

#include "wire/identity.h"

#include <cstddef>
#include <span>
#include <type_traits>

namespace dnsgauge
{

// Fills the octets.
void fill_randomly(std::span<std::byte> octets);

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
[[nodiscard]] identity_key new_identity_key();

} // namespace dnsgauge
