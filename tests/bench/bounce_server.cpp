// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Answers as FakeDNS does, by its XDP program alone, which sends answers back by XDP_TX or by a
// redirect to the same interface, whatever the driver needs: for bounce.py. Says "ready", and ends
// with its standard input.
#include "common/setup_error.h"
#include "host/xdp_link.h"
#include "support/prog_run.h"
#include "support/program_configs.h"

#include <cstdio>
#include <string_view>

int main(int count, char **words)
{
    using namespace dnsgauge;
    const std::string_view how = count == 3 ? words[2] : "";
    if (how != "tx" && how != "redirect") {
        static_cast<void>(std::fputs("usage: bounce_server INTERFACE tx|redirect\n", stderr));
        return 2;
    }
    try {
        const testing::FakednsProgram program(testing::fakedns_test_config(), how == "redirect");
        const XdpLink link(program.fd(), words[1], XdpMode::native);
        std::puts("ready");
        static_cast<void>(std::fflush(stdout));
        while (std::getchar() != EOF) {
        }
    } catch (const SetupError &error) {
        static_cast<void>(std::fprintf(stderr, "bounce_server: %s\n", error.what()));
        return 2;
    }
    return 0;
}
