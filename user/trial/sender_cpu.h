// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which CPU the sender runs on where the user names none.
#pragma once

#include <map>
#include <vector>

namespace dnsgauge
{

// Returns an idle CPU of those that this process may use; the same one as long as the process runs.
// The first time takes a tenth of a second, to see which CPUs are idle.
[[nodiscard]] unsigned default_sender_cpu();

// Returns the first of `allowed`, in which there is one at least, that nothing is pinned to and
// that is idle for nine tenths of the time; if there is none, the first that nothing is pinned to;
// if there is none either, the first. `idle` has the CPUs' idle shares of the time.
[[nodiscard]] unsigned choose_sender_cpu(const std::vector<unsigned> &allowed,
                                         const std::vector<unsigned> &pinned,
                                         const std::map<unsigned, double> &idle);

} // namespace dnsgauge
