// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/cli.h"
#include "fakedns/cli_faults.h"
#include "fakedns/echo/server.h"
#include "fakedns/server.h"

#include "host/skeleton.h"

#include <cstdio>
#include <exception>
#include <optional>
#include <string>

namespace
{

constexpr int exit_wrong_setup = 2;

} // namespace

int main(int argc, char **argv)
{
    try {
        const std::optional<dnsgauge::CommandLine> line = dnsgauge::read_command_line(argc, argv);
        if (!line)
            return 0;
        if (line->predict) {
            const std::string table = dnsgauge::prediction_table(
                line->server.faults.plan, *line->predict, line->server.config.zone.aaaa_share);
            std::fputs(table.c_str(), stdout);
            return 0;
        }
        dnsgauge::set_libbpf_verbosity(line->verbose);
        dnsgauge::block_server_signals();
        if (line->echo)
            dnsgauge::serve_echo(*line->echo);
        else
            dnsgauge::serve(line->server);
        return 0;
    } catch (const std::exception &error) {
        std::fprintf(stderr, "fakedns: %s\n", error.what());
        return exit_wrong_setup;
    }
}
