// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Measures how fast the Tester's senders are where sending costs nothing.
//
//     sender_rate INTERFACE names|list|mix|capture LANES QUERIES [log]
//
// Each lane's sender, as a trial has it, runs on a real AF_XDP socket that is bound to a transmit
// queue of INTERFACE. Its kicks do not reach the kernel: a driver of this program's completes all
// frames at once. Nobody answers. Each lane sends QUERIES queries as fast as it can, on a CPU of
// its own as long as there are CPUs; with `log`, with the records of a per-query file, which goes
// to /dev/null. Prints a line of JSON: nanoseconds of CPU time a query, of each lane.
#include "free_rings.h"
#include "some_queries.h"

#include "common/name_range.h"
#include "common/setup_error.h"
#include "common/zone_name.h"
#include "engine/capture_source.h"
#include "engine/cpu_share.h"
#include "engine/queries_source.h"
#include "engine/source.h"
#include "machine/cpu_times.h"
#include "support/some_mix.h"
#include "workload/mixed_queries.h"
#include "xsk/ring.h"
#include "xsk/tx_socket.h"
#include "xsk/umem.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace dnsgauge;

namespace
{

thread_local std::unique_ptr<SendingDriver> driver; // of this thread's socket

} // namespace

// A kick, instead of the C library's function: TxSocket calls no other sendto().
extern "C" ssize_t sendto(int socket, const void * /*data*/, std::size_t length, int /*flags*/,
                          const struct sockaddr * /*to*/, socklen_t /*size*/)
{
    if (driver == nullptr)
        driver = std::make_unique<SendingDriver>(socket, Sender::send_frames);
    driver->complete();
    return static_cast<ssize_t>(length);
}

namespace
{

constexpr std::uint64_t different_names = 1'000'000;

FrameEnds ends()
{
    FrameEnds ends;
    ends.source = parse_ip_address("198.18.0.1");
    ends.target = parse_ip_address("198.18.0.2");
    ends.target_port = 53;
    return ends;
}

std::unique_ptr<const Source> make_source(std::string_view what, std::uint64_t queries)
{
    QueryFormat format;
    static_cast<FrameEnds &>(format) = ends();
    format.zone = parse_zone_name("dns64perf.test");
    format.type = DNS_TYPE_AAAA;
    if (what == "names")
        return std::make_unique<const NameSource>(format, parse_name_range("10.0.0.0/8"),
                                                  CachedShare{});
    if (what == "list")
        return std::make_unique<const QueriesSource<QueryList>>(
            ends(), std::make_shared<const QueryList>(testing::some_list(different_names)));
    if (what == "mix") {
        QueryMix mix = testing::some_mix();
        mix.names = parse_name_range("10.0.0.0/8");
        return std::make_unique<const QueriesSource<MixedQueries>>(
            ends(), std::make_shared<const MixedQueries>(mix, MessageFormat{}));
    }
    if (what == "capture") {
        // All queries are due at once.
        auto captured = std::make_shared<const CapturedQueries>(testing::some_capture(
            testing::some_list(different_names), queries, std::chrono::nanoseconds(1)));
        return std::make_unique<const CaptureSource>(ends(), PlayedQueries(std::move(captured)),
                                                     parse_ip_prefix("198.19.0.0/16"));
    }
    throw SetupError(fmt::format("'{}' is none of names, list, mix and capture", what));
}

struct Lane {
    Lane(const std::string &interface, std::uint32_t number)
        : umem(Sender::send_frames, false),
          socket(interface, number, umem, {.copy_mode = CopyMode::copy})
    {
    }

    Umem umem;
    TxSocket socket;
    std::vector<query_slot> slots;
    std::unique_ptr<Sender> sender;
    Nanoseconds ran{};
};

void measure(const std::string &interface, std::string_view what, std::uint32_t count,
             std::uint64_t queries, bool logs)
{
    // As many slots as 16 million queries/s of each lane need; fewer, where each use of a slot is
    // to be logged.
    const IdentityPlan identities =
        plan_identities(Rate{logs ? 100'000U : 16'000'000U * count}, std::chrono::milliseconds(250),
                        1024, 4000, count, 0x5aa5);
    const auto source = make_source(what, queries * count);
    std::optional<QueryLog> log;
    if (logs)
        log.emplace("/dev/null", source->put_query(), count);
    std::vector<std::unique_ptr<Lane>> lanes;
    for (std::uint32_t i = 0; i < count; i++) {
        Lane &lane = *lanes.emplace_back(std::make_unique<Lane>(interface, i));
        lane.slots.resize(identities.slots_each());
        const SenderPlan plan{.lane = i,
                              .share = {.number = i, .of = count},
                              .queries = queries * count,
                              .schedule = {.pace = {}, .rate = Rate{1'000'000'000}, .duration = {}},
                              .timeout = {},
                              .identities = identities};
        lane.sender = source->make_sender(plan, {.umem = lane.umem,
                                                 .socket = lane.socket,
                                                 .slots = lane.slots,
                                                 .log = log ? &log->ring(i) : nullptr});
    }
    const std::int64_t start = std::chrono::steady_clock::now().time_since_epoch().count();
    if (log)
        log->start(static_cast<std::uint64_t>(start));
    std::vector<std::jthread> threads;
    for (std::uint32_t i = 0; i < count; i++)
        threads.emplace_back([&lane = *lanes[i], i, start] {
            static_cast<void>(pin_this_thread(i % std::thread::hardware_concurrency()));
            const Nanoseconds before = read_own_times().ran;
            lane.sender->run(start, std::atomic<bool>(false));
            lane.ran = read_own_times().ran - before;
        });
    threads.clear();
    std::vector<double> costs;
    std::uint64_t not_logged = 0;
    for (const auto &lane : lanes) {
        if (lane->sender->record().handed_over != queries || lane->sender->not_completed() != 0)
            throw SetupError("a lane did not send all queries");
        costs.push_back(static_cast<double>(lane->ran.count()) / static_cast<double>(queries));
        not_logged += lane->sender->record().not_logged;
    }
    static_cast<void>(log && log->finish());
    fmt::print("{{\"source\": \"{}\", \"lanes\": {}, \"log\": {}, \"queries\": {}, "
               "\"ns_per_query\": [{:.1f}], "
               "\"not_logged\": {}}}\n",
               what, count, logs, queries * count, fmt::join(costs, ", "), not_logged);
}

} // namespace

int main(int argc, char **argv)
{
    const std::vector<std::string> words(argv, argv + argc);
    try {
        const bool logs = words.size() == 6 && words[5] == "log";
        if (words.size() != 5 && !logs)
            throw SetupError(
                "usage: sender_rate INTERFACE names|list|mix|capture LANES QUERIES [log]");
        measure(words[1], words[2], static_cast<std::uint32_t>(std::stoul(words[3])),
                std::stoull(words[4]), logs);
        return 0;
    } catch (const std::exception &error) {
        static_cast<void>(std::fprintf(stderr, "sender_rate: %s\n", error.what()));
        return 2;
    }
}
