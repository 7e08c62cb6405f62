// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Measures how fast FakeDNS' own AF_XDP code answers where receiving and sending cost nothing: the
// worker of fakedns echo --io af_xdp, and the rings that frames held back by a fault use as well.
//
//     answer_rate INTERFACE 4|6 ANSWERS
//
// The worker runs on a real AF_XDP socket. Its system calls do not reach the kernel: a driver of
// this program's hands it queries, and completes its answers at once. Prints a line of JSON:
// nanoseconds of CPU time an answer, without the driver's.
#include "free_rings.h"

#include "echo/worker.h"
#include "echo_abi.h"
#include "support/packet.h"
#include "system/run_program.h"
#include "system/setup_error.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

using namespace dnsgauge;

namespace
{

constexpr std::uint32_t entries = 4096; // of each ring of the worker's socket
constexpr std::uint32_t batch = 64;     // queries that arrive together, as many as the worker takes
constexpr std::uint32_t headroom = 256; // the kernel leaves so much before a packet

std::uint64_t thread_time()
{
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(now.tv_nsec);
}

// Returns how long a look at the clock takes, nanoseconds.
double cost_of_thread_time()
{
    constexpr int looks = 100'000;
    const std::uint64_t before = thread_time();
    for (int i = 0; i < looks; i++)
        static_cast<void>(thread_time());
    return static_cast<double>(thread_time() - before) / looks;
}

// The kernel's side of a socket that sends frames back: hands it queries until there were enough.
class Driver
{
public:
    Driver(int socket, std::uint8_t *memory, std::vector<std::uint8_t> query, std::uint64_t wanted,
           EchoWorker &worker)
        : sending_(socket, entries),
          free_(socket, ring_offsets(socket).fr, XDP_UMEM_PGOFF_FILL_RING, entries),
          received_(socket, ring_offsets(socket).rx, XDP_PGOFF_RX_RING, entries), memory_(memory),
          query_(std::move(query)), wanted_(wanted), worker_(worker)
    {
    }

    // What a system call of the worker's does. callgrind counts it apart, by its name.
    [[gnu::noinline]] void turn()
    {
        const std::uint64_t before = thread_time();
        sending_.complete();
        if (received_.waiting() == 0) {
            if (given_ >= wanted_)
                worker_.stop();
            else
                hand_over();
        }
        spent_ += thread_time() - before;
        turns_++;
    }

    [[nodiscard]] std::uint64_t given() const { return given_; }
    [[nodiscard]] std::uint64_t spent() const { return spent_; }
    [[nodiscard]] std::uint64_t turns() const { return turns_; }

private:
    void hand_over()
    {
        free_.take(batch, [this](std::uint64_t address) {
            std::ranges::copy(query_, memory_ + address + headroom);
            received_.put({.addr = address + headroom,
                           .len = static_cast<std::uint32_t>(query_.size()),
                           .options = 0});
            given_++;
        });
        received_.show();
    }

    SendingDriver sending_;
    MappedRing<std::uint64_t> free_;
    MappedRing<xdp_desc> received_;
    std::uint8_t *memory_;
    std::vector<std::uint8_t> query_;
    std::uint64_t wanted_;
    std::uint64_t given_ = 0;
    std::uint64_t spent_ = 0;
    std::uint64_t turns_ = 0;
    EchoWorker &worker_;
};

std::uint8_t *packet_memory = nullptr; // that the worker's socket registered
int worker_socket = -1;
std::unique_ptr<Driver> driver;

} // namespace

// Stand in for the C library's and libbpf's functions.
extern "C" ssize_t sendto(int /*socket*/, const void * /*data*/, std::size_t length, int /*flags*/,
                          const struct sockaddr * /*to*/, socklen_t /*size*/)
{
    driver->turn();
    return static_cast<ssize_t>(length);
}

extern "C" int poll(pollfd *events, nfds_t count, int /*timeout*/)
{
    driver->turn();
    for (nfds_t i = 0; i < count; i++)
        events[i].revents = POLLIN;
    return static_cast<int>(count);
}

extern "C" int setsockopt(int socket, int level, int name, const void *value, socklen_t size)
{
    if (level == SOL_XDP && name == XDP_UMEM_REG) {
        packet_memory =
            reinterpret_cast<std::uint8_t *>(static_cast<const xdp_umem_reg *>(value)->addr);
        worker_socket = socket;
    }
    return static_cast<int>(syscall(SYS_setsockopt, socket, level, name, value, size));
}

extern "C" int bpf_map_update_elem(int /*map*/, const void * /*key*/, const void * /*value*/,
                                   __u64 /*flags*/)
{
    return 0;
}

namespace
{

testing::Bytes query(bool is_ipv6)
{
    using namespace testing;
    const DnsMessage message{
        .questions = {{.name = dns_name("010-000-000-000.dns64perf.test"), .type = 28}}};
    return Ethernet{} / (is_ipv6 ? Layer{Ipv6{}} : Layer{Ipv4{}}) / Udp{} / Payload{message};
}

void measure(const std::string &interface, bool is_ipv6, std::uint64_t answers)
{
    EchoOptions options;
    options.interface = interface;
    options.model = EchoModel::af_xdp;
    echo_counters counters{};
    const std::unique_ptr<EchoWorker> worker = make_echo_worker(
        {.options = options, .number = 0, .socket = -1, .xdp_sockets = -1, .counters = counters});
    driver =
        std::make_unique<Driver>(worker_socket, packet_memory, query(is_ipv6), answers, *worker);
    const std::uint64_t before = thread_time();
    worker->run();
    // One of the two looks at the clock in a turn is spent outside of what they measure.
    const double ran = static_cast<double>(thread_time() - before - driver->spent()) -
                       static_cast<double>(driver->turns()) * cost_of_thread_time();
    if (counters.value[ECHO_SENT] != driver->given())
        throw SetupError(
            fmt::format("{} answers to {} queries", counters.value[ECHO_SENT], driver->given()));
    fmt::print("{{\"family\": {}, \"answers\": {}, \"ns_per_answer\": {:.1f}}}\n", is_ipv6 ? 6 : 4,
               driver->given(), ran / static_cast<double>(driver->given()));
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> words(argv, argv + argc);
    return run_program("answer_rate", [&words] {
        if (words.size() != 4 || (words[2] != "4" && words[2] != "6"))
            throw SetupError("usage: answer_rate INTERFACE 4|6 ANSWERS");
        measure(words[1], words[2] == "6", std::stoull(words[3]));
        return 0;
    });
}
