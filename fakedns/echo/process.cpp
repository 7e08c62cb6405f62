// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "echo/process.h"

#include "base/signal_handler.h"
#include "userland/cpus.h"
#include "userland/privileges.h"
#include "userland/setup_error.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>
#include <system_error>
#include <thread>

namespace dnsgauge
{

namespace
{

constexpr char ready =
    '\n'; // what a child that is ready writes; any other child writes why it is not ready
constexpr int exit_wrong_setup = 2;

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
    const sigset_t signals = signal_set({SIGTERM, SIGINT});
    int signal = 0;
    sigwait(&signals, &signal);
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

} // namespace

EchoProcess::EchoProcess(const std::vector<EchoSeat> &seats)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        throw_errno("cannot make a pipe");
    said_ = UniqueFd(ends[0]);
    const UniqueFd says{ends[1]};
    child_.emplace([&] { return be_child(seats, says.get()); });
}

void EchoProcess::wait_until_ready()
{
    std::array<char, 1024> text{};
    const ssize_t length = read(said_.get(), text.data(), text.size());
    if (length == 1 && text[0] == ready)
        return;
    if (length > 0)
        throw SetupError(std::string(text.data(), static_cast<std::size_t>(length)));
    throw SetupError("a process of the echo ended before it was ready: see dmesg");
}

void EchoProcess::ask_to_stop() const
{
    child_->ask_to_end();
}

bool EchoProcess::join()
{
    const int status = child_->wait();
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

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

} // namespace dnsgauge
