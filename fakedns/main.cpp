// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// fakedns: three programs in one executable. The words of the command line say which one runs.
#include "base/interface.h"
#include "echo/server.h"
#include "fakedns/cli.h"
#include "server/server.h"

#include "host/skeleton.h"
#include "options/program.h"
#include "system/run_program.h"
#include "system/standard_output.h"
#include "system/version.h"

#include <bpf/libbpf.h>

namespace dnsgauge
{

namespace
{

void run_server(const std::vector<std::string> &words)
{
    const CommandLine line = read_command_line(words);
    set_libbpf_verbosity(line.verbose);
    if (line.internet)
        return internet_main(*line.internet);
    std::function<ServerOptions()> reread;
    if (!line.server.setup.config_file.empty())
        reread = [words] { return read_command_line(words).server; };
    server_main(line.server, line.predict, std::move(reread));
}

void run_echo(const EchoOptions &options)
{
    set_libbpf_verbosity(options.verbose);
    serve_echo(options);
}

Program program()
{
    const Command server = server_command(run_server);
    return {.name = "fakedns",
            .summary = server.summary,
            .version = version_text("fakedns", libbpf_version_string()),
            .commands = {server, echo_command(run_echo)}};
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
