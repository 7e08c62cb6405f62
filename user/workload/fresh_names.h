// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names that no trial has asked for before: equal shares of a range, one for each trial in turn.
#pragma once

#include "common/name_range.h"

#include <cstdint>

namespace dnsgauge
{

class FreshNames
{
public:
    // Shares of at least `queries` names for `trials` trials. Throws SetupError: `range` has too
    // few names, and how many are needed.
    FreshNames(const NameRange &range, std::uint64_t queries, std::uint64_t trials);

    // The share of trial `number`, from 0. Throws SetupError when all have been given.
    [[nodiscard]] NameRange share(std::uint64_t number) const;

    // Names that all of the trials take.
    [[nodiscard]] std::uint64_t needed() const;

private:
    NameRange range_;
    std::uint64_t size_; // of a share: a power of two
    std::uint64_t trials_;
};

} // namespace dnsgauge
