// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/stream_engine.h"

#include "engine/lane_threads.h"
#include "machine/counters.h"
#include "streams/stream_lane.h"
#include "system/counted.h"
#include "system/descriptors.h"
#include "system/setup_error.h"
#include "system/system_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace dnsgauge
{

namespace
{

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t ids_of_connection = 65'536;
// Blocks of unsent octets of one lane, besides one for each connection.
constexpr std::uint32_t blocks_to_spare = 16'384;
// Places for open queries of one lane, besides those that the rate needs.
constexpr std::size_t queries_to_spare = 2 * std::size_t{StreamLane::batch_limit};
// No RTT over two sockets is shorter, because it takes several system calls.
constexpr Nanoseconds least_rtt{300};

std::uint64_t lanes_of(const StreamPlan &plan)
{
    return plan.run.cpus.size();
}

// Returns how many queries of one lane may wait for replies at once.
std::uint64_t open_most(const StreamPlan &plan)
{
    return queries_in(plan.peak, 2 * plan.run.timeout) / lanes_of(plan) + 1;
}

// Returns how many connections of one lane may have places.
std::uint64_t held_connections(const StreamPlan &plan)
{
    return plan.clients ? plan.clients->most_open : plan.connections;
}

// Returns how many connections of one lane may have left their places and still await replies.
std::uint64_t more_connections(const StreamPlan &plan)
{
    const bool is_limited = plan.queries_per_connection != 0 || plan.heeds_keepalive;
    std::uint64_t each = ids_of_connection;
    if (plan.heeds_keepalive)
        each = 1;
    else if (is_limited)
        each = std::min(plan.queries_per_connection, ids_of_connection);
    // There is room for as many handshakes as queries.
    const std::uint64_t spare = plan.has_handshakes_alone ? queries_to_spare : 0;
    return open_most(plan) / each + (is_limited ? held_connections(plan) : 1) + spare;
}

[[noreturn]] void refuse(const StreamPlan &plan, const DescriptorShortage &shortage)
{
    const std::uint64_t lanes = lanes_of(plan);
    const std::string limit =
        fmt::format("need {} open files, and the limit is {}: raise it (ulimit -Hn, or "
                    "LimitNOFILE= of the unit)",
                    shortage.needed, shortage.most);
    if (plan.clients)
        throw SetupError("--capture: the connections of the clients, {} of {} at once, {}, or give "
                         "a shorter --idle-timeout, or --connections for connections that the "
                         "clients share",
                         plan.clients->most_open, counted(lanes, "sender"), limit);
    throw SetupError(
        "--connections {} by {} {}{}", plan.connections, counted(lanes, "sender"), limit,
        shortage.for_connections > lanes ? fmt::format(", or let --connections be {} at most",
                                                       shortage.for_connections / lanes - 1)
                                         : std::string());
}

// Raises the limit of open files for the lanes' connections. Returns how many connections each lane
// may have besides its places': fewer than more_connections() if the hard limit is too low.
std::uint32_t reserve_connections(const StreamPlan &plan)
{
    const std::uint64_t lanes = lanes_of(plan);
    const std::uint64_t held = lanes * held_connections(plan);
    const std::uint64_t more = more_connections(plan);
    const auto shortage = reserve_descriptors(held + lanes * more);
    if (!shortage)
        return static_cast<std::uint32_t>(more);
    const std::uint64_t possible = shortage->for_connections;
    if (possible <= held)
        refuse(plan, *shortage);
    static_cast<void>(reserve_descriptors(possible));
    return static_cast<std::uint32_t>((possible - held) / lanes);
}

ConnectionPlan connection_plan(const StreamPlan &plan, std::uint32_t lane, std::uint32_t more,
                               bool takes_stamps)
{
    return {.stream = plan,
            .lane = lane,
            .socket = {.server = {plan.server, plan.server_port},
                       .source = {plan.source, 0},
                       .interface = plan.interface,
                       .takes_stamps = takes_stamps,
                       .acks = plan.acks},
            .places =
                plan.clients ? (plan.clients->numbers - 1) / plan.run.shares + 1 : plan.connections,
            .more = more,
            .blocks =
                1 + static_cast<std::uint32_t>(blocks_to_spare / (held_connections(plan) + more))};
}

// The words for each of the Tester's own shortages: for one, for several, and why the trial is
// invalid.
struct ShortageRow {
    std::uint64_t OwnShortages::*count;
    const char *name;
    const char *one;
    const char *several;
    const char *why;
};
constexpr std::array shortage_rows{
    ShortageRow{&OwnShortages::descriptors, "no_descriptor", "connection without a descriptor",
                "connections without a descriptor",
                "the Tester had no descriptors left: raise the limit of open files"},
    ShortageRow{&OwnShortages::ports, "no_port", "connection without a port",
                "connections without a port", "the Tester had no ports left for connections"},
    ShortageRow{&OwnShortages::memory, "no_memory", "failure for want of memory",
                "failures for want of memory", "the Tester had no memory left for what it sends"},
    ShortageRow{&OwnShortages::unsent, "unsent", "query or connection held back",
                "queries or connections held back", "the Tester's own buffers kept queries back"},
    ShortageRow{&OwnShortages::openings, "late_openings", "connection opened late",
                "connections opened late", "the Tester was too slow with TLS handshakes"},
    ShortageRow{&OwnShortages::recycled, "recycled_early", "query forgotten too early",
                "queries forgotten too early",
                "the sender stalled for so long that queries lost their place before the timeout "
                "had passed"},
    ShortageRow{&OwnShortages::unread, "unread", "datagram dropped unread",
                "datagrams dropped unread", "the Tester read its sockets too late"}};

} // namespace

StreamEngine::StreamEngine(StreamPlan plan, QuerySources sources)
    : plan_(std::move(plan)), sources_(std::move(sources)), stamping_(stamping_socket())
{
    const std::uint32_t more = reserve_connections(plan_);
    for (std::uint32_t i = 0; i < lanes_of(plan_); i++)
        lanes_.push_back(std::make_unique<StreamLane>(
            connection_plan(plan_, i, more, bool{stamping_}), open_most(plan_) + queries_to_spare,
            sources_.expectations(), sources_.make(i)));
    for (const auto &lane : lanes_)
        lane->open_connections();
    // Opening the log empties an existing file, so the log is opened after all that can be refused.
    QueryLogPlan log{.file = plan_.run.per_query_file,
                     .put_query =
                         [this](char *end, const QueryRecord &record) {
                             return sources_.put_text(end, record.query, record.expectation);
                         },
                     .take = plan_.run.per_query};
    if (log.is_wanted())
        log_.emplace(std::move(log), static_cast<std::uint32_t>(lanes_.size()));
    for (std::uint32_t i = 0; log_ && i < lanes_.size(); i++)
        lanes_[i]->set_log(log_->ring(i));
}

StreamEngine::~StreamEngine() = default;

RunPath StreamEngine::path() const
{
    if (plan_.has_handshakes_alone)
        return {.engine = "kernel sockets",
                .rtt_begins = "the Tester begins to open a connection",
                .rtt_ends = "the Tester sees that the connection is open",
                .least_rtt = least_rtt};
    return {.engine = "kernel sockets",
            .rtt_begins = plan_.is_quic ? "the query is handed to its QUIC connection"
                          : plan_.http  ? "the query is handed to its HTTP/2 connection"
                          : plan_.tls   ? "the query is handed to its TLS connection"
                                        : "the query is handed to its TCP connection",
            .rtt_ends = rtt_ends(),
            .least_rtt = least_rtt};
}

const char *StreamEngine::rtt_ends() const
{
    if (!stamping_)
        return "the Tester reads the reply";
    if (plan_.is_quic)
        return "the kernel receives the datagram with the reply's last octet";
    return plan_.tls ? "the kernel receives the segment that ends the reply's last TLS record"
                     : "the kernel receives the reply's last segment";
}

Tally StreamEngine::run(Nanoseconds start, const RunWatch &watch)
{
    start_ns_ = start.count();
    if (log_)
        log_->start(static_cast<std::uint64_t>(start_ns_));
    const std::vector<LaneThread> threads = run_lanes(
        start,
        {.cpus = plan_.run.cpus,
         .confine = plan_.is_quic ? confine_to_quic : confine_to_connections,
         .run = [&](std::size_t lane,
                    std::atomic<bool> &halt) { lanes_[lane]->run(start_ns_, halt, watch.stop); },
         .is_spoilt =
             [this] {
                 return std::ranges::any_of(lanes_,
                                            [](const auto &lane) { return lane->is_spoilt(); });
             },
         .progress = [this] { return progress_now(); }},
        watch);
    watch.heard_all();
    for (const auto &lane : lanes_)
        lane->end();
    watch.detached();
    Tally tally;
    tally.log_failed = log_ && !log_->finish();
    if (plan_.tls && plan_.tls->keys && plan_.tls->keys->has_failed())
        tally.log_failed = true;
    for (std::size_t lane = 0; lane < lanes_.size(); lane++) {
        tally.replies.add(lanes_[lane]->replies());
        threads[lane].tell(tally.lanes.emplace_back(lanes_[lane]->tally()));
    }
    return tally;
}

RunProgress StreamEngine::progress_now() const
{
    RunProgress sum;
    sum.elapsed_s = static_cast<double>(Clock::now().time_since_epoch().count() - start_ns_) / 1e9;
    for (const auto &lane : lanes_) {
        const RunProgress one = lane->progress();
        sum.sent += one.sent;
        sum.valid += one.valid;
        sum.wrong += one.wrong;
    }
    return sum;
}

OwnLosses StreamEngine::losses(const Tally & /*tally*/, const CounterValues &growth) const
{
    // TCP repeats what an interface drops, so these counters are listed and decide nothing.
    CounterValues dropped = growth;
    std::erase_if(dropped,
                  [](const auto &counter) { return loss_of(counter.first) == Loss::none; });
    OwnLosses found{.interface = std::move(dropped)};
    for (const ShortageRow &row : shortage_rows) {
        if (row.count == &OwnShortages::unread && !plan_.is_quic)
            continue;
        std::uint64_t count = 0;
        for (const auto &lane : lanes_)
            count += lane->shortages().*row.count;
        found.kinds.push_back(
            {.name = row.name,
             .count = count,
             .label = {fmt::format("{{}} {}", row.one), fmt::format("{{}} {}", row.several)},
             .why = {fmt::format("{} ({{}} {})", row.why, row.one),
                     fmt::format("{} ({{}} {})", row.why, row.several)},
             .is_of_stall = row.count == &OwnShortages::recycled});
    }
    return found;
}

} // namespace dnsgauge
