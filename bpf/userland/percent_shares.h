// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Shares as people write them: "A=60,AAAA=40", percent that are 100 together.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace dnsgauge
{

struct PercentShare {
    std::string_view name; // in the text that was read; never empty
    unsigned percent = 0;
};

// Returns the shares in their order; nothing if the text has another form, or if they are not 100
// together.
[[nodiscard]] std::optional<std::vector<PercentShare>> read_percent_shares(std::string_view text);

} // namespace dnsgauge
