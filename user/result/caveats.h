// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What makes a result doubtful. The code that makes a result fills in its caveats once. The caveats
// travel with the result, and every form of the result shows them.
#pragma once

#include "result/certificate_cover.h"
#include "result/selftest_cover.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct Caveats {
    std::vector<std::string> deviations{};         // from RFC 8219 section 9; none: compliant
    std::optional<SelftestCover> selftest{};       // absent: none was looked for
    std::optional<CertificateCover> certificate{}; // absent: none was looked for
    std::string scaled_down{};         // what the result's experiment made smaller; empty: nothing
    std::string tester_limit{};        // how the result met the Tester's limit; empty: it did not
    std::size_t capped = 0;            // searches that one unlucky trial may have capped
    std::vector<std::string> doubts{}; // what else may have had a part in the figures

    [[nodiscard]] bool is_compliant() const { return deviations.empty(); }
    // Returns whether no self-test covers the result, although one was looked for.
    [[nodiscard]] bool is_beyond_selftest() const { return selftest && !selftest->covers(); }
    [[nodiscard]] bool is_tester_limited() const { return !tester_limit.empty(); }
};

} // namespace dnsgauge
