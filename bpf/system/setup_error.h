// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Errors that a user can mend: one line (what, where, what to do) and exit status 2.
#pragma once

#include <fmt/core.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace dnsgauge
{

// Returns the text without ASCII's control characters: line ends become blanks, other control
// characters question marks. So a quotation in a message begins no line and moves no cursor.
[[nodiscard]] std::string one_line(std::string text);

class SetupError : public std::runtime_error
{
public:
    explicit SetupError(std::string what) : std::runtime_error(one_line(std::move(what))) {}
    template <class First, class... Rest>
    SetupError(fmt::format_string<First, Rest...> format, First &&first, Rest &&...rest)
        : SetupError(fmt::format(format, std::forward<First>(first), std::forward<Rest>(rest)...))
    {
    }
};

// Throws SetupError: `what`, and why the last system call failed (errno).
[[noreturn]] void throw_errno(const std::string &what);

// This kernel or driver lacks a feature. A caller that can do without the feature may catch this.
class UnsupportedError : public SetupError
{
public:
    using SetupError::SetupError;
};

} // namespace dnsgauge
