// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "echo/cli.h"
#include "echo/server.h"
#include "fakedns/cli.h"
#include "fakedns/cli_faults.h"
#include "fakedns/server.h"

#include "common/run_program.h"
#include "common/standard_output.h"
#include "host/skeleton.h"

#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace dnsgauge
{

namespace
{

// "fakedns echo" is a program of its own, which the server does not know.
void run_echo(int argc, char **argv)
{
    const std::optional<EchoCommand> command = read_echo_command(argc, argv);
    if (!command)
        return;
    set_libbpf_verbosity(command->verbose);
    serve_echo(command->options);
}

void run_server(int argc, char **argv)
{
    const std::optional<CommandLine> line = read_command_line(argc, argv);
    if (!line)
        return;
    if (line->predict) {
        print_result(prediction_table(line->server.faults.plan, *line->predict,
                                      line->server.content.zones.zone[0].aaaa_share));
        return;
    }
    set_libbpf_verbosity(line->verbose);
    block_server_signals();
    std::function<ServerOptions()> reread;
    if (!line->server.setup.config_file.empty())
        reread = [=] { return read_command_line(argc, argv)->server; };
    serve(line->server, std::move(reread));
}

} // namespace

} // namespace dnsgauge

int main(int argc, char **argv)
{
    return dnsgauge::run_program("fakedns", [=] {
        if (argc > 1 && std::string_view(argv[1]) == "echo")
            dnsgauge::run_echo(argc - 1, argv + 1);
        else
            dnsgauge::run_server(argc, argv);
        return 0;
    });
}
