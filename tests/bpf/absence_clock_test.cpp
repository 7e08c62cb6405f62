// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests the clock of absences with processes that run and sleep by a plan. They have the
// scheduler's real-time priority: nobody but them has their CPU meanwhile.
#include "host/mapped_memory.h"
#include "machine/absence_clock.h"
#include "system/unique_fd.h"

#include <catch2/catch.hpp>

#include <bpf/bpf.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

using namespace dnsgauge;
using namespace std::chrono_literals;

namespace
{

constexpr int servers_priority = 10;
constexpr int others_priority = 20;

Nanoseconds now()
{
    return std::chrono::steady_clock::now().time_since_epoch();
}

// When a process begins to run, and until when it runs, by the same clock.
struct Turn {
    Nanoseconds from{};
    Nanoseconds until{};
};

void sleep_until(Nanoseconds time)
{
    const timespec until{.tv_sec = time / 1s, .tv_nsec = (time % 1s).count()};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
    }
}

// When turns begin to count, in memory that processes share.
class Start
{
public:
    void tell(Nanoseconds time) { told().store(time.count()); }
    // Waits until the time is told, and returns it.
    [[nodiscard]] Nanoseconds wait() const
    {
        while (told().load() == 0)
            sleep_until(now() + 1ms);
        return Nanoseconds(told().load());
    }

private:
    using Told = std::atomic<Nanoseconds::rep>;
    static_assert(Told::is_always_lock_free);
    [[nodiscard]] Told &told() const { return *static_cast<Told *>(memory_.data()); }

    MappedMemory memory_{4096, MAP_SHARED | MAP_ANONYMOUS, -1};
};

// A process that has `turns` on one CPU, whose times count from the start, and notes when it had
// them.
class Runner
{
public:
    Runner(unsigned cpu, int priority, const char *name, const Start &start,
           const std::vector<Turn> &turns)
    {
        pid_ = fork();
        REQUIRE(pid_ >= 0);
        if (pid_ == 0)
            take(cpu, priority, name, start, turns);
    }
    Runner &operator=(Runner &&) = delete;
    ~Runner()
    {
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }

    [[nodiscard]] int process() const { return pid_; }
    // Waits for the end of the process, and returns whether it could do as planned.
    [[nodiscard]] bool done() const
    {
        siginfo_t info{};
        waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
        return info.si_code == CLD_EXITED && info.si_status == 0;
    }
    // When its first turn really began, and its last one ended.
    [[nodiscard]] Turn had() const { return *static_cast<Turn *>(memory_.data()); }

private:
    [[noreturn]] void take(unsigned cpu, int priority, const char *name, const Start &begun,
                           const std::vector<Turn> &turns)
    {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET(cpu, &set);
        const sched_param parameter{.sched_priority = priority};
        prctl(PR_SET_NAME, name);
        if (sched_setaffinity(0, sizeof(set), &set) != 0 ||
            sched_setscheduler(0, SCHED_FIFO, &parameter) != 0)
            _exit(1);
        Turn &had = *static_cast<Turn *>(memory_.data());
        const Nanoseconds start = begun.wait();
        for (const Turn &turn : turns) {
            sleep_until(start + turn.from);
            if (had.from == Nanoseconds{})
                had.from = now();
            while ((had.until = now()) < start + turn.until) {
            }
        }
        _exit(0);
    }

    MappedMemory memory_{4096, MAP_SHARED | MAP_ANONYMOUS, -1};
    int pid_ = -1;
};

unsigned last_cpu()
{
    cpu_set_t set;
    REQUIRE(sched_getaffinity(0, sizeof(set), &set) == 0);
    unsigned cpu = CPU_SETSIZE - 1;
    while (!CPU_ISSET(cpu, &set))
        cpu--;
    return cpu;
}

// A server and somebody else on its CPU.
struct Trial {
    Trial(const std::vector<Turn> &servers, const std::vector<Turn> &others)
        : server(cpu, servers_priority, "server", begun, servers),
          other(cpu, others_priority, "other", begun, others)
    {
    }

    // Chooses the start, once the clock is loaded, which takes an emulator seconds.
    void begin(AbsenceClock &clock)
    {
        start = now() + 500ms;
        clock.begin(start);
        begun.tell(start);
        REQUIRE(now() < start);
    }

    // Returns what the clock noted of the other process, once both are done.
    std::vector<absence> noted(const WatchedServer &watched, Nanoseconds limit)
    {
        AbsenceClock clock(watched, limit);
        begin(clock);
        REQUIRE(server.done());
        REQUIRE(other.done());
        clock.end();
        longest = clock.longest().at(cpu);
        std::vector<absence> all = clock.absences();
        CHECK(clock.missed() == 0);
        std::erase_if(all, [this](const absence &one) {
            return one.process != static_cast<std::uint32_t>(other.process());
        });
        return all;
    }
    std::vector<absence> noted(Nanoseconds limit = 1ms)
    {
        return noted({.processes = {server.process()}, .unclear = {}, .cpus = {cpu}}, limit);
    }

