// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a trial's figures look like: patterns that people misread otherwise. A hint changes no
// verdict.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

struct Hint {
    std::string kind{}; // the name of its row in trial/hints.cpp
    std::string text{};
    std::vector<std::pair<std::string, std::uint64_t>> figures{}; // that it comes from
};

} // namespace dnsgauge
