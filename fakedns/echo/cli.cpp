// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "echo/server.h"

#include "host/xdp_link.h"
#include "options/access.h"
#include "system/cpus.h"
#include "system/setup_error.h"

#include <memory>

namespace dnsgauge
{

namespace
{

// Unlike a Tester's senders, workers may share a CPU.
OptionAccess cpu_list(std::vector<unsigned> &cpus)
{
    return {.set = [&cpus](const std::string &text,
                           const std::string &name) { cpus = parse_cpu_list(name, text); },
            .get = [&cpus]() -> OptionValue { return cpus; }};
}

Options rows(EchoOptions &options)
{
    constexpr std::uint64_t workers_most = 1024;
    return {
        Option("interface", OptionGroup::other, "IF", "Interface to echo on",
               text(options.interface), {.is_required = true}),
        {"io", OptionGroup::server, "MODEL",
         "Model by which datagrams are received and sent: " + all_words(echo_models),
         word(options.model, echo_models)},
        {"port", OptionGroup::server, "PORT", "UDP port", whole(options.port, 1)},
        {"forks", OptionGroup::server, "N", "Processes", whole(options.forks, 1, workers_most)},
        {"threads", OptionGroup::server, "N", "Threads of each process",
         whole(options.threads, 1, workers_most)},
        Option("cpus", OptionGroup::server, "LIST",
               "CPUs to pin the workers to in turn, such as 0,2-5", cpu_list(options.cpus),
               {.usual = "none"}),
        {"reuseport", OptionGroup::server, "",
         "Open a socket for each worker (SO_REUSEPORT); default: one for all",
         flag(options.own_sockets)},
        {"xdp-mode", OptionGroup::server, "MODE",
         "Place of the XDP program: in the driver (native), in the stack (generic), or auto "
         "(native, else generic)",
         word(options.xdp_mode, xdp_modes)},
        {"verbose", OptionGroup::watching, "", "Show libbpf's messages", flag(options.verbose)},
    };
}

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

} // namespace

Command echo_command(const std::function<void(const EchoOptions &options)> &run)
{
    const auto values = std::make_shared<EchoOptions>();
    return {
        .name = "echo",
        .summary = "Return each UDP query as its own reply, without an answer: how fast can this "
                   "machine's interfaces be at all?",
        .options = rows(*values),
        .examples = {"fakedns echo --interface eth1 --io xdp",
                     "fakedns echo --interface eth1 --io epoll --threads 4 --cpus 0-3 --reuseport"},
        .statuses = {{ExitStatus::done, "SIGTERM or SIGINT ended the echo"},
                     {ExitStatus::wrong_input, "the command or the environment is wrong"},
                     {ExitStatus::interface_missing, "the interface is not there or is down"}},
        .run = doing([values, run] {
            check(*values);
            run(*values);
        })};
}

} // namespace dnsgauge
