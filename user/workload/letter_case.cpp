// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/letter_case.h"

#include "userland/random.h"

#include "wire/dns.h"

namespace dnsgauge
{

question_key new_question_key(const CaseWish &wish)
{
    auto key = random_value<question_key>();
    key.exact = wish.exact ? QUESTION_EXACT : 0;
    return key;
}

void CaseMixer::mix(std::span<std::uint8_t> message)
{
    constexpr std::uint8_t small = 0x20;
    constexpr unsigned bits = 64;
    std::uint64_t drawn = 0;
    unsigned left = 0; // of these bits
    std::size_t at = DNS_HEADER_SIZE;
    for (std::size_t label = message[at++]; label != 0; label = message[at++]) {
        for (; label != 0; label--, at++) {
            const std::uint8_t letter = dns_fold(message[at]);
            if (letter < 'a' || letter > 'z')
                continue;
            if (left == 0) {
                drawn = random_();
                left = bits;
            }
            message[at] = (drawn & 1) != 0 ? letter : static_cast<std::uint8_t>(letter & ~small);
            drawn >>= 1U;
            left--;
        }
    }
}

} // namespace dnsgauge
