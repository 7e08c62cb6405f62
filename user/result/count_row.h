// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include <cstdint>

namespace dnsgauge
{

enum class CountRole {
    figure,
    explains, // the text of a failed trial names the count
};

// One of the counts of a structure, with its name in JSON and the words for it in texts.
template <class Counts>
struct CountRow {
    std::uint64_t Counts::*count;
    const char *key;
    const char *label;
    CountRole role = CountRole::figure;
};

} // namespace dnsgauge
