// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "options/access.h"

#include "system/listed.h"
#include "system/number_text.h"

#include <fmt/format.h>

#include <cmath>

namespace dnsgauge
{

namespace
{

// Throws SetupError if `text` begins with a 0: other programs read such a text as an octal number.
void refuse_leading_zero(const std::string &text, const std::string &name)
{
    if (has_leading_zero(text))
        throw SetupError("{}: \"{}\" begins with a 0: write it without", name, text);
}

// Results and journals hold the first word of each value.
constexpr auto flag_words = words<bool>(
    {{false, "false"}, {true, "true"}, {false, "no"}, {true, "yes"}, {false, "off"}, {true, "on"}});

} // namespace

OptionAccess flag(bool &value)
{
    return {.set =
                [&value](const std::string &text, const std::string &name) {
                    const std::optional<bool> found =
                        text.empty() ? std::optional(true) : flag_words.value_of(text);
                    if (!found)
                        throw SetupError("{} takes no value, or true or false: \"{}\" "
                                         "is none of these",
                                         name, text);
                    value = *found;
                },
            .get = [&value]() -> OptionValue { return value; },
            .is_flag = true};
}

OptionAccess texts(std::vector<std::string> &values)
{
    return {.set = [&values](const std::string &text,
                             const std::string & /*name*/) { values.push_back(text); },
            .get = [&values]() -> OptionValue { return values; }};
}

double read_real(const std::string &text, const std::string &name, double least, double most)
{
    refuse_leading_zero(text, name);
    const auto found = read_number<double>(text);
    if (!found || !std::isfinite(*found) || *found < least || *found > most)
        throw SetupError("{} {}: must be {:g} to {:g}", name, text, least, most);
    return *found;
}

std::string range_of_reals(double least, double most)
{
    return fmt::format("{:g} to {:g}", least, most);
}

std::string range_text(std::uint64_t least, std::uint64_t most)
{
    if (most == std::numeric_limits<std::uint64_t>::max())
        return {};
    return fmt::format("{} to {}", least, most);
}

std::uint64_t read_whole(const std::string &text, const std::string &name, std::uint64_t least,
                         std::uint64_t most)
{
    refuse_leading_zero(text, name);
    const auto found = read_number<std::uint64_t>(text);
    if (!found || *found < least || *found > most)
        throw SetupError("{} {}: must be a whole number, {} to {}", name, text, least, most);
    return *found;
}

void refuse_word(const std::string &text, const std::string &name,
                 const std::vector<std::string> &words)
{
    throw SetupError("{} {}: must be {}", name, text, listed(words, "or"));
}

} // namespace dnsgauge
