// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a message says of words that CLI11 refuses.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace dnsgauge
{

// Returns CLI11's own words, but for an option without its value and one that is given again.
[[nodiscard]] inline std::string message_of(const CLI::ParseError &error)
{
    // "--rate: 1 required TEXT missing", or "--rate: At Most 1 required but received 2".
    const std::string text = error.what();
    if (dynamic_cast<const CLI::ArgumentMismatch *>(&error) == nullptr)
        return text;
    const std::string option = text.substr(0, text.find(':'));
    if (text.ends_with(" missing"))
        return option + " needs a value behind it";
    if (text.find("At Most 1 required") != std::string::npos)
        return option + " is given more than once";
    return text;
}

} // namespace dnsgauge
