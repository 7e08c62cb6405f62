// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "userland/listed.h"

#include <algorithm>

namespace dnsgauge
{

std::string listed(const std::vector<std::string> &names, const std::string &word)
{
    std::string text;
    for (std::size_t i = 0; i < names.size(); i++)
        text += (i == 0 ? "" : i + 1 == names.size() ? " " + word + " " : ", ") + names[i];
    return text;
}

std::vector<std::string> each_once(const std::vector<std::string> &names)
{
    std::vector<std::string> once;
    for (const std::string &name : names)
        if (!name.empty() && std::ranges::find(once, name) == once.end())
            once.push_back(name);
    return once;
}

} // namespace dnsgauge
