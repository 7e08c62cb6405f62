// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the words of a command line of any bytes, for targets that read options.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge::testing
{

// Returns a word for each line, without zero bytes, which no argument of a program can have.
inline std::vector<std::string> words_of(std::string_view text)
{
    std::vector<std::string> words;
    text = text.substr(0, text.find('\0'));
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        words.emplace_back(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return words;
}

} // namespace dnsgauge::testing
