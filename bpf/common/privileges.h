// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a program may do once it is set up.
#pragma once

#include <linux/capability.h>

#include <string>
#include <vector>

namespace dnsgauge
{

// Those that loading and attaching a program takes.
inline const std::vector<unsigned> loading_capabilities{CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON};

// Those by which root puts a file into a directory that is somebody else's.
inline const std::vector<unsigned> writing_capabilities{CAP_DAC_OVERRIDE, CAP_FOWNER};

// Which of them the calling thread lacks: "CAP_BPF, CAP_PERFMON"; empty: none.
[[nodiscard]] std::string missing_capabilities(const std::vector<unsigned> &needed);

// Gives up every capability of the calling thread but those of `kept` that it has, and root for
// `user` unless that is empty; nothing executed later gets any back. Threads that it starts then
// have no more than it; those that run already keep theirs. Throws SetupError.
void drop_privileges(const std::vector<unsigned> &kept = {}, const std::string &user = {});

} // namespace dnsgauge
