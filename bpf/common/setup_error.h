// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a user can mend: reported in one line (what, where, what to do) and exit status 2.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace dnsgauge
{

// The text without ASCII's control characters: line ends become blanks, all others question marks.
// What somebody else wrote and a message quotes begins no line of its own, and moves no cursor.
[[nodiscard]] std::string one_line(std::string text);

class SetupError : public std::runtime_error
{
public:
    explicit SetupError(std::string what) : std::runtime_error(one_line(std::move(what))) {}
};

// This kernel or driver lacks a feature: who can do without it may catch this and go on.
class UnsupportedError : public SetupError
{
public:
    using SetupError::SetupError;
};

} // namespace dnsgauge
