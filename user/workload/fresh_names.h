// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names that no trial has asked for before: equal shares of a range, one share for each trial.
#pragma once

#include "dns/name_range.h"

#include <cstdint>

namespace dnsgauge
{

class FreshNames
{
public:
    // Makes shares of at least `queries` names for `trials` trials. Throws SetupError if `range`
    // has too few names; the message says how many are needed.
    FreshNames(const NameRange &range, std::uint64_t queries, std::uint64_t trials);

    // Returns the share of trial `number`, from 0. Throws SetupError if there are no more shares.
    [[nodiscard]] NameRange share(std::uint64_t number) const;

    // Returns the number of names that all trials take.
    [[nodiscard]] std::uint64_t needed() const;

private:
    NameRange range_;
    std::uint64_t size_; // of a share: a power of two
    std::uint64_t trials_;
};

} // namespace dnsgauge
