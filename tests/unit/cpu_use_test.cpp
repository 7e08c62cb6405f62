// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/cpu_use.h"
#include "trial/sender_cpu.h"

#include <catch2/catch.hpp>
#include <unistd.h>

using namespace dnsgauge;
using namespace std::chrono_literals;

namespace
{

constexpr int server = 100000;
constexpr int busy_loop = 100001;
constexpr int napi = 100002;

constexpr int maybe_server = 100003;

const Sides sides(
    {.names = {{server, "nsd"}}, .unclear = {maybe_server}, .interfaces = {"d0"}, .why = "a test"});

ThreadTimes thread_of(int process, const char *name, unsigned cpu, Nanoseconds ran,
                      Nanoseconds waited)
{
    return {.process = process, .name = name, .cpu = cpu, .ran = ran, .waited = waited};
}

// One second: the sender has CPU 0, a server and a busy loop share CPU 1.
struct Second {
    MachineTimes before;
    MachineTimes after;

    Second()
    {
        before.at = 10s;
        after.at = 11s;
        before.cpus = {{0, {.threads = 5s}}, {1, {.threads = 7s}}, {2, {.threads = 1s}}};
        after.cpus = {{0, {.threads = 6s}}, {1, {.threads = 8s}}, {2, {.threads = 1s}}};
        before.threads[server] = thread_of(server, "nsd", 1, 3s, 1s);
        before.threads[busy_loop] = thread_of(busy_loop, "sh", 1, 4s, 0s);
        after.threads[server] = thread_of(server, "nsd", 1, 3s + 600ms, 1s + 300ms);
        after.threads[busy_loop] = thread_of(busy_loop, "sh", 1, 4s + 400ms, 600ms);
        before.processes = {
            {server, {.ran = 3s}}, {busy_loop, {.ran = 4s, .children = 9s}}, {getpid(), {}}};
        after.processes = {{server, {.ran = 3s + 600ms}},
                           {busy_loop, {.ran = 4s + 400ms, .children = 9s}},
                           {getpid(), {.ran = 1s}}}; // by the sender's thread
    }

    [[nodiscard]] std::vector<CpuUse> used() const
    {
        return cpu_use(before, after, {{.cpu = 0, .ran = 1s, .waited = 2ms}}, {1}, sides);
    }
};

} // namespace

TEST_CASE("processes are told by side and CPU")
{
    const std::vector<CpuUse> uses = Second().used();
    REQUIRE(uses.size() == 2); // nothing of the trial's was on CPU 2
    CHECK(uses[0].cpu == 0);
    CHECK(uses[0].sends);
    CHECK_FALSE(uses[0].receives);
    CHECK(uses[0].elapsed == 1s);
    CHECK(uses[0].sender_waited == 2ms);
    CHECK(uses[0].others == 0s);
    CHECK(uses[0].unseen == 0s);
    CHECK(uses[0].server_ran + uses[0].server_waited == 0s);

    CHECK(uses[1].receives);
    CHECK(uses[1].server_ran == 600ms);
    CHECK(uses[1].server_waited == 300ms);
    CHECK(uses[1].others == 400ms);
    CHECK(uses[1].unseen == 0s);
    REQUIRE(uses[1].guests.size() == 2);
    CHECK(uses[1].guests[0].name == "sh");
    CHECK(uses[1].guests[0].side == CpuGuest::Side::other);
    CHECK(uses[1].guests[0].waited == 600ms);
    CHECK(uses[1].guests[1].name == "nsd");
    CHECK(uses[1].guests[1].side == CpuGuest::Side::server);
}

TEST_CASE("what ended before it could be seen is told of the CPU that ran it")
{
    Second second;
    second.after.cpus[1].threads += 250ms;
    second.after.processes[busy_loop].children += 250ms;
    CHECK(second.used()[1].unseen == 250ms);
    // What a thread ran elsewhere before it came to this CPU is not unseen there.
    second.after.cpus[1].threads -= 500ms;
    second.after.cpus[0].threads += 250ms;
    CHECK(second.used()[0].unseen == 0s);
}

