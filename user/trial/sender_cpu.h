// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which CPU the sender runs on where the user names none.
#pragma once

#include <map>
#include <vector>

namespace dnsgauge
{

// Returns an idle CPU that this process may use, one of `preferred` if one of them is idle. The
// first call chooses and takes a tenth of a second, to see which CPUs are idle. Later calls return
// the same CPU: a process sends from one.
[[nodiscard]] unsigned default_sender_cpu(const std::vector<unsigned> &preferred = {});

// Returns the first CPU of `allowed` for which the most of these holds: nothing is pinned to the
// CPU; the CPU is idle for nine tenths of the time; the CPU is one of `preferred`. Each condition
// counts more than the next. `allowed` has a CPU at least; `idle` has the CPUs' idle shares of the
// time.
[[nodiscard]] unsigned choose_sender_cpu(const std::vector<unsigned> &allowed,
                                         const std::vector<unsigned> &pinned,
                                         const std::map<unsigned, double> &idle,
                                         const std::vector<unsigned> &preferred = {});

} // namespace dnsgauge
