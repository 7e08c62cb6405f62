// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/interface.h"
#include "base/signal_handler.h"
#include "echo/cli.h"
#include "echo/server.h"
#include "fakedns/cli.h"
#include "fakedns/cli_faults.h"
#include "fakedns/server.h"
#include "internet/prediction.h"
#include "internet/world_file.h"

#include "host/skeleton.h"
#include "userland/run_program.h"
#include "userland/setup_error.h"
#include "userland/standard_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
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

// Predicts each name of the words, "-" being those of standard input, a line each.
void predict_names(const World &world, const InternetCommand &command)
{
    const auto predict = [&](const std::string &text) {
        // "www.example.com", or behind a space the type.
        const std::size_t space = std::min(text.find(' '), text.size());
        const std::string type = text.substr(std::min(space + 1, text.size()));
        const std::uint16_t wanted =
            type.empty() ? std::uint16_t{DNS_TYPE_A} : parse_type("--predict", type);
        if (wanted == DNS_TYPE_ANY || wanted == DNS_TYPE_AXFR || wanted == DNS_TYPE_IXFR)
            throw SetupError(
                fmt::format("--predict \"{}\": ANY, AXFR and IXFR are not predicted", text));
        print_result(prediction_line(world, WireName::parse(text.substr(0, space)), wanted) + "\n");
    };
    for (const std::string &name : command.predict) {
        if (name != "-") {
            predict(name);
            continue;
        }
        for (std::string line; std::getline(std::cin, line);)
            if (!line.empty())
                predict(line);
    }
}

void run_internet(const InternetCommand &command)
{
    const bool serves = !command.prints_hints && command.predict.empty();
    if (serves)
        block_server_signals();
    const World world(command.world,
                      command.names.empty() ? ListedNames() : ListedNames(command.names));
    if (serves)
        return serve_internet(command.setup, world);
    if (command.prints_hints)
        print_result(root_hints(world));
    predict_names(world, command);
}

constexpr int interface_missing = 3;

void run_server(int argc, char **argv)
{
    const std::optional<CommandLine> line = read_command_line(argc, argv);
    if (!line)
        return;
    set_libbpf_verbosity(line->verbose);
    if (line->internet)
        return run_internet(*line->internet);
    if (line->predict) {
        print_result(prediction_table(line->server.faults.plan, *line->predict,
                                      line->server.content.zones.zone[0].aaaa_share));
        return;
    }
    block_server_signals();
    std::function<ServerOptions()> reread;
    if (!line->server.setup.config_file.empty())
        reread = [=] { return read_command_line(argc, argv)->server; };
    serve(line->server, std::move(reread));
}

// Returns the exit status.
int run(int argc, char **argv)
{
    try {
        if (argc > 1 && std::string_view(argv[1]) == "echo")
            run_echo(argc - 1, argv + 1);
        else
            run_server(argc, argv);
        return 0;
    } catch (const InterfaceMissing &error) {
        say("fakedns: {}\n", error.what());
        return interface_missing;
    }
}

} // namespace

} // namespace dnsgauge

int main(int argc, char **argv)
{
    return dnsgauge::run_program("fakedns", [=] { return dnsgauge::run(argc, argv); });
}
