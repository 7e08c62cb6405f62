// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/listed.h"

namespace dnsgauge
{

std::string listed(const std::vector<std::string> &names, const std::string &word)
{
    std::string text;
    for (std::size_t i = 0; i < names.size(); i++)
        text += (i == 0 ? "" : i + 1 == names.size() ? " " + word + " " : ", ") + names[i];
    return text;
}

} // namespace dnsgauge
