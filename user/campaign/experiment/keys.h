// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The keys of an experiment's file: options of a search, and settings of the server's machine.
#pragma once

#include "machine/topology.h"

#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the key of an option: the option's name, or "address" for --server.
[[nodiscard]] std::string key_of(const std::string &option);

// Returns the option that a key sets.
[[nodiscard]] std::string option_of(const std::string &key);

// Returns the names of all options of a search.
[[nodiscard]] std::set<std::string> search_option_names();

// Returns a search's message for a user of an experiment's file. Replaces each option that the
// message names by its key, but not within commands.
[[nodiscard]] std::string in_keys(const std::string &message);

inline constexpr const char *server_cpus_key = "server-cpus";
// The value that leaves a setting of the machine as it is.
inline constexpr const char *as_it_is = "as-is";

// Returns the keys that "dnsgauge placement apply" sets on the server's machine.
[[nodiscard]] std::vector<std::string> placement_keys();

[[nodiscard]] bool is_placement_key(const std::string &key);

// Returns whether the key belongs to the server's placement: the CPUs, processes or threads that
// the server's commands set, or one of placement_keys().
[[nodiscard]] bool is_server_key(const std::string &key);

// Returns the lists of CPUs that the word stands for. Throws SetupError if the word is unknown.
//
// - "each": each CPU of `cpus` alone.
// - "pairs", "triples", "quads": every two, three or four of `cpus`. A colon and a part may follow:
//   "same-core", "same-l2", "same-l3", "same-node", "same-socket" or "other-socket". Then the
//   farthest two CPUs of a list share this part, and no nearer one, according to `places`.
// - "0,2": itself.
[[nodiscard]] std::vector<std::string> server_cpu_lists(const std::string &word,
                                                        const std::vector<unsigned> &cpus,
                                                        const std::vector<CpuPlace> &places);

} // namespace dnsgauge
