// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What became of the queries that reached the server's machine, and how long each stage took.
#pragma once

#include "result/count_row.h"
#include "result/counted_range.h"
#include "units/rate.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// Times of one stage, in nanoseconds. Percentiles are at most 0.8 % too high.
struct StageTimes {
    std::uint64_t count = 0;
    double mean = 0;
    std::uint64_t p50 = 0;
    std::uint64_t p90 = 0;
    std::uint64_t p99 = 0;
    std::uint64_t p99_9 = 0;
    std::uint64_t max = 0;
    std::vector<CountedRange> histogram{}; // ascending, without empty ranges
};

// Queries whose replies took about equally long to leave. `sums` has the sum of each stage over
// them, in the order of `stages` and in nanoseconds. A stage that the probe did not see is 0; its
// time is in another stage.
struct AlikeQueries {
    std::uint64_t queries = 0;
    std::array<std::uint64_t, 5> sums{};
};

// Returns the same queries in at most 100 rows. Both lists ascend by the time that the queries
// took. A diagram has a logarithmic axis for the number of slower queries. On it each row except
// the last is at least a hundredth of the axis wide.
[[nodiscard]] std::vector<AlikeQueries> merged(const std::vector<AlikeQueries> &rows);

// The numbers of dropped queries or replies, by the kernel's name of the reason.
using DropReasons = std::vector<std::pair<std::string, std::uint64_t>>;

// A thread of the server.
struct ProbedThread {
    std::uint32_t process = 0;
    std::uint32_t thread = 0;
    std::string name;
    std::uint64_t queries = 0; // that it read
    std::uint64_t calls = 0;   // system calls that read these
    std::uint64_t wakeups = 0;
    std::uint64_t migrations = 0; // times that it moved to another CPU
    Nanoseconds ran{};
    Nanoseconds waited{}; // ready, without a CPU
    // Whether the last four are known: see Telling::cpus.
    bool has_times = true;
};

// A socket of the server that was full.
struct ProbedSocket {
    std::uint64_t inode = 0;
    std::uint32_t process = 0; // that has the socket; 0 if unknown
    std::string name;          // of the process
    std::uint32_t thread = 0;  // that read followed queries from it; 0 if unknown
    std::string reader{};      // the thread's name
    std::uint64_t drops = 0;
    std::uint64_t buffer = 0;  // octets (SO_RCVBUF)
    std::uint64_t waiting = 0; // datagrams in the socket when it was full, at most
};

// A socket of the server that shares its address and port with others (SO_REUSEPORT). The kernel
// chooses one of them by the hash of both addresses and ports.
struct SharingSocket {
    std::uint64_t inode = 0;
    std::string address;       // where the socket is bound
    std::uint64_t queries = 0; // that were read from it
    std::uint32_t thread = 0;  // that read these last; 0 if unknown
    std::string reader{};      // the thread's name
};

// The stage in which each of a trial's late queries was for longest, as counts.
struct LatePlaces {
    std::uint64_t stack = 0; // the stages of ProbeResult
    std::uint64_t queue = 0;
    std::uint64_t wakeup = 0;
    std::uint64_t server = 0;
    std::uint64_t leave = 0;
    std::uint64_t way = 0; // to and fro, and the Tester
    std::uint64_t unknown = 0;
};

// A place, with its name in JSON and in texts.
struct LatePlace : CountRow<LatePlaces> {
    const char *meaning;
};
inline constexpr std::array late_places{
    LatePlace{{&LatePlaces::stack, "stack", "in stack"},
              "late queries that were longest on their way to the socket"},
    LatePlace{{&LatePlaces::queue, "queue", "in queue"},
              "late queries that waited longest in `queue`"},
    LatePlace{{&LatePlaces::wakeup, "wakeup", "in wake-up"},
              "late queries that waited longest for the reading thread's CPU"},
    LatePlace{{&LatePlaces::server, "server", "in server"},
              "late queries that were longest in the server"},
    LatePlace{{&LatePlaces::leave, "leave", "in leave"},
              "late queries whose reply took longest to leave"},
    LatePlace{{&LatePlaces::way, "way", "on the way, or at the Tester"},
              "late queries that were longest on the way to and fro, or at the Tester"},
    LatePlace{{&LatePlaces::unknown, "unknown", "unknown"},
              "late queries whose stages the probe does not know"}};

// What the optional tracepoints, which a kernel may lack, tell.
enum class Telling {
    cpus,         // the stage `wakeup`, and times of threads
    drops,        // `dropped`; otherwise `unread` and `unanswered` have these queries, too
    full_sockets, // `sockets`
    af_xdp,       // `taken` and `refused`; what a generic XDP program took
    xdp_sent,     // `xdp_sent` and `xdp_dropped`
    leave,        // the stage `leave`, otherwise a part of `server`
    stack,        // the stage `stack`, otherwise a part of `queue`
};

