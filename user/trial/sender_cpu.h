// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which CPU the sender runs on where the user names none.
#pragma once

#include <map>
#include <vector>

namespace dnsgauge
{

// Returns an idle CPU that this process may use, one of `preferred` if one of them is idle. The
// first call chooses and takes a tenth of a second, to see which CPUs are idle. Later calls return
// the same CPU, so that all trials of a process send from one CPU.
[[nodiscard]] unsigned default_sender_cpu(const std::vector<unsigned> &preferred = {});

// Returns the best CPU of `allowed`, which must not be empty; of equals the first one. A CPU to
// which nothing is pinned is better than others; then one that is idle for nine tenths of the time
// (`idle` has the shares); then one of `preferred`.
[[nodiscard]] unsigned choose_sender_cpu(const std::vector<unsigned> &allowed,
                                         const std::vector<unsigned> &pinned,
                                         const std::map<unsigned, double> &idle,
                                         const std::vector<unsigned> &preferred = {});

} // namespace dnsgauge
