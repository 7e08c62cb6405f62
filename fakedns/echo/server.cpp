// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "echo/server.h"

#include "base/interface.h"
#include "base/signal_handler.h"
#include "base/sockets.h"
#include "echo/process.h"

#include "echo_abi.h"
#include "host/bounce.h"
#include "host/mapped_memory.h"
#include "host/percpu.h"
#include "host/skeleton.h"
#include "userland/counted.h"
#include "userland/privileges.h"
#include "userland/setup_error.h"
#include "userland/standard_output.h"

#include <fmt/core.h>

#include "echo.skel.h"

namespace dnsgauge
{

namespace
{

// The counters of all workers, in memory that their processes share.
class EchoBoard
{
public:
    explicit EchoBoard(unsigned workers)
        : memory_(workers * sizeof(Place), MAP_SHARED | MAP_ANONYMOUS, -1)
    {
        if (memory_.data() == nullptr)
            throw SetupError("no memory for the workers' counters");
    }

    [[nodiscard]] echo_counters &of(unsigned worker) const
    {
        return static_cast<Place *>(memory_.data())[worker].counters;
    }

private:
    // Each worker's counters have a cache line of their own.
    struct alignas(64) Place {
        echo_counters counters;
    };

    MappedMemory memory_;
};

// Owns echo.bpf.c, configured, loaded and attached.
class KernelEcho
{
public:
    // With options.model xdp the kernel echoes until the object is destroyed; with af_xdp queries
    // go to the AF_XDP sockets in sockets(). Throws UnsupportedError if this kernel or driver
    // cannot do that; SetupError for anything else, see XdpLink.
    explicit KernelEcho(const EchoOptions &options) : skeleton_(open_skeleton<echo>())
    {
        const bool to_sockets = options.model == EchoModel::af_xdp;
        bpf_program *program = to_sockets ? skeleton_->progs.echo_to_socket : skeleton_->progs.echo;
        skeleton_->rodata->port = options.port;
        skeleton_->rodata->bounce_redirects = must_redirect(options.interface);
        bpf_program__set_autoload(skeleton_->progs.echo, !to_sockets);
        bpf_program__set_autoload(skeleton_->progs.echo_to_socket, to_sockets);
        load_object(skeleton_->obj, "echo");
        // AF_XDP sockets send through the stack, and the other end receives that in any mode.
        BounceMode bounce{options.xdp_mode};
        if (!to_sockets)
            bounce = bounce_mode(options.interface, options.xdp_mode);
        if (!bounce.remark.empty())
            say("fakedns: {}\n", bounce.remark);
        link_.emplace(bpf_program__fd(program), options.interface, bounce.mode);
    }

    // Returns native or generic.
    [[nodiscard]] XdpMode mode() const { return link_->mode(); }
    // Returns the map of sockets by receive queue.
    [[nodiscard]] int sockets() const { return bpf_map__fd(skeleton_->maps.sockets); }
    // Returns one value for each possible CPU.
    [[nodiscard]] std::vector<echo_counters> counters() const
    {
        return read_percpu<echo_counters>(bpf_map__fd(skeleton_->maps.counters));
    }

private:
    Skeleton<echo> skeleton_;
    std::optional<XdpLink> link_; // declared behind the program, so that the link is detached first
};

void wait_for_signal(const sigset_t &signals)
{
    int signal = 0;
    sigwait(&signals, &signal);
}

sigset_t end_signals()
{
    return signal_set({SIGTERM, SIGINT, SIGCHLD});
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
    const unsigned queues = receive_queues(options.interface, ECHO_QUEUES_MAX);
    if (queues != options.workers())
        throw SetupError("--io af_xdp needs a worker for each receive queue of {}: "
                         "there are {} (--forks times --threads) for {}",
                         options.interface, options.workers(), queues);
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
    block_server_signals();
    require_interface_up(options.interface);
    if (options.model == EchoModel::xdp)
        serve_by_kernel(options);
    else
        serve_by_workers(options);
}

} // namespace dnsgauge
