// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/output.h"

#include <cstdio>

namespace dnsgauge
{

void say(const std::string &text)
{
    static_cast<void>(std::fputs(text.c_str(), stdout));
    static_cast<void>(std::fflush(stdout));
}

void complain(const std::string &what)
{
    const std::string line = "fakedns: " + what + "\n";
    static_cast<void>(std::fputs(line.c_str(), stderr));
}

} // namespace dnsgauge
