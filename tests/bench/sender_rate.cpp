// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Measures how fast the Tester's senders are where sending costs nothing.
//
//     sender_rate INTERFACE SOURCE LANES QUERIES [log|window=N|batch=N]
//
// Each lane's sender, as a trial has it, runs on a real AF_XDP socket that is bound to a transmit
// queue of INTERFACE. Its kicks do not reach the kernel: this program's own driver completes all
// frames at once. Nobody answers, except in a window, where each kick answers the older half of the
// open queries. With `window` and `batch` a lane's time passes in its kicks alone: a query of a
// window takes as long as on a veth pair, and with `batch` N queries become due in each kick. Each
// lane sends QUERIES queries as fast as it can, on a CPU of its own as long as there are CPUs; with
// `log`, with the records of a per-query file, which goes to /dev/null. The thread that writes that
// file is slower than a sender, so each lane pauses until its records are written, before their
// ring is full: no record is left out, and the pause counts nowhere. Prints a line of JSON:
// nanoseconds of CPU time a query, of each lane, and the queries of a kick.
#include "free_rings.h"

#include "capture/capture_writer.h"
#include "dns/ip_address.h"
#include "dns/name_range.h"
#include "dns/zone_name.h"
#include "engine/cpu_share.h"
#include "machine/cpu_times.h"
#include "support/some_mix.h"
#include "system/random.h"
#include "system/run_program.h"
#include "system/setup_error.h"
#include "units/pace.h"
#include "workload/captured_queries.h"
#include "workload/mixed_queries.h"
#include "workload/query_list.h"
#include "workload/query_source.h"
#include "xdp/sender.h"
#include "xsk/ring.h"
#include "xsk/tx_socket.h"
#include "xsk/umem.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace dnsgauge;

namespace
{

// What a lane sends before its records must have been written: less than their ring holds.
constexpr std::uint64_t most_between_pauses = 400'000;

thread_local std::unique_ptr<SendingDriver> driver; // of this thread's socket
thread_local std::uint64_t sent_since_pause = 0;
thread_local std::atomic<bool> *pauses = nullptr; // of a lane that logs: ends its run

// What stands for the reply clock in a window: answers queries in the order of their sending.
class Answers
{
public:
    Answers(std::vector<query_slot> &slots, std::uint64_t window) : slots_(slots), open_(window / 2)
    {
    }

    void send(std::uint64_t queries)
    {
        for (sent_ += queries; answered_ + open_ < sent_; answered_++)
            __atomic_store_n(&slots_[answered_ % slots_.size()].word, slot_word(QUERY_VALID, 0, 0),
                             __ATOMIC_RELEASE);
    }

private:
    std::vector<query_slot> &slots_;
    std::uint64_t open_; // stay open
    std::uint64_t sent_ = 0;
    std::uint64_t answered_ = 0;
};

thread_local std::optional<Answers> answers; // of a lane whose pace is a window

constexpr std::int64_t query_ns = 700; // on a veth pair

// The time of a lane with `window` or `batch`, which passes in kicks alone.
struct LaneTime {
    std::int64_t now_ns;
    std::int64_t batch; // 0: a window's
};
thread_local std::optional<LaneTime> lane_time;

} // namespace

// The clock, instead of the C library's function.
extern "C" int clock_gettime(clockid_t clock, timespec *time)
{
    static const auto real =
        reinterpret_cast<decltype(&clock_gettime)>(dlsym(RTLD_NEXT, "clock_gettime"));
    if (clock != CLOCK_MONOTONIC || !lane_time)
        return real(clock, time);
    time->tv_sec = lane_time->now_ns / 1'000'000'000;
    time->tv_nsec = lane_time->now_ns % 1'000'000'000;
    return 0;
}

// A kick, instead of the C library's function: TxSocket calls no other sendto().
extern "C" ssize_t sendto(int socket, const void * /*data*/, std::size_t length, int /*flags*/,
                          const struct sockaddr * /*to*/, socklen_t /*size*/)
{
    if (driver == nullptr)
        driver = std::make_unique<SendingDriver>(socket, Sender::send_frames);
    const std::uint64_t sent = driver->complete();
    if (answers)
        answers->send(sent);
    if (lane_time)
        lane_time->now_ns +=
            lane_time->batch != 0 ? lane_time->batch : static_cast<std::int64_t>(sent) * query_ns;
    sent_since_pause += sent;
    if (pauses != nullptr && sent_since_pause >= most_between_pauses)
        *pauses = true;
    return static_cast<ssize_t>(length);
}

