// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "host/bpf_clock.h"

#include "userland/setup_error.h"

#include <cstdint>
#include <fstream>
#include <string>

namespace dnsgauge
{

void check_bpf_clock()
{
    // A kernel without time namespaces has no such file.
    std::ifstream offsets("/proc/self/timens_offsets");
    std::string clock;
    std::int64_t seconds = 0;
    std::int64_t nanoseconds = 0;
    while (offsets >> clock >> seconds >> nanoseconds)
        if (const std::int64_t apart = seconds * 1'000'000'000 + nanoseconds;
            clock == "monotonic" && apart != 0)
            throw SetupError(
                "in this time namespace the monotonic clock is not the clock of BPF programs ({} "
                "ns apart), so that every time would be wrong: run the command in the first time "
                "namespace (nsenter --time --target 1)",
                apart);
}

} // namespace dnsgauge
