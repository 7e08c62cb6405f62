// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What people read. That it cannot be written never ends the work: results in files and journals
// must not depend on a terminal that is gone or a log whose disk is full.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace dnsgauge
{

// To standard error; does not throw.
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments &&...arguments)
{
    const std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
    static_cast<void>(std::fputs(text.c_str(), stderr));
}

// To standard output, at once; does not throw. If that fails check_standard_output() says so.
void print_result(const std::string &text);

// To be called last: throws SetupError if something that was printed has not been written.
void check_standard_output();

} // namespace dnsgauge
