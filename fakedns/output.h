// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the server says while it runs. Its reader may be gone and its disk full: then it is lost,
// and the server goes on.
#pragma once

#include <string>

namespace dnsgauge
{

// On standard output, at once.
void say(const std::string &text);

// A line on standard error that begins with the program's name.
void complain(const std::string &what);

} // namespace dnsgauge
