// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "echo/server.h"

#include "base/interface.h"
#include "base/sockets.h"
#include "echo/board.h"
#include "echo/kernel.h"
#include "echo/process.h"
#include "userland/counted.h"

#include "userland/privileges.h"
#include "userland/setup_error.h"
#include "userland/standard_output.h"

#include <fmt/core.h>

#include <csignal>

namespace dnsgauge
{

namespace
{

void wait_for_signal(const sigset_t &signals)
{
    int signal = 0;
    sigwait(&signals, &signal);
}

// Blocks the signals that end a program, in this thread and in all that it starts.
void block_signals()
{
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGHUP})
        sigaddset(&signals, signal);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

sigset_t end_signals()
{
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGTERM, SIGINT, SIGCHLD})
        sigaddset(&signals, signal);
    return signals;
}

void say_ready(const EchoOptions &options, const std::string &how)
{
    print_result(fmt::format("fakedns: ready on {}, port {}, echo by {}, {}\n", options.interface,
                             options.port, echo_models.text_of(options.model), how));
}

std::string columns(const echo_counters &counters)
{
    return fmt::format("{:>14} {:>10} {:>10}", counters.value[ECHO_SENT],
                       counters.value[ECHO_IGNORED], counters.value[ECHO_UNSENT]);
}

void add(echo_counters &sum, const echo_counters &counters)
{
    for (unsigned i = 0; i < ECHO_COUNTERS; i++)
        sum.value[i] += counters.value[i];
}

std::string workers_table(const EchoOptions &options, const EchoBoard &board)
{
    echo_counters sum{};
    std::string text = fmt::format("{:>6} {:>7} {:>6} {:>4} {:>14} {:>10} {:>10}\n", "worker",
                                   "process", "thread", "CPU", "echoed", "ignored", "unsent");
    for (unsigned number = 0; number < options.workers(); number++) {
        const std::optional<unsigned> cpu = options.cpu(number);
        text += fmt::format("{:>6} {:>7} {:>6} {:>4} {}\n", number, number / options.threads,
                            number % options.threads, cpu ? std::to_string(*cpu) : "any",
                            columns(board.of(number)));
        add(sum, board.of(number));
    }
    return text + fmt::format("{:<26} {}\n", "total", columns(sum));
}

std::string cpus_table(const std::vector<echo_counters> &cpus)
{
    echo_counters sum{};
    std::string text =
        fmt::format("{:>6} {:>14} {:>10} {:>10}\n", "CPU", "echoed", "ignored", "unsent");
    for (std::size_t cpu = 0; cpu < cpus.size(); cpu++) {
        text += fmt::format("{:>6} {}\n", cpu, columns(cpus[cpu]));
        add(sum, cpus[cpu]);
    }
    return text + fmt::format("{:<6} {}\n", "total", columns(sum));
}

void require_a_worker_for_each_queue(const EchoOptions &options)
{
    const unsigned queues = receive_queues(options.interface);
    if (queues > ECHO_QUEUES_MAX)
        throw SetupError(fmt::format("{} has {} receive queues: set at most {} with ethtool -L",
                                     options.interface, queues, ECHO_QUEUES_MAX));
    if (queues != options.workers())
        throw SetupError(fmt::format("--io af_xdp needs a worker for each receive queue of {}: "
                                     "there are {} (--forks times --threads) for {}",
                                     options.interface, options.workers(), queues));
}

// Returns a socket for each worker, one socket for all workers, or none.
std::vector<UniqueFd> open_sockets(const EchoOptions &options)
{
    std::vector<UniqueFd> sockets;
    if (options.model == EchoModel::af_xdp)
        return sockets;
    const unsigned count = options.own_sockets ? options.workers() : 1;
    while (sockets.size() < count)
        sockets.push_back(open_echo_socket(options.interface, options.port, options.own_sockets));
    return sockets;
}

unsigned receiving_sockets(const EchoOptions &options)
{
    const bool is_for_each = options.own_sockets || options.model == EchoModel::af_packet;
    return is_for_each ? options.workers() : 1;
}

void serve_by_workers(const EchoOptions &options)
{
    const EchoBoard board(options.workers());
    const std::vector<UniqueFd> sockets = open_sockets(options);
    std::optional<KernelEcho> kernel;
    if (options.model == EchoModel::af_xdp) {
        require_a_worker_for_each_queue(options);
        kernel.emplace(options);
    }
    // From here on this process waits for the end of a child as for the other signals.
    const sigset_t signals = end_signals();
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::vector<EchoProcess> processes;
    for (unsigned process = 0; process < options.forks; process++) {
        std::vector<EchoSeat> seats;
        for (unsigned thread = 0; thread < options.threads; thread++) {
            const unsigned number = process * options.threads + thread;
            const int socket = sockets.empty() ? -1 : sockets[number % sockets.size()].get();
            seats.push_back(
                {options, number, socket, kernel ? kernel->sockets() : -1, board.of(number)});
        }
        processes.emplace_back(seats);
    }
    for (EchoProcess &process : processes)
        process.wait_until_ready();
    drop_privileges();
    say_ready(options, fmt::format("{} x {}, {}", options.forks, counted(options.threads, "worker"),
                                   kernel ? fmt::format("XDP {}", to_string(kernel->mode()))
                                          : counted(receiving_sockets(options), "socket")));

    wait_for_signal(signals);
    bool all_well = true;
    for (const EchoProcess &process : processes)
        process.ask_to_stop();
    for (EchoProcess &process : processes)
        all_well = process.join() && all_well;
    print_result(workers_table(options, board));
    if (!all_well)
        throw SetupError("a process of the echo has ended by itself: the counts are too low");
}

void serve_by_kernel(const EchoOptions &options)
{
    const KernelEcho kernel(options);
    drop_privileges();
    say_ready(options, std::string("XDP ") + to_string(kernel.mode()));
    wait_for_signal(end_signals());
    print_result(cpus_table(kernel.counters()));
}

} // namespace

void serve_echo(const EchoOptions &options)
{
    block_signals();
    require_interface_up(options.interface);
    if (options.model == EchoModel::xdp)
        serve_by_kernel(options);
    else
        serve_by_workers(options);
}

} // namespace dnsgauge
