// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#pragma once

#include <string>
#include <vector>

namespace dnsgauge
{

// Whether the last calibration of its set-up vouches for a result.
struct CertificateCover {
    std::string record;           // its file
    std::string finished;         // UTC, ISO 8601; empty: no certificate could be read
    std::string why_not;          // why it does not vouch for the result; empty: it does
    std::vector<std::string> lax; // terms that were laxer than by default

    [[nodiscard]] bool covers() const { return why_not.empty(); }
};

} // namespace dnsgauge
