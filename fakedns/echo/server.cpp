// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "echo/server.h"

#include "base/event_loop.h"
#include "base/interface.h"
#include "base/sockets.h"
#include "echo/worker.h"

#include "echo_abi.h"
#include "host/bounce.h"
#include "host/mapped_memory.h"
#include "host/percpu.h"
#include "host/skeleton.h"
#include "system/child_process.h"
#include "system/counted.h"
#include "system/cpus.h"
#include "system/privileges.h"
#include "system/setup_error.h"
#include "system/standard_output.h"
#include "system/unique_fd.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <optional>
#include <system_error>
#include <thread>

#include "echo.skel.h"

namespace dnsgauge
{

namespace
{

constexpr char ready =
    '\n'; // a ready child writes this; any other child writes why it is not ready
constexpr int exit_wrong_setup = 2;

void wait_for_signal(const sigset_t &signals)
{
    int signal = 0;
    sigwait(&signals, &signal);
}

// Tells the parent why this child cannot work, and ends the child with all its threads.
[[noreturn]] void fail(int said, const std::string &why)
{
    static_cast<void>(write(said, why.data(), why.size()));
    _exit(exit_wrong_setup);
}

std::thread &start(std::vector<std::thread> &threads, EchoWorker &worker, int said)
{
    try {
        return threads.emplace_back([&worker] { worker.run(); });
    } catch (const std::system_error &error) {
        fail(said, std::string("cannot start the threads: ") + error.what());
    }
}

// Does the child's work: starts its workers, and stops them after a signal.
void work(const std::vector<EchoSeat> &seats, int said)
{
    std::vector<std::unique_ptr<EchoWorker>> workers;
    workers.reserve(seats.size());
    for (const EchoSeat &seat : seats)
        workers.push_back(make_echo_worker(seat));
    drop_privileges();
    std::vector<std::thread> threads;
    for (const EchoSeat &seat : seats) {
        std::thread &thread = start(threads, *workers[threads.size()], said);
        const std::optional<unsigned> cpu = seat.options.cpu(seat.number);
        if (cpu && !pin_thread(thread.native_handle(), *cpu))
            fail(said, "--cpus: the echo may not run on CPU " + std::to_string(*cpu));
    }
    static_cast<void>(write(said, &ready, 1));
    wait_for_signal(signal_set({SIGTERM, SIGINT}));
    for (const auto &worker : workers)
        worker->stop();
    for (std::thread &thread : threads)
        thread.join();
}

int be_child(const std::vector<EchoSeat> &seats, int said)
{
    try {
        work(seats, said);
        return 0;
    } catch (const std::exception &error) {
        fail(said, error.what());
    }
}

// Owns a child process, in which some workers run, each in a thread.
class EchoProcess
{
public:
    // Starts the child, with a worker for each of `seats`. The child ends by SIGTERM or SIGINT,
    // which the caller has blocked, or when this process ends. The caller must not have started
    // threads before. Throws SetupError.
    explicit EchoProcess(const std::vector<EchoSeat> &seats)
    {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0)
            throw_errno("cannot make a pipe");
        said_ = UniqueFd(ends[0]);
        const UniqueFd says{ends[1]};
        child_.emplace([&] { return be_child(seats, says.get()); });
    }

    // Waits until all workers of the child are at work. Throws SetupError, with what the child
    // says, if a worker cannot start.
    void wait_until_ready() const
    {
        std::array<char, 1024> text{};
        const ssize_t length = read(said_.get(), text.data(), text.size());
        if (length == 1 && text[0] == ready)
            return;
        if (length > 0)
            throw SetupError(std::string(text.data(), static_cast<std::size_t>(length)));
        throw SetupError("a process of the echo ended before it was ready: see dmesg");
    }
    // Asks the child to end; join() tells how it ended.
    void ask_to_stop() const { child_->ask_to_end(); }
    // Waits for the child's end. Returns false if the child ended without being asked to.
    [[nodiscard]] bool join()
    {
        const int status = child_->wait();
        return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

private:
    UniqueFd said_;
    std::optional<ChildProcess> child_;
};

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
        // AF_XDP sockets send through the stack, so the other end receives echoes in any mode.
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
    std::optional<XdpLink> link_; // declared after the program, so that the link is detached first
};

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
    // From here on the end of a child is a signal like the others that this process waits for.
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
    for (const EchoProcess &process : processes)
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

std::unique_ptr<EchoWorker> make_echo_worker(const EchoSeat &seat)
{
    // In the order of EchoModel.
    static constexpr std::array<EchoWorkerMaker *, 10> makers{
        make_blocking_echo,  make_nonblocking_echo, make_poll_echo,     make_select_echo,
        make_epoll_echo,     make_libevent_echo,    make_recvmmsg_echo, make_io_uring_echo,
        make_af_packet_echo, make_af_xdp_echo};
    static_assert(makers.size() == static_cast<std::size_t>(EchoModel::xdp));
    return makers.at(static_cast<std::size_t>(seat.options.model))(seat);
}

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
