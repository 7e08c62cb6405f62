// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/cells.h"

#include "userland/listed.h"

#include "userland/shell_text.h"

namespace dnsgauge
{

namespace
{

const std::string &value_of(const std::string &name, const Variables &variables, const Place &place)
{
    const auto found = variables.find(name);
    if (found == variables.end())
        refuse(place, "there is no variable ${{{}}}: there are {}", name,
               joined(variables, [](const auto &one) { return one.first; }));
    if (!is_plain_word(found->second))
        refuse(place,
               "${{{}}} is \"{}\": variables of commands may have letters, "
               "digits and . _ : / , @ % + = - only",
               name, found->second);
    return found->second;
}

std::string substitute(const std::string &word, const Variables &variables, const Place &place)
{
    std::string text;
    for (std::size_t at = 0; at < word.size();) {
        const std::size_t begin = word.find("${", at);
        text += word.substr(at, begin - at);
        if (begin == std::string::npos)
            break;
        if (begin != 0 && word[begin - 1] == '$') {
            text += '{';
            at = begin + 2;
            continue;
        }
        const std::size_t end = word.find('}', begin);
        if (end == std::string::npos)
            refuse(place, "\"{}\": a ${{ without its }}", word);
        text += value_of(word.substr(begin + 2, end - begin - 2), variables, place);
        at = end + 1;
    }
    return text;
}

} // namespace

std::vector<std::string> substitute(const CommandTemplate &command, const Variables &variables)
{
    std::vector<std::string> words;
    for (const std::string &word : command.words)
        words.push_back(substitute(word, variables, command.place));
    return words;
}

} // namespace dnsgauge
