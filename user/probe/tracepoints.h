// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Chooses the tracepoints of the kernel that a probe uses.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

struct Tracepoints {
    std::set<std::string, std::less<>> used;
    std::vector<std::string> lacking; // see optional_tracepoints
};

// Returns what a probe uses on a kernel that `has` some tracepoints. A sample lacks some stages,
// and uses no tracepoint of these. Tracepoints that are of use only together are all used, or none.
// Throws UnsupportedError if the kernel lacks a tracepoint without which no query can be followed.
[[nodiscard]] Tracepoints tracepoints_of(const std::function<bool(const std::string &name)> &has,
                                         bool is_sample);

} // namespace dnsgauge