namespace
{

constexpr std::uint64_t most_names = 1'000'000; // of a list, and of a capture

// Returns a list of this number of different names.
QueryList some_list(std::uint64_t names)
{
    QueryList list("some names", {{.edns_size = 1232}});
    for (std::uint64_t i = 0; i < names; i++)
        list.add_line(fmt::format("host-{}.department.example.org AAAA", i));
    list.finish();
    return list;
}

// Returns a capture with this number of the list's messages, from 250 clients, a nanosecond apart:
// all are due at once.
CapturedQueries some_capture(const QueryList &list, std::uint64_t queries)
{
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("sender_rate-{}.pcap", getpid());
    CaptureWriter writer(path);
    for (std::uint64_t i = 0; i < queries; i++)
        writer.write({.time_ns = 1'600'000'000'000'000'000 + static_cast<std::int64_t>(i),
                      .source = {parse_ip_address(fmt::format("192.0.2.{}", i % 250)), 5000},
                      .target = {parse_ip_address("192.0.2.253"), 53},
                      .message = list.entry(i % list.size()).message});
    writer.commit();
    ReplayWish wish;
    wish.files = {path};
    CapturedQueries captured(wish, std::chrono::hours(1), WANTS_USEFUL);
    std::filesystem::remove(path);
    return captured;
}

FrameEnds some_ends()
{
    return {.source = parse_ip_address("198.18.0.1"), .target = parse_ip_address("198.18.0.2")};
}

Workload make_workload(std::string_view what, std::uint64_t queries)
{
    const std::uint64_t names = std::min(most_names, queries);
    const NameOrder order = what.starts_with("random-") ? NameOrder::random : NameOrder::ascending;
    if (what == "names" || what == "random-names") {
        NamesWorkload workload;
        workload.names = parse_name_range("10.0.0.0/8");
        workload.name_order = order;
        return workload;
    }
    if (what == "list") {
        ListWorkload workload;
        workload.queries = std::make_shared<const QueryList>(some_list(names));
        return workload;
    }
    if (what == "mix" || what == "random-mix") {
        MixWorkload workload;
        workload.names = parse_name_range("10.0.0.0/8");
        workload.name_order = order;
        workload.queries =
            std::make_shared<const MixedQueries>(testing::some_mix(), MessageFormat{});
        return workload;
    }
    if (what == "capture") {
        CaptureWorkload workload;
        workload.queries =
            std::make_shared<const CapturedQueries>(some_capture(some_list(names), queries));
        return workload;
    }
    throw SetupError(fmt::format(
        "'{}' is none of names, random-names, list, mix, random-mix and capture", what));
}

// The per-query file, which counts what it has written of each lane.
class CountedLog
{
public:
    CountedLog(const QuerySources &sources, std::uint32_t lanes)
        : written_(lanes),
          log_({.file = "/dev/null",
                .put_query =
                    [this, &sources](char *end, const QueryRecord &record) {
                        written_[record.sender].fetch_add(1, std::memory_order_relaxed);
                        return sources.put_text(end, record.query, record.expectation);
                    }},
               lanes)
    {
    }

    [[nodiscard]] QueryLog &log() { return log_; }
    // Waits until this number of the lane's records are being written or have been.
    void wait_for(std::uint32_t lane, std::uint64_t records) const
    {
        while (written_[lane].load(std::memory_order_relaxed) < records)
            std::this_thread::sleep_for(std::chrono::microseconds(100));
    }

private:
    std::vector<std::atomic<std::uint64_t>> written_;
    QueryLog log_;
};

struct Lane {
    Lane(const std::string &interface, std::uint32_t its_number)
        : number(its_number), umem(Sender::send_frames, false),
          socket(interface, number, umem, {.copy_mode = CopyMode::copy})
    {
    }

