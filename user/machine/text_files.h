// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The short text files of /proc and /sys.
#pragma once

#include <charconv>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Returns the first line, without blanks at its end; empty if there is no such file.
[[nodiscard]] std::string first_line(const std::filesystem::path &file);

// Returns the text after `key` in the first line that begins with `key`, without blanks around it.
[[nodiscard]] std::string value_of(const std::filesystem::path &file, const std::string &key);

// Returns the number at the beginning of `text`.
template <class Number>
[[nodiscard]] std::optional<Number> leading_number(const std::string &text, int base = 10)
{
    Number number{};
    const auto end = text.data() + text.size();
    if (std::from_chars(text.data(), end, number, base).ec != std::errc{})
        return std::nullopt;
    return number;
}

// Returns the words of the text, between blanks.
[[nodiscard]] std::vector<std::string> words_of(const std::string &text);

// Returns whether all of the text is like the pattern, an extended regular expression of POSIX.
// Each room that includes <regex> compiles its templates anew.
[[nodiscard]] bool is_like(const std::string &text, const char *pattern);

// Returns the text in small letters.
[[nodiscard]] std::string lower_case(std::string text);

// Calls `each` with the numbers at the beginning of entries' names in `directory`. A directory that
// disappears meanwhile has no more entries.
void for_each_number(const std::filesystem::path &directory, const std::function<void(int)> &each);

} // namespace dnsgauge
