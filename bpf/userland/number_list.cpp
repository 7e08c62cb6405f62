// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/number_list.h"

#include "userland/setup_error.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace dnsgauge
{

namespace
{

// Returns nothing unless all of `text` is a number up to `most`.
std::optional<unsigned> read_number(std::string_view text, unsigned most)
{
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number > most)
        return std::nullopt;
    return number;
}

bool append_range(std::string_view text, unsigned most, std::vector<unsigned> &numbers)
{
    const std::size_t dash = text.find('-');
    const auto first = read_number(text.substr(0, dash), most);
    const auto last =
        dash == std::string_view::npos ? first : read_number(text.substr(dash + 1), most);
    if (!first || !last || *last < *first)
        return false;
    for (unsigned number = *first; number <= *last; number++)
        numbers.push_back(number);
    return true;
}

} // namespace

std::vector<unsigned> parse_number_list(const std::string &option, std::string_view text,
                                        unsigned most, const char *things)
{
    std::vector<unsigned> numbers;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t comma = std::min(text.find(',', from), text.size());
        if (!append_range(text.substr(from, comma - from), most, numbers))
            throw SetupError(option + ": \"" + std::string(text) + "\" is no list of " + things +
                             ": write it like 0,2-5");
        from = comma + 1;
    }
    return numbers;
}

} // namespace dnsgauge
