// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/standard_output.h"

#include "common/setup_error.h"

namespace dnsgauge
{

void print_result(const std::string &text)
{
    static_cast<void>(std::fputs(text.c_str(), stdout));
    static_cast<void>(std::fflush(stdout));
}

void check_standard_output()
{
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
        throw SetupError("cannot write standard output: its reader is gone, or its disk is full");
}

} // namespace dnsgauge
