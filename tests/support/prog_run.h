// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The kernel programs, loaded but attached to nothing: BPF_PROG_TEST_RUN hands them one frame.
// Functions that fail throw SetupError.
#pragma once

#include "absence_clock_abi.h"
#include "arrival_clock_abi.h"
#include "echo_abi.h"
#include "fakedns_abi.h"
#include "fault_abi.h"
#include "host/skeleton.h"
#include "internet_abi.h"
#include "probe_abi.h"
#include "reply_clock_abi.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct absence_clock;
struct arrival_clock;
struct echo;
struct fakedns;
struct internet;
struct probe;
struct reply_clock;

namespace dnsgauge::testing
{

struct RunResult {
    std::uint32_t action = 0;        // enum xdp_action
    std::vector<std::uint8_t> bytes; // the frame as the program leaves it

    bool operator==(const RunResult &) const = default;
};

// Runs the loaded program over `frame`, 14 to about 3,500 octets.
[[nodiscard]] RunResult run_program(int program_fd, std::span<const std::uint8_t> frame);

// Returns how many instructions the verifier looked at before it accepted the program; 0 if this
// kernel, older than 5.16, does not say.
[[nodiscard]] std::uint32_t verified_instructions(int program_fd);

// Returns in one line why no program can be loaded here; empty if one can.
[[nodiscard]] std::string why_no_bpf();

class FakednsProgram
{
public:
    // `redirects`: as on veth (bpf/bounce.h).
    explicit FakednsProgram(const fakedns_config &config, bool redirects = false);
    ~FakednsProgram();

    [[nodiscard]] RunResult run(std::span<const std::uint8_t> frame) const;
    [[nodiscard]] int fd() const;

    // Returns sums over all CPUs and queues since loading.
    [[nodiscard]] fakedns_counters counters() const;

private:
    Skeleton<fakedns> skeleton_;
};

class FaultyProgram
{
public:
    FaultyProgram(const fakedns_config &config, const fault_config &faults, bool redirects = false);
    ~FaultyProgram();

    [[nodiscard]] RunResult run(std::span<const std::uint8_t> frame) const;
    [[nodiscard]] int fd() const;

    // Returns sums over all CPUs since loading.
    [[nodiscard]] fault_counters counters() const;

private:
    Skeleton<fakedns> skeleton_;
};

// Watches no CPU, and cannot be handed a frame.
class AbsenceClockProgram
{
public:
    AbsenceClockProgram();
    ~AbsenceClockProgram();

    [[nodiscard]] int fd() const;

private:
    Skeleton<absence_clock> skeleton_;
};

// Follows queries at port 53, and cannot be handed a frame.
class ProbePrograms
{
public:
    ProbePrograms();
    ~ProbePrograms();

    // Returns the programs, by their names.
    [[nodiscard]] std::map<std::string, int> fds() const;

private:
    Skeleton<probe> skeleton_;
};

class ArrivalClockProgram
{
public:
    // Loads the program with room for `queries` queries.
    ArrivalClockProgram(const arrival_clock_config &config, std::uint32_t queries);
    ~ArrivalClockProgram();

    [[nodiscard]] RunResult run(std::span<const std::uint8_t> frame) const;
    [[nodiscard]] int fd() const;

    // Returns sums over all CPUs since loading.
    [[nodiscard]] arrival_totals totals() const;
    // Returns when the query arrived; 0 if it has not.
    [[nodiscard]] std::uint64_t arrival(std::uint32_t query) const;

private:
    Skeleton<arrival_clock> skeleton_;
};

class EchoProgram
{
public:
    explicit EchoProgram(__u16 port, bool redirects = false);
    ~EchoProgram();

    [[nodiscard]] RunResult run(std::span<const std::uint8_t> frame) const;
    // Return the program that echoes, and the program that hands frames to sockets.
    [[nodiscard]] int fd() const;
    [[nodiscard]] int to_socket_fd() const;

    // Returns sums over all CPUs since loading.
    [[nodiscard]] echo_counters counters() const;

private:
    Skeleton<echo> skeleton_;
};

class InternetProgram
{
public:
    // Hands the frames of the first queue to `socket`, an AF_XDP socket; -1: there is none.
    explicit InternetProgram(const internet_config &config, int socket = -1);
    ~InternetProgram();

    [[nodiscard]] RunResult run(std::span<const std::uint8_t> frame) const;
    [[nodiscard]] int fd() const;

private:
    Skeleton<internet> skeleton_;
};

struct SlotsUnmapper {
    std::size_t size = 0; // octets
    void operator()(query_slot *slots) const;
};

// The programs of reply_clock, by what a slot holds as its expectation.
enum class Expects { name, question };

class ReplyClockProgram
{
public:
    explicit ReplyClockProgram(const reply_clock_config &config, Expects expects = Expects::name);
    ~ReplyClockProgram();

    [[nodiscard]] RunResult run(std::span<const std::uint8_t> frame) const;
    [[nodiscard]] int fd() const;

    // Returns sums over all CPUs since loading. Only CPUs that counted an RTT have a part in
    // rtt_min and rtt_max.
    [[nodiscard]] reply_totals totals() const;
    [[nodiscard]] std::unique_ptr<rtt_histogram> rtts() const;

    // Returns the slots that the program sees, senders << slot_bits of them.
    [[nodiscard]] std::span<query_slot> slots() const { return {slots_.get(), slot_count_}; }

private:
    Expects expects_;
    Skeleton<reply_clock> skeleton_;
    std::size_t slot_count_;
    std::unique_ptr<query_slot, SlotsUnmapper> slots_;
};

} // namespace dnsgauge::testing
