// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/setup_error.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace dnsgauge
{

std::string one_line(std::string text)
{
    std::ranges::replace(text, '\n', ' ');
    const auto is_control = [](unsigned char octet) { return octet < 0x20 || octet == 0x7f; };
    std::ranges::replace_if(text, is_control, '?');
    return text;
}

void throw_errno(const std::string &what)
{
    throw SetupError(what + ": " + std::strerror(errno));
}

} // namespace dnsgauge
