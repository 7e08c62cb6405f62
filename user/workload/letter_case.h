// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The case of the letters of names: how queries have them, and whether replies must repeat them
// (DNS 0x20: draft-vixie-dnsext-dns0x20).
#pragma once

#include "wire/question.h"

#include <cstdint>
#include <optional>
#include <random>
#include <span>

namespace dnsgauge
{

struct CaseWish {
    bool exact = false; // a reply must have the letters as they were sent
    // The letters of the queries' names get cases that follow from this number. If unset, they
    // stay.
    std::optional<std::uint64_t> seed{};
};

// Returns a random key for such replies.
[[nodiscard]] question_key new_question_key(const CaseWish &wish);

// Gives letters their cases, a random bit for each.
class CaseMixer
{
public:
    explicit CaseMixer(std::uint64_t seed) : random_(seed) {}

    // Mixes the letters of the name in the question of `message`, which question_hash() takes.
    void mix(std::span<std::uint8_t> message);

private:
    std::mt19937_64 random_;
};

} // namespace dnsgauge
