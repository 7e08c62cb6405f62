// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "echo/cli.h"

#include "host/xdp_words.h"
#include "userland/chosen_word.h"
#include "userland/command_arguments.h"
#include "userland/cpus.h"
#include "userland/setup_error.h"

#include <CLI/CLI.hpp>

namespace dnsgauge
{

namespace
{

// The options, as texts and numbers from the command line.
struct Arguments {
    EchoOptions options;
    std::string model = echo_models.text_of(EchoOptions{}.model);
    std::string cpus;
    std::string xdp_mode = to_string(XdpMode::automatic);
    bool verbose = false;
};

void check(const EchoOptions &options)
{
    const bool is_xdp = options.model == EchoModel::xdp;
    const bool uses_xdp = is_xdp || options.model == EchoModel::af_xdp;
    const bool has_frames = uses_xdp || options.model == EchoModel::af_packet;
    if (is_xdp && (options.workers() != 1 || !options.cpus.empty()))
        throw SetupError("--io xdp has no workers: the kernel echoes on the CPUs that poll the "
                         "interface's queues; leave out --forks, --threads and --cpus");
    if (has_frames && options.own_sockets)
        throw SetupError(std::string("--reuseport is for UDP sockets, and --io ") +
                         echo_models.text_of(options.model) + " has none: leave it out");
    if (!uses_xdp && options.xdp_mode != XdpMode::automatic)
        throw SetupError("--xdp-mode is for --io af_xdp and --io xdp");
}

void add_options(CLI::App &echo, Arguments &arguments)
{
    echo.add_option("--interface", arguments.options.interface, "Interface to echo on")
        ->type_name("IF")
        ->required();
    echo.add_option("--io", arguments.model,
                    "How datagrams are received and sent: " + all_words(echo_models))
        ->type_name("MODEL");
    echo.add_option("--port", arguments.options.port, "UDP port")
        ->type_name("PORT")
        ->check(CLI::Range(1, 65535));
    echo.add_option("--forks", arguments.options.forks, "Processes")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    echo.add_option("--threads", arguments.options.threads, "Threads of each process")
        ->type_name("N")
        ->check(CLI::Range(1, 1024));
    echo.add_option("--cpus", arguments.cpus,
                    "CPUs to pin the workers to in turn, such as 0,2-5; default: none")
        ->type_name("LIST");
    echo.add_flag("--reuseport", arguments.options.own_sockets,
                  "Open a socket for each worker (SO_REUSEPORT); default: one for all");
    echo.add_option("--xdp-mode", arguments.xdp_mode,
                    "auto: native, else generic; native: in the driver; generic: in the stack")
        ->type_name("MODE");
    echo.add_flag("--verbose", arguments.verbose, "Show libbpf's messages");
}

EchoOptions understand(const Arguments &arguments)
{
    EchoOptions options = arguments.options;
    options.model = chosen(echo_models, arguments.model, "--io");
    options.xdp_mode = chosen(xdp_modes, arguments.xdp_mode, "--xdp-mode");
    if (!arguments.cpus.empty())
        options.cpus = parse_cpu_list("--cpus", arguments.cpus);
    check(options);
    return options;
}

constexpr const char *help_footer =
    "Examples:\n"
    "  fakedns echo --interface eth1 --io xdp\n"
    "  fakedns echo --interface eth1 --io epoll --threads 4 --cpus 0-3 --reuseport\n\n"
    "Exit status:\n"
    "  0  SIGTERM or SIGINT ended the echo\n"
    "  2  the command or the environment is wrong\n"
    "  3  the interface is not there or is down\n";

} // namespace

std::optional<EchoCommand> read_echo_command(int argc, const char *const *argv)
{
    Arguments arguments;
    CLI::App echo{"Return each UDP query as its own reply, without an answer: how fast can this "
                  "machine's interfaces be at all?",
                  "fakedns echo"};
    echo.option_defaults()->always_capture_default();
    add_options(echo, arguments);
    echo.footer(help_footer);
    if (!read_arguments(echo, argc, argv))
        return std::nullopt;
    return EchoCommand{understand(arguments), arguments.verbose};
}

} // namespace dnsgauge
