// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/random.h"

#include <cstdlib>

namespace dnsgauge
{

void fill_randomly(std::span<std::byte> octets)
{
    arc4random_buf(octets.data(), octets.size());
}

identity_key new_identity_key()
{
    auto key = random_value<identity_key>();
    for (__u64 &factor : key.factor)
        factor |= 1;
    return key;
}

} // namespace dnsgauge
