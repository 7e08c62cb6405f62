// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The keys by which an experiment's file sets the options of a search.
#pragma once

#include <set>
#include <string>

namespace dnsgauge
{

// Returns the key of an option: the option's name, or "address" for --server.
[[nodiscard]] std::string key_of(const std::string &option);

// Returns the option that a key sets.
[[nodiscard]] std::string option_of(const std::string &key);

// Returns the names of all options of a search.
[[nodiscard]] std::set<std::string> search_option_names();

// Returns a search's message for a user who wrote an experiment's file: with the key in place of
// each option that the message names. Commands in the message stay as they are.
[[nodiscard]] std::string in_keys(const std::string &message);

} // namespace dnsgauge