TEST_CASE("ticks that met the server more often than it ran are nobody's time")
{
    Second second;
    second.after.cpus[1].threads += 400ms;
    CHECK(second.used()[1].unseen == 0s);
    // A process that ended hands its parent what it ran before the trial, too.
    second.before.processes[busy_loop + 10] = {.ran = 5s};
    second.after.processes[busy_loop].children += 5s;
    CHECK(second.used()[1].unseen == 0s);
    second.after.processes[busy_loop].children += 300ms;
    CHECK(second.used()[1].unseen == 300ms);
}

TEST_CASE("the kernel's threads are nobody's, but NAPI's does the server's work")
{
    Second second;
    ThreadTimes thread = thread_of(napi, "napi/d0-8193", 1, 200ms, 50ms);
    thread.is_kernel = true;
    second.after.threads[napi] = thread;
    CHECK(second.used()[1].server_ran == 800ms);
    CHECK(second.used()[1].others == 400ms);
    // Another interface's has nothing to do with the server.
    for (const char *name : {"kworker/1:1", "napi/d0a-8193", "napi/eth0-8194"}) {
        second.after.threads[napi].name = name;
        CHECK(second.used()[1].server_ran == 600ms);
        CHECK(second.used()[1].guests.size() == 2);
    }
}

TEST_CASE("a process that did little is not named, and one that did nothing is not counted")
{
    Second second;
    second.after.threads[busy_loop].ran = 4s + 5ms;
    second.after.threads[busy_loop].waited = 0s;
    const std::vector<CpuUse> uses = second.used();
    CHECK(uses[1].guests.size() == 1);
    CHECK(uses[1].others == 5ms);
}

TEST_CASE("a process is the server's if it is one of those found, or a child of one")
{
    const auto child_of = [](int parent) {
        ThreadTimes thread = thread_of(200000, "child", 1, 1s, 0s);
        thread.parent = parent;
        return thread;
    };
    const auto side = [](int process) { return sides.of(thread_of(process, "x", 1, 1s, 0s), {}); };
    CHECK(side(getpid()) == CpuGuest::Side::own);
    CHECK(side(server) == CpuGuest::Side::server);
    CHECK(side(busy_loop) == CpuGuest::Side::other);
    CHECK(side(maybe_server) == CpuGuest::Side::unknown);
    CHECK(Sides({}).of(thread_of(server, "nsd", 1, 1s, 0s), {}) == CpuGuest::Side::other);
    for (const auto &[parent, whose] :
         {std::pair{server, CpuGuest::Side::server}, std::pair{busy_loop, CpuGuest::Side::other},
          std::pair{maybe_server, CpuGuest::Side::unknown}}) {
        const ThreadTimes child = child_of(parent);
        CHECK(sides.of(child, {{child.process, child}}) == whose);
        ThreadTimes grandchild = child_of(child.process);
        grandchild.process++;
        CHECK(sides.of(grandchild, {{child.process, child}}) == whose);
    }
}

TEST_CASE("the kernel's texts are read field by field")
{
    const auto cpus = parse_cpu_times("cpu  3 3 3 3 3 3 3 3 0 0\n"
                                      "cpu0 1 2 3 40 5 6 7 8 0 0\n"
                                      "cpu11 0 0 0 0 0 0 0 0 0 0\n"
                                      "intr 99\n",
                                      100);
    REQUIRE(cpus.size() == 2);
    CHECK(cpus.contains(11));
    CHECK(cpus.at(0).threads == 60ms);
    CHECK(cpus.at(0).idle == 450ms);
    CHECK(cpus.at(0).softirq == 130ms);
    CHECK(cpus.at(0).steal == 80ms);
    CHECK(parse_cpu_times("", 100).empty());

    const std::string stat =
        "7 (a (b) c) R 1 1 1 0 -1 2129984 0 0 0 0 9 9 0 0 20 0 1 0 5 0 0 1 0 0 "
        "0 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0";
    const ThreadTimes thread = parse_thread(stat, "123 456 7");
    CHECK(thread.name == "a (b) c");
    CHECK(thread.is_kernel);
    CHECK(thread.cpu == 3);
    CHECK(thread.parent == 1);
    CHECK(thread.ran == 123ns);
    CHECK(thread.waited == 456ns);
    CHECK(parse_thread("", "").name.empty());

    const ProcessTimes process =
        parse_process("7 (a (b) c) R 1 1 1 0 -1 0 0 0 0 0 1 2 30 40 20 0", 100);
    CHECK(process.ran == 30ms);
    CHECK(process.children == 700ms);
    CHECK(parse_process("", 100).ran == 0s);
}

