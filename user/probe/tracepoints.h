// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which tracepoints of the kernel a probe uses.
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

// Returns what a probe uses on a kernel that `has` some tracepoints. A sample uses no tracepoint of
// the stages that it does not tell. Tracepoints that tell something together are all used, or none.
// Throws UnsupportedError if the kernel lacks a tracepoint without which no query can be followed.
[[nodiscard]] Tracepoints tracepoints_of(const std::function<bool(const std::string &name)> &has,
                                         bool is_sample);

} // namespace dnsgauge
