// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Results and their schemas.
#pragma once

#include <string>

namespace dnsgauge::testing
{

// Returns where and why a result, as JSON, does not fit the schema that it names; empty: it fits.
// A result fits if it has every field of its schema, and no other. A result of an older version may
// lack newer fields. Runs check_results.py.
[[nodiscard]] std::string misfit(const std::string &json, bool is_older = false);

// Returns the same for a journal, each line of which must fit.
[[nodiscard]] std::string misfits(const std::string &journal, bool is_older = false);

} // namespace dnsgauge::testing