    std::uint32_t number;
    Umem umem;
    TxSocket socket;
    std::vector<query_slot> slots;
    std::unique_ptr<Sender> sender;
    Nanoseconds ran{};
};

// Sends all queries of a lane. `batch` may be 0, `log` null.
void run_lane(Lane &lane, const Pace &pace, std::int64_t batch, std::uint64_t queries,
              std::int64_t start, const CountedLog *log)
{
    static_cast<void>(pin_this_thread(lane.number % std::thread::hardware_concurrency()));
    if (pace.kind == Pace::Kind::window)
        answers.emplace(lane.slots, pace.window);
    if (answers || batch != 0)
        lane_time = {.now_ns = start, .batch = batch};
    std::atomic<bool> stop = false;
    if (log != nullptr)
        pauses = &stop;
    while (lane.sender->tally().handed_over < queries) {
        stop = false;
        sent_since_pause = 0;
        const std::uint64_t sent_before = lane.sender->tally().handed_over;
        const Nanoseconds before = read_own_times().ran;
        lane.sender->run(start, stop);
        lane.ran += read_own_times().ran - before;
        const std::uint64_t sent = lane.sender->tally().handed_over;
        if (sent == sent_before)
            return;
        // What a slot's first query was is not told.
        if (log != nullptr && sent > lane.slots.size())
            log->wait_for(lane.number, sent - lane.slots.size());
    }
}

void measure(const std::string &interface, std::string_view what, std::uint32_t count,
             std::uint64_t queries, bool logs, const Pace &pace, std::int64_t batch)
{
    // As many slots as 16 million queries/s of each lane need; fewer, where each use of a slot is
    // to be logged.
    const IdentityPlan identities =
        plan_identities(Rate{logs ? 100'000U : 16'000'000U * count}, std::chrono::milliseconds(250),
                        1024, 4000, count, new_scatter_key());
    const FrameEnds ends = some_ends();
    const QuerySources sources(
        make_workload(what, queries * count),
        {.schedule = {.pace = pace, .rate = Rate{1'000'000'000}, .duration = std::chrono::hours(1)},
         .queries = queries * count,
         .senders = count,
         .shares = count,
         .order = new_scatter_key(),
         .source = ends.source,
         .clients = parse_ip_prefix("198.19.0.0/16")});
    std::optional<CountedLog> log;
    if (logs)
        log.emplace(sources, count);
    std::vector<std::unique_ptr<Lane>> lanes;
    for (std::uint32_t i = 0; i < count; i++) {
        Lane &lane = *lanes.emplace_back(std::make_unique<Lane>(interface, i));
        lane.slots.resize(identities.slots_each());
        const SenderPlan plan{.lane = i,
                              .duration = std::chrono::hours(1),
                              .timeout = std::chrono::hours(1),
                              .stall_limit = std::chrono::hours(1),
                              .identities = identities};
        lane.sender = make_sender(sources, ends, plan,
                                  {.umem = lane.umem,
                                   .socket = lane.socket,
                                   .slots = lane.slots,
                                   .log = log ? &log->log().ring(i) : nullptr});
    }
    const std::int64_t start = std::chrono::steady_clock::now().time_since_epoch().count();
    if (log)
        log->log().start(static_cast<std::uint64_t>(start));
    std::vector<std::jthread> threads;
    for (const auto &lane : lanes)
        threads.emplace_back(
            [&, start] { run_lane(*lane, pace, batch, queries, start, log ? &*log : nullptr); });
    threads.clear();
    std::vector<double> costs;
    std::uint64_t kicks = 0;
    for (const auto &lane : lanes) {
        const LaneTally tally = lane->sender->tally();
        if (tally.handed_over != queries || tally.unsent != 0)
            throw SetupError("a lane did not send all queries");
        if (tally.not_logged != 0)
            throw SetupError("the log had no room for a record");
        kicks += lane->socket.statistics().kicks;
        costs.push_back(static_cast<double>(lane->ran.count()) / static_cast<double>(queries));
    }
    static_cast<void>(log && log->log().finish());
    fmt::print("{{\"source\": \"{}\", \"lanes\": {}, \"log\": {}, \"queries\": {}, "
               "\"ns_per_query\": [{:.1f}], \"queries_per_kick\": {:.2f}}}\n",
               what, count, logs, queries * count, fmt::join(costs, ", "),
               static_cast<double>(queries * count) / static_cast<double>(kicks));
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> words(argv, argv + argc);
    return run_program("sender_rate", [&words] {
        if (words.size() != 5 && words.size() != 6)
            throw SetupError(
                "usage: sender_rate INTERFACE SOURCE LANES QUERIES [log|window=N|batch=N]");
        const std::string how = words.size() == 6 ? words[5] : "";
        const std::int64_t batch = how.starts_with("batch=") ? std::stoll(how.substr(6)) : 0;
        const Pace pace = how.starts_with("window=") ? parse_pace(how) : Pace();
        measure(words[1], words[2], static_cast<std::uint32_t>(std::stoul(words[3])),
                std::stoull(words[4]), how == "log", pace, batch);
        return 0;
    });
}
