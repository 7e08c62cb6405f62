// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include "units/rate.h"

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Whether a self-test in the record of its set-up covers a result.
struct SelftestCover {
    std::string record;          // its file
    std::string finished;        // when, UTC, ISO 8601; empty: there is none that can be read
    std::optional<Rate> allowed; // the highest rate that it allows; none: it failed
    std::string why_not;         // it does not cover the result; empty: it does
    std::vector<std::string> deviations; // of the self-test itself from RFC 8219 section 9
    // What the modes came to there, and must come to again.
    std::string xdp_mode;
    std::string af_xdp_mode;

    [[nodiscard]] bool covers() const { return why_not.empty(); }
};

} // namespace dnsgauge
