// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The part of --help that describes a command's options.
#pragma once

#include "options/option.h"
#include "userland/wrapped_text.h"

#include <string>

namespace dnsgauge
{

// Returns the option's help, with the options of the table that may be given instead.
[[nodiscard]] std::string meaning_text(const Options &options, const Option &option);

// Returns the option's default in words; empty: it has none.
[[nodiscard]] std::string default_text(const Option &option);

// Returns all options, the required ones first and the others by group.
[[nodiscard]] std::string help_text(const Options &options);

} // namespace dnsgauge
