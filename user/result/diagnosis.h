// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What was found about an interface and its host, as a value.
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
    warn, // set so that it costs rate, loses packets or spoils RTTs
    fail, // with this a benchmark is impossible
};

struct Finding {
    std::string topic; // one word, the same for ever: "rings"
    Severity severity = Severity::ok;
    bool is_known = true; // false: the kernel or the driver does not tell; then it is a note
    std::string seen;
    std::string why;     // what it does to a benchmark
    std::string command; // mends it, or gets more; empty: nothing to mend, or no command can
};

struct Diagnosis {
    std::string interface;
    std::string driver; // empty if it does not tell
    std::string kernel;
    std::vector<Finding> findings;

    [[nodiscard]] std::size_t count(Severity severity) const
    {
        return static_cast<std::size_t>(
            std::count_if(findings.begin(), findings.end(), [severity](const Finding &finding) {
                return finding.severity == severity;
            }));
    }
};

} // namespace dnsgauge
