// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Output for people. A failure to write it never ends the work: results in files and journals must
// not depend on a terminal that is gone, or on a log whose disk is full.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

namespace dnsgauge
{

// Each function prints a question mark in place of a character that a terminal would take for a
// command: texts from outside, such as names of files, may have any.

// Prints to standard error; does not throw.
void print_message(const std::string &text);

// Prints to standard error; does not throw.
template <class... Arguments>
void say(fmt::format_string<Arguments...> format, Arguments &&...arguments)
{
    print_message(fmt::format(format, std::forward<Arguments>(arguments)...));
}

// Writes the terminal's present line anew, on standard error; an empty text leaves the line empty.
// Does not throw.
void write_line_over(const std::string &text);

// Prints to standard output at once; does not throw. check_standard_output() reports a failure.
void print_result(const std::string &text);

// Call this last. Throws SetupError if anything printed was not written.
void check_standard_output();

} // namespace dnsgauge
