// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The findings about an interface and its host, as values.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace dnsgauge
{

enum class Severity {
    ok,
    note, // good to know, or not known
    warn, // costs rate, loses packets or spoils RTTs
    fail, // makes a benchmark impossible
};

struct Finding {
    std::string topic; // one word that never changes: "rings"
    Severity severity = Severity::ok;
    bool is_known = true; // false if kernel and driver do not tell, and the finding is a note
    std::string seen;
    std::string why;     // the effect on a benchmark
    std::string command; // mends or improves it; empty if nothing to mend, or no command can
};

struct Diagnosis {
    std::string interface;
    std::string driver; // empty if the driver does not tell
    std::string kernel;
    std::vector<Finding> findings;

    [[nodiscard]] std::size_t count(Severity severity) const
    {
        return static_cast<std::size_t>(std::ranges::count(findings, severity, &Finding::severity));
    }
};

} // namespace dnsgauge
