// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a program may still do after its set-up.
#pragma once

#include <linux/capability.h>

#include <string>
#include <vector>

namespace dnsgauge
{

// Capabilities that loading and attaching a program takes.
inline const std::vector<unsigned> loading_capabilities{CAP_BPF, CAP_NET_ADMIN, CAP_PERFMON};

// Capabilities by which root puts a file into another user's directory.
inline const std::vector<unsigned> writing_capabilities{CAP_DAC_OVERRIDE, CAP_FOWNER};

// Capabilities that a trial takes, which loads a program and sends by AF_XDP.
inline const std::vector<unsigned> trial_capabilities{CAP_BPF, CAP_NET_ADMIN, CAP_NET_RAW,
                                                      CAP_PERFMON};

// Returns the needed capabilities that the calling thread lacks, as "CAP_BPF, CAP_PERFMON"; empty
// if it has all.
[[nodiscard]] std::string missing_capabilities(const std::vector<unsigned> &needed);

// Throws SetupError if the calling thread lacks one of trial_capabilities. A command that makes
// trials calls this before it does anything else. `command` is what the user called.
void require_trial_capabilities(const std::string &command);

// Gives up every capability of the calling thread that is not in `kept`, and becomes
// `user` unless that is empty. No program that the thread executes later gets a capability back.
// Threads that it starts later have no more capabilities than it has; threads that run already keep
// theirs. Throws SetupError.
void drop_privileges(const std::vector<unsigned> &kept = {}, const std::string &user = {});

} // namespace dnsgauge