TEST_CASE("the calling thread is on this machine")
{
    const MachineTimes now = read_machine_times();
    REQUIRE_FALSE(now.cpus.empty());
    REQUIRE(now.threads.contains(getpid()));
    CHECK(now.cpus.contains(now.threads.at(getpid()).cpu));
    CHECK(now.processes.contains(getpid()));
    CHECK(read_own_times().ran >= now.threads.at(getpid()).ran);
}

TEST_CASE("the sender's CPU is one that is idle and that nothing is pinned to")
{
    const std::map<unsigned, double> idle{{2, 0.5}, {3, 0.95}, {4, 0.99}};
    CHECK(choose_sender_cpu({2, 3, 4}, {}, idle).cpu == 3);
    CHECK(choose_sender_cpu({2, 3, 4}, {3}, idle).cpu == 4);
    CHECK(choose_sender_cpu({2, 3}, {3}, idle).cpu == 2);
    CHECK(choose_sender_cpu({2}, {}, idle).cpu == 2);
    CHECK(choose_sender_cpu({3, 4}, {3, 4}, idle).cpu == 3);
    CHECK(choose_sender_cpu({7, 8}, {}, {}).cpu == 7);
    // A preferred CPU is taken, unless it is busy or taken.
    CHECK(choose_sender_cpu({2, 3, 4}, {}, idle, {.cpus = {4}}).cpu == 4);
    CHECK(choose_sender_cpu({2, 3, 4}, {}, idle, {.cpus = {2}}).cpu == 3);
    CHECK(choose_sender_cpu({2, 3, 4}, {4}, idle, {.cpus = {4}}).cpu == 3);
    CHECK(choose_sender_cpu({7, 8}, {}, {}, {.cpus = {8}}).cpu == 8);
}

TEST_CASE("why the sender has its CPU is said")
{
    const std::map<unsigned, double> idle{{2, 0.5}, {3, 0.95}, {4, 0.99}};
    CHECK(choose_sender_cpu({2, 3}, {}, idle).why == "it was idle");
    CHECK(choose_sender_cpu({2}, {}, idle).why == "no CPU was idle");
    CHECK(choose_sender_cpu({3, 4}, {}, idle, {.cpus = {4}}).why == "a self-test was made with it");
    const TestedCpus tested{.cpus = {4, 3}, .best_why = "found CPU 4 best"};
    CHECK(choose_sender_cpu({2, 3, 4}, {}, idle, tested).cpu == 4);
    CHECK(choose_sender_cpu({2, 3, 4}, {}, idle, tested).why == "found CPU 4 best");
    CHECK(choose_sender_cpu({2, 3, 4}, {4}, idle, tested).cpu == 3);
    CHECK(choose_sender_cpu({2, 3, 4}, {4}, idle, tested).why ==
          "a self-test was made with it; CPU 4 was busy, but would be better: found CPU 4 best");
}

TEST_CASE("the transmit queue that was found best goes with the best CPU alone")
{
    const std::map<unsigned, double> idle{{3, 0.95}, {4, 0.99}};
    const TestedCpus tested{.cpus = {4, 3},
                            .best_why = "found CPU 4 best",
                            .best_queue = FoundQueue{.interface = "eth1", .queue = 1}};
    const SenderCpu best = choose_sender_cpu({3, 4}, {}, idle, tested);
    REQUIRE(best.queue);
    CHECK(best.queue->queue == 1);
    CHECK_FALSE(choose_sender_cpu({3, 4}, {4}, idle, tested).queue);
    CHECK_FALSE(choose_sender_cpu({3, 4}, {}, idle, {.cpus = {4}}).queue);
}
