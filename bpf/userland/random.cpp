// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/random.h"

#include "userland/setup_error.h"

#include <sys/random.h>

#include <cerrno>

namespace dnsgauge
{

void fill_randomly(std::span<std::byte> octets)
{
    // A signal may interrupt a request for more than 256 octets, which then gets fewer.
    while (!octets.empty()) {
        const ssize_t got = getrandom(octets.data(), octets.size(), 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            throw_errno("the kernel gives no random numbers");
        octets = octets.subspan(static_cast<std::size_t>(got));
    }
}

identity_key new_identity_key()
{
    auto key = random_value<identity_key>();
    for (__u64 &factor : key.factor)
        factor |= 1;
    return key;
}

} // namespace dnsgauge
