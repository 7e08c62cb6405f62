// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names in a sentence, and the name that somebody probably meant.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// Returns "a, b and c", where "and" is `word`; empty if there are no names.
[[nodiscard]] std::string listed(const std::vector<std::string> &names, const std::string &word);

// Returns the texts, or the numbers, with `between` between them.
template <class Items>
[[nodiscard]] std::string join(const Items &items, std::string_view between)
{
    return fmt::format("{}", fmt::join(items, between));
}

// Returns the parts of the text, one more than it has separators. The text outlives them.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator = ',');

// Returns the texts that `text_of` makes of the items, without empty ones, with commas between
// them.
template <class Items, class TextOf>
[[nodiscard]] std::string joined(const Items &items, TextOf text_of,
                                 std::string_view between = ", ")
{
    std::string text;
    for (const auto &item : items)
        if (const std::string more = text_of(item); !more.empty())
            text.append(text.empty() ? "" : between).append(more);
    return text;
}

// Returns the names without empty ones, each once, in the order in which they first come.
[[nodiscard]] std::vector<std::string> each_once(const std::vector<std::string> &names);

// Returns the name that differs from `word` by a typing error or two; empty if there is none.
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string> &names);

// Returns "did you mean NAME?" of the nearest name, with `prefix` before the name; `otherwise` if
// no name is near.
[[nodiscard]] std::string suggestion(std::string_view word, const std::vector<std::string> &names,
                                     const std::string &otherwise, const std::string &prefix = "");

} // namespace dnsgauge
