// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/random_question_key.h"

#include "common/setup_error.h"

#include <sys/random.h>

#include <cstddef>
#include <cstdint>

namespace dnsgauge
{

question_key random_question_key()
{
    question_key key{};
    // A signal may cut short what is longer than 256 octets.
    auto *at = reinterpret_cast<std::uint8_t *>(&key);
    for (std::size_t left = sizeof(key); left != 0;) {
        const ssize_t got = getrandom(at, left, 0);
        if (got <= 0)
            throw SetupError("the kernel gives no random numbers");
        at += got;
        left -= static_cast<std::size_t>(got);
    }
    return key;
}

} // namespace dnsgauge
