// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include "units/rate.h"

#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct XdpModes {
    std::string xdp;
    std::string af_xdp;

    friend bool operator==(const XdpModes &, const XdpModes &) = default;
};

// Whether a self-test in the record of its set-up covers a result.
struct SelftestCover {
    std::string record{};           // its file
    std::string finished{};         // UTC, ISO 8601; empty: no self-test could be read
    std::optional<Rate> allowed{};  // the highest rate that the self-test allows; absent: it failed
    bool was_asked_no_more = false; // the self-test passed all rates that it was asked for
    std::string why_not{};          // why no self-test covers the result; empty: one does
    std::vector<std::string> deviations{}; // of the self-test itself from RFC 8219 section 9
    // The modes that each Tester used in the self-test, by rank. A trial that it covers must use
    // the same modes.
    std::vector<XdpModes> modes{};

    [[nodiscard]] bool covers() const { return why_not.empty(); }
};

} // namespace dnsgauge
