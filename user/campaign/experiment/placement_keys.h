// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The keys of an experiment that are neither options of a search nor variables.
#pragma once

#include <string>
#include <vector>

namespace dnsgauge
{

inline constexpr const char *server_cpus_key = "server-cpus";
// The value that leaves a setting of the machine as it is.
inline constexpr const char *as_it_is = "as-is";

// Returns the keys that "dnsgauge placement apply" sets on the server's machine.
[[nodiscard]] std::vector<std::string> placement_keys();

[[nodiscard]] bool is_placement_key(const std::string &key);

// Returns whether the key belongs to the server's placement: the CPUs, processes or threads that
// the server's commands set, or one of placement_keys().
[[nodiscard]] bool is_server_key(const std::string &key);

} // namespace dnsgauge
