// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/shell_text.h"

namespace dnsgauge
{

namespace
{

std::string quoted(const std::string &word)
{
    if (!word.empty() && is_plain_word(word))
        return word;
    std::string text = "'";
    for (const char octet : word)
        text += octet == '\'' ? std::string("'\\''") : std::string(1, octet);
    return text + "'";
}

} // namespace

bool is_plain_word(const std::string &text)
{
    return text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                  "._:/,@%+=-") == std::string::npos;
}

std::string shell_text(const std::vector<std::string> &words)
{
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : " ") + quoted(word);
    return text;
}

} // namespace dnsgauge