// A tracepoint, and what is missing without it. Tracepoints with the same `telling` are of use only
// together.
struct OptionalTracepoint {
    const char *name;
    Telling telling;
    const char *missing;
    // False if a sample goes without, to save the program's cost for every packet.
    bool in_samples = true;
};
inline constexpr std::array optional_tracepoints{
    OptionalTracepoint{"sched_waking", Telling::cpus, "`wake-up`, and the CPU times of threads"},
    OptionalTracepoint{"sched_switch", Telling::cpus, "`wake-up`, and the CPU times of threads"},
    OptionalTracepoint{"kfree_skb", Telling::drops, "what the kernel dropped, and why"},
    OptionalTracepoint{"udp_fail_queue_rcv_skb", Telling::full_sockets, "full sockets"},
    OptionalTracepoint{"xdp_redirect", Telling::af_xdp, "what AF_XDP took or refused"},
    OptionalTracepoint{"xdp_redirect_err", Telling::af_xdp, "what AF_XDP took or refused"},
    OptionalTracepoint{"xdp_devmap_xmit", Telling::xdp_sent, "what XDP programs sent"},
    OptionalTracepoint{"xdp_bulk_tx", Telling::xdp_sent, "what XDP programs sent"},
    OptionalTracepoint{"net_dev_queue", Telling::leave, "`leave`, which is a part of `server`",
                       false},
    OptionalTracepoint{"sk_data_ready", Telling::stack, "`stack`, which is a part of `queue`",
                       false}};

struct ProbeResult {
    std::string interface;
    std::uint16_t port = 0;
    double share_percent = 100; // of the queries that were followed
    Nanoseconds duration{};
    std::vector<std::string> lacks{}; // tracepoints of optional_tracepoints

    std::uint64_t arrived = 0;    // queries that the network stack saw, or an XDP program dropped
    std::uint64_t followed = 0;   // of these; all counts below are of followed queries
    DropReasons dropped{};        // before the server read them
    std::uint64_t unread = 0;     // neither dropped nor read until the end
    std::uint64_t unanswered = 0; // read, and no reply left
    DropReasons dropped_replies{};
    std::uint64_t left = 0;     // whose reply reached the driver
    std::uint64_t too_late = 0; // of these: later than twice a trial's timeout
    std::uint64_t unseen = 0;   // of `left`: without stages, because no read of theirs was seen

    std::uint64_t forgotten = 0; // their fate is unknown: the table of queries was full
    // Their fate is unknown: the client sent a query again before it was read.
    std::uint64_t repeated = 0;
    std::uint64_t unreadable = 0; // packets whose headers the probe could not read
    std::uint64_t unlogged = 0;   // queries that a log lacks, because it was written too slowly

    // Packets that an XDP program gave to AF_XDP sockets before they arrived, and packets that the
    // sockets had no room for. Nothing else is known about them.
    std::uint64_t taken = 0;
    std::uint64_t refused = 0;
    // Packets that XDP programs sent by the interface before they arrived, and such packets that
    // were dropped on the way out. Replies of a server by XDP are among them.
    std::uint64_t xdp_sent = 0;
    std::uint64_t xdp_dropped = 0;

    // Received packets of any kind that the interface and its driver counted as lost, by counter.
    // Not all need be queries, and the network stack may have seen some.
    DropReasons interface_drops{};

    // A resolver's own questions over UDP to other servers at the same port.
    std::uint64_t asked = 0;
    StageTimes others{}; // from such a question until its answer's arrival
    // `server` of the queries during which no answer came from other servers.
    StageTimes alone{};

    // The time from the first sight, by an XDP program of the probe, until the network stack has
    // the query. `sighted` counts the queries that the program saw, followed or not. Missing
    // without such a program.
    std::optional<StageTimes> wire{};
    std::uint64_t sighted = 0;

    // The stages of queries whose reply left, in the order of a query's way: see bpf/probe_abi.h.
    // `stack` lacks queries that a reader had before the kernel reported that the socket had them.
    StageTimes stack{};
    StageTimes queue{};
    StageTimes wakeup{};
    StageTimes server{};
    StageTimes leave{};
    std::vector<AlikeQueries> by_time{}; // all queries that have stages, the fastest first

    std::optional<LatePlaces> late{}; // missing without a trial

    std::vector<ProbedThread> threads{}; // by queries, most first
    std::vector<ProbedSocket> sockets{}; // by drops, most first
    // By queries, most first; empty if the kernel does not tell which socket was read.
    std::vector<SharingSocket> sharing{};
};

