// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "options/option_error.h"

namespace dnsgauge
{

namespace
{

bool is_of_name(char character)
{
    return character == '-' || (character >= 'a' && character <= 'z') ||
           (character >= '0' && character <= '9');
}

// Is the place in a command that the text shows, as in "make one (dnsgauge selftest --rate 5)"?
bool is_in_command(const std::string &text, std::size_t at)
{
    const std::string before = text.substr(0, at);
    const std::size_t clause = before.find_last_of(";()") + 1; // npos + 1 is 0
    return before.find("dnsgauge ", clause) != std::string::npos;
}

} // namespace

std::string
OptionError::called(const std::function<std::string(const std::string &)> &name_of) const
{
    std::string text = what();
    for (const std::string &option : options_) {
        const std::string word = "--" + option;
        for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
            const std::size_t end = at + word.size();
            if ((end < text.size() && is_of_name(text[end])) || is_in_command(text, at)) {
                at = end;
                continue;
            }
            const std::string name = name_of(option);
            text.replace(at, word.size(), name);
            at += name.size();
        }
    }
    return text;
}

} // namespace dnsgauge