    unsigned cpu = last_cpu();
    Nanoseconds start{};
    Start begun;
    Runner server;
    Runner other;
    absence longest{};
};

Nanoseconds time_of(__u64 nanoseconds)
{
    return Nanoseconds(static_cast<std::int64_t>(nanoseconds));
}

// What interrupts, a hypervisor or an emulator may take at either end.
constexpr Nanoseconds slack = 15ms;

// Returns the program behind a descriptor of a BPF link.
UniqueFd program_of(int link)
{
    bpf_link_info info{};
    __u32 size = sizeof(info);
    REQUIRE(bpf_obj_get_info_by_fd(link, &info, &size) == 0);
    return UniqueFd(bpf_prog_get_fd_by_id(info.prog_id));
}

// Returns the descriptor of this process' link to the program of that name.
int link_to(const std::string &name)
{
    for (const auto &entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        if (std::error_code error;
            std::filesystem::read_symlink(entry, error) != "anon_inode:bpf_link")
            continue;
        const int link = std::stoi(entry.path().filename());
        const UniqueFd program = program_of(link);
        bpf_prog_info info{};
        __u32 size = sizeof(info);
        REQUIRE(bpf_obj_get_info_by_fd(program.get(), &info, &size) == 0);
        if (name == info.name)
            return link;
    }
    FAIL("no link to " << name);
    return -1;
}

// Between the two times the program of that name is told nothing. Returns when that really began:
// an emulator takes long to detach a program.
[[nodiscard]] Nanoseconds tell_nothing(const std::string &name, Nanoseconds since,
                                       Nanoseconds until)
{
    const int link = link_to(name);
    const UniqueFd program = program_of(link);
    const UniqueFd nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
    sleep_until(since);
    REQUIRE(dup2(nothing.get(), link) == link);
    const Nanoseconds began = now();
    sleep_until(until);
    const UniqueFd again(bpf_raw_tracepoint_open(nullptr, program.get()));
    REQUIRE(again);
    REQUIRE(dup2(again.get(), link) == link);
    return began;
}

} // namespace

TEST_CASE("a time that others have while the server is ready is noted")
{
    Trial trial({{0ms, 120ms}}, {{40ms, 70ms}});
    const std::vector<absence> noted = trial.noted();
    REQUIRE(noted.size() == 1);
    const Turn had = trial.other.had();
    CHECK(time_of(noted[0].begin_ns) <= had.from);
    CHECK(time_of(noted[0].begin_ns) > had.from - slack);
    CHECK(time_of(noted[0].end_ns) >= had.until);
    CHECK(time_of(noted[0].end_ns) < had.until + slack);
    CHECK(time_of(noted[0].away_ns) >= had.until - had.from);
    CHECK(noted[0].away_ns <= noted[0].end_ns - noted[0].begin_ns);
    CHECK(noted[0].cpu == trial.cpu);
    CHECK(std::string(noted[0].name) == "other");
    CHECK(trial.longest.away_ns >= noted[0].away_ns);
}

TEST_CASE("a switch back to the server that is not told ends an absence")
{
    Trial trial({{0ms, 900ms}}, {{40ms, 400ms}});
    AbsenceClock clock({.processes = {trial.server.process()}, .unclear = {}, .cpus = {trial.cpu}},
                       1ms);
    trial.begin(clock);
    REQUIRE(tell_nothing("absence_clock", trial.start + 80ms, trial.start + 440ms) <
            trial.start + 400ms);
    REQUIRE(now() < trial.start + 900ms); // a real-time task has no more than 950 of 1000 ms
    REQUIRE(trial.server.done());
    clock.end();
    const std::vector<absence> noted = clock.absences();
    REQUIRE(noted.size() == 1);
    const Turn had = trial.other.had();
    CHECK(noted[0].process == static_cast<std::uint32_t>(trial.other.process()));
    CHECK(time_of(noted[0].begin_ns) > had.from - slack);
    CHECK(time_of(noted[0].end_ns) >= had.until - slack);
    CHECK(time_of(noted[0].end_ns) < had.until + slack);
    CHECK(time_of(noted[0].away_ns) < had.until - had.from + slack);
}