// A probe's result, and for how long queries came meanwhile.
struct LoadedProbe {
    ProbeResult probe{};
    Nanoseconds load{};
    std::string trial{}; // which one of several trials, and why this one; empty if there is one
};

// What became of some of the lost queries, in words.
struct Fate {
    std::uint64_t count = 0;
    std::string text;
};

// Returns whether the kernel has all tracepoints that tell this.
[[nodiscard]] bool tells(const ProbeResult &probe, Telling telling);

// Returns which tracepoints the kernel lacks and what is missing, in words; nothing if it has all.
[[nodiscard]] std::string lacks_text(const ProbeResult &probe);

// Returns how many queries arrived for each one that was followed; 1 if none was.
[[nodiscard]] double arrived_per_followed(const ProbeResult &probe);

// Returns the name and the number of the thread that reads the socket; if it is unknown, of the
// process.
[[nodiscard]] std::string owner_text(const ProbedSocket &socket);

// Sockets that share an address and the port.
struct SharedAddress {
    std::string address;
    std::vector<SharingSocket> sockets{}; // by queries, most first
    std::uint64_t queries = 0;            // that were read from them
    std::size_t idle = 0;                 // sockets from which none was read
};

// Returns the server's sockets that share an address, by address.
[[nodiscard]] std::vector<SharedAddress> shared_addresses(const ProbeResult &probe);

// Returns whether the probe can have seen all queries and replies of a trial: `sent` queries, of
// which `replied` had a reply. It cannot if it did not follow all, if an XDP program answered some,
// or if others asked, too.
[[nodiscard]] bool sees_all(const ProbeResult &probe, std::uint64_t sent, std::uint64_t replied);

// Returns how many packets of any kind the interface dropped that have no other fate.
[[nodiscard]] std::uint64_t drops_without_fate(const ProbeResult &probe);

// Returns what became of the queries of such a trial that had no reply; nothing if the probe did
// not see all, or if the kernel does not tell drops. The counts are exact if all queries were
// followed and no fate is unknown.
[[nodiscard]] std::vector<Fate> fates_of_lost(const ProbeResult &probe, std::uint64_t sent,
                                              std::uint64_t replied);

// Returns what became of the followed queries that were lost at the server; nothing if all queries
// were followed. A socket's drops count all queries.
[[nodiscard]] std::vector<Fate> fates_in_sample(const ProbeResult &probe);

// Returns where the `late` queries of such a trial were for longest. The probe found some of them;
// the others are `unknown`. The other arguments are as above.
[[nodiscard]] LatePlaces places_of_late(const ProbeResult &probe, std::uint64_t sent,
                                        std::uint64_t replied, std::uint64_t late);
// Returns the same in words.
[[nodiscard]] std::vector<Fate> texts_of(const LatePlaces &places);

// Where queries without a reply were lost.
struct LossPlaces {
    std::uint64_t before_server = 0; // on the way to the server's network stack
    std::uint64_t at_server = 0;     // or answered too late
    std::uint64_t behind_server = 0; // their replies left, and did not count
};

// Returns where the queries of a trial that had no reply were lost; the arguments are as above.
// Returns nothing unless all this holds: the probe followed each query that arrived, and knows its
// fate; it saw a reply leave for each query that has one; and no XDP program took a query before it
// arrived, as the kernel tells.
[[nodiscard]] std::optional<LossPlaces> places_of_lost(const ProbeResult &probe, std::uint64_t sent,
                                                       std::uint64_t replied);

[[nodiscard]] std::uint64_t sum_of(const DropReasons &drops);

// Returns what the kernel's reason for a drop means, or the reason itself.
[[nodiscard]] std::string reason_text(const std::string &reason);

// A stage, with its name in JSON and its meaning.
struct Stage {
    StageTimes ProbeResult::*times;
    const char *key;
    const char *label;
    const char *meaning;
};
inline constexpr std::array stages{
    Stage{&ProbeResult::stack, "stack_ns", "stack",
          "from the network stack's first sight until the query is in the server's socket"},
    Stage{&ProbeResult::queue, "queue_ns", "queue",
          "from there to the server's read, without the wake-up; it includes `stack` if that is "
          "missing"},
    Stage{&ProbeResult::wakeup, "wakeup_ns", "wake-up",
          "in which the reading thread was ready, and had no CPU"},
    Stage{&ProbeResult::server, "server_ns", "server",
          "from the read until the reply was handed to the interface"},
    Stage{&ProbeResult::leave, "leave_ns", "leave", "from there to the interface's driver"}};
static_assert(std::size(AlikeQueries().sums) == stages.size());

} // namespace dnsgauge
