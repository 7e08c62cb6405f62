// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/cli.h"
#include "fakedns/cli_faults.h"
#include "fakedns/echo/server.h"
#include "fakedns/server.h"

#include "common/inheritance.h"
#include "common/standard_output.h"
#include "host/skeleton.h"

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace
{

constexpr int exit_wrong_setup = 2;

} // namespace

int main(int argc, char **argv)
{
    dnsgauge::put_inheritance_right();
    try {
        const std::optional<dnsgauge::CommandLine> line = dnsgauge::read_command_line(argc, argv);
        if (!line)
            return 0;
        if (line->predict) {
            const std::string table =
                dnsgauge::prediction_table(line->server.faults.plan, *line->predict,
                                           line->server.content.zones.zone[0].aaaa_share);
            dnsgauge::print_result(table);
            dnsgauge::check_standard_output();
            return 0;
        }
        dnsgauge::set_libbpf_verbosity(line->verbose);
        dnsgauge::block_server_signals();
        if (line->echo) {
            dnsgauge::serve_echo(*line->echo);
            return 0;
        }
        std::function<dnsgauge::ServerOptions()> reread;
        if (!line->server.setup.config_file.empty())
            reread = [=] { return dnsgauge::read_command_line(argc, argv)->server; };
        dnsgauge::serve(line->server, std::move(reread));
        return 0;
    } catch (const std::exception &error) {
        dnsgauge::say("fakedns: {}\n", error.what());
        return exit_wrong_setup;
    }
}