TEST_CASE("a CPU that learns late that the server is ready was away")
{
    Trial trial({{0ms, 10ms}, {500ms, 520ms}}, {{20ms, 30ms}, {510ms, 515ms}});
    AbsenceClock clock({.processes = {trial.server.process()}, .unclear = {}, .cpus = {trial.cpu}},
                       50ms);
    trial.begin(clock);
    // The second time, the clock is not told that anybody wakes the server or the other process: as
    // if the CPU had learnt only now that it was woken the first time.
    REQUIRE(tell_nothing("absence_waking", trial.start + 50ms, trial.start + 600ms) <
            trial.start + 500ms);
    REQUIRE(trial.server.done());
    REQUIRE(trial.other.done());
    clock.end();
    const std::vector<absence> noted = clock.absences();
    REQUIRE(noted.size() == 1);
    CHECK(time_of(noted[0].begin_ns) >= trial.start);
    CHECK(time_of(noted[0].begin_ns) < trial.start + slack);
    CHECK(time_of(noted[0].end_ns) >= trial.start + 500ms);
    CHECK(time_of(noted[0].end_ns) < trial.start + 500ms + slack);
    CHECK(noted[0].away_ns == noted[0].end_ns - noted[0].begin_ns);
    CHECK(noted[0].cpu == trial.cpu);
    CHECK(noted[0].process == 0);
    CHECK(std::string(noted[0].name).empty());
    CHECK(clock.longest().at(trial.cpu).end_ns == noted[0].end_ns);
}

TEST_CASE("an absence begins when the server is ready")
{
    Trial trial({{0ms, 10ms}, {60ms, 120ms}}, {{20ms, 80ms}});
    const std::vector<absence> noted = trial.noted();
    REQUIRE(noted.size() == 1);
    CHECK(time_of(noted[0].begin_ns) >= trial.start + 60ms);
    CHECK(time_of(noted[0].begin_ns) < trial.start + 60ms + slack);
    CHECK(time_of(noted[0].end_ns) >= trial.other.had().until);
    CHECK(time_of(noted[0].away_ns) >= 20ms - slack);
    CHECK(noted[0].away_ns <= noted[0].end_ns - noted[0].begin_ns);
}

TEST_CASE("what others had one after the other is one absence")
{
    Trial trial({{0ms, 120ms}}, {{40ms, 70ms}});
    const Runner third(trial.cpu, others_priority, "third", trial.begun, {{50ms, 80ms}});
    const std::vector<absence> noted = trial.noted();
    REQUIRE(noted.size() == 1);
    CHECK(time_of(noted[0].end_ns) >= trial.start + 80ms);
    CHECK(time_of(noted[0].away_ns) >= 40ms - slack);
}

TEST_CASE("a thread of the server that comes late hides no absence from one that has waited")
{
    Trial trial({{0ms, 200ms}}, {{40ms, 100ms}});
    const Runner late(trial.cpu, servers_priority + 1, "late", trial.begun, {{95ms, 96ms}});
    const std::vector<absence> noted = trial.noted(
        {.processes = {trial.server.process(), late.process()}, .unclear = {}, .cpus = {trial.cpu}},
        20ms);
    REQUIRE(noted.size() == 1);
    const Turn had = trial.other.had();
    CHECK(time_of(noted[0].begin_ns) < had.from + slack);
    CHECK(time_of(noted[0].away_ns) >= had.until - had.from);
}

TEST_CASE("nobody is away where the server sleeps")
{
    Trial trial({{0ms, 10ms}, {90ms, 100ms}}, {{20ms, 60ms}});
    CHECK(trial.noted().empty());
}

TEST_CASE("a short absence is only told where it was the longest")
{
    Trial trial({{0ms, 120ms}}, {{40ms, 70ms}});
    CHECK(trial.noted(1s).empty());
    CHECK(time_of(trial.longest.away_ns) >= 30ms - slack);
}

TEST_CASE("what ends before the trial is not noted")
{
    Trial trial({{-80ms, 60ms}}, {{-60ms, -30ms}});
    CHECK(trial.noted().empty());
    CHECK(time_of(trial.longest.away_ns) < 30ms);
}

TEST_CASE("a thread that is the server's, or may be, is no other")
{
    Trial trial({{0ms, 120ms}}, {{40ms, 70ms}});
    WatchedServer watched{
        .processes = {trial.server.process()}, .unclear = {}, .cpus = {trial.cpu}};
    SECTION("a child of the server's")
    {
        watched.processes.insert(getpid());
    }
    SECTION("the server's own")
    {
        watched.processes.insert(trial.other.process());
    }
    SECTION("who may be the server")
    {
        watched.unclear.insert(trial.other.process());
    }
    CHECK(trial.noted(watched, 1ms).empty());
}

TEST_CASE("a CPU that is not watched is left alone")
{
    Trial trial({{0ms, 120ms}}, {{40ms, 70ms}});
    const unsigned another = trial.cpu == 0 ? 1 : 0;
    AbsenceClock clock({.processes = {trial.server.process()}, .unclear = {}, .cpus = {another}},
                       1ms);
    trial.begin(clock);
    REQUIRE(trial.other.done());
    REQUIRE(trial.server.done());
    CHECK(std::ranges::none_of(clock.absences(),
                               [&](const absence &one) { return one.cpu == trial.cpu; }));
    CHECK_FALSE(clock.longest().contains(trial.cpu));
}
