// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/interface.h"
#include "base/signal_handler.h"
#include "echo/cli.h"
#include "fakedns/cli.h"
#include "fakedns/fault_prediction.h"
#include "fakedns/server.h"
#include "internet/prediction.h"
#include "internet/world_file.h"

#include "host/skeleton.h"
#include "options/program.h"
#include "userland/run_program.h"
#include "userland/setup_error.h"
#include "userland/standard_output.h"
#include "userland/version.h"

#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

namespace
{

// Predicts each name of the words; "-" stands for standard input, with a name a line.
void predict_names(const World &world, const InternetCommand &command)
{
    const auto predict = [&](const std::string &text) {
        // "www.example.com", or name, space and type.
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

void run_server(const std::vector<std::string> &words)
{
    const CommandLine line = read_command_line(words);
    set_libbpf_verbosity(line.verbose);
    if (line.internet)
        return run_internet(*line.internet);
    if (line.predict) {
        print_result(prediction_table(line.server.faults.plan, *line.predict,
                                      line.server.content.zones.zone[0].aaaa_share));
        return;
    }
    block_server_signals();
    std::function<ServerOptions()> reread;
    if (!line.server.setup.config_file.empty())
        reread = [words] { return read_command_line(words).server; };
    serve(line.server, std::move(reread));
}

// "fakedns echo" is a program of its own, which the server does not know.
Program program()
{
    const Command server = server_command(run_server);
    return {.name = "fakedns",
            .summary = server.summary,
            .version = version_text("fakedns", libbpf_version_string()),
            .commands = {server, echo_command()}};
}

ExitStatus run(const std::vector<std::string> &words)
{
    try {
        return run_words(program(), words);
    } catch (const InterfaceMissing &error) {
        say("fakedns: {}\n", error.what());
        return ExitStatus::interface_missing;
    }
}

} // namespace

} // namespace dnsgauge

int main(int argc, char **argv)
{
    return dnsgauge::run_program("fakedns", [=] {
        return static_cast<int>(dnsgauge::run(std::vector<std::string>(argv, argv + argc)));
    });
}
