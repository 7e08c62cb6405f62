// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The result of a trial: plain values, which all rooms may use.
#pragma once

#include "result/caveats.h"
#include "result/connections.h"
#include "result/count_row.h"
#include "result/counted_range.h"
#include "result/engine_modes.h"
#include "result/placement_result.h"
#include "result/probe_result.h"
#include "result/quic.h"
#include "result/stalls.h"
#include "result/window.h"
#include "stats/ramp.h"
#include "units/pace.h"
#include "units/rate.h"

#include "wire/dns.h"
#include "wire/reply_classes.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// Each query sent is in exactly one class: valid, late, lost, or one of the invalid classes.
struct InvalidCounts {
#define CLASS_COUNT(NAME, key, label, reason, kind) std::uint64_t key = 0;
    INVALID_CLASSES(CLASS_COUNT)
#undef CLASS_COUNT

    [[nodiscard]] std::uint64_t total() const;
};

// What a packet is to the query that it came for: an answer to its question, readable without such
// an answer, or unreadable.
enum class ReplyKind { answer, readable, unreadable };

// The names of a class of invalid queries; see wire/reply_classes.h.
struct InvalidClass : CountRow<InvalidCounts> {
    const char *reason;
    ReplyKind kind;
};

#define CLASS_ROW(NAME, key, label, reason, kind)                                                  \
    InvalidClass{{&InvalidCounts::key, #key, label}, reason, ReplyKind::kind},
inline constexpr std::array invalid_classes{INVALID_CLASSES(CLASS_ROW)};
#undef CLASS_ROW

inline std::uint64_t InvalidCounts::total() const
{
    std::uint64_t total = 0;
    for (const InvalidClass &each : invalid_classes)
        total += this->*each.count;
    return total;
}

struct QueryCounts {
    std::uint64_t sent = 0;
    std::uint64_t valid = 0; // answered right, at or before the timeout
    std::uint64_t late = 0;  // answered right, after the timeout
    std::uint64_t lost = 0;
    InvalidCounts invalid;
};

// Packets that decided nothing about a query.
struct StrayCounts {
#define CLASS_COUNT(NAME, key, label, fate, kind) std::uint64_t key = 0;
    STRAY_CLASSES(CLASS_COUNT)
#undef CLASS_COUNT
};

enum class StrayFate { dropped, passed };

// The names of a class of stray packets; see wire/reply_classes.h.
struct StrayClass : CountRow<StrayCounts> {
    StrayFate fate;
    ReplyKind kind;
};

#define CLASS_ROW(NAME, key, label, fate, kind)                                                    \
    StrayClass{{&StrayCounts::key, #key, label}, StrayFate::fate, ReplyKind::kind},
inline constexpr std::array stray_classes{STRAY_CLASSES(CLASS_ROW)};
#undef CLASS_ROW

// How queries and replies travelled, in the engine's words.
struct RunPath {
    std::string engine{};
    std::string rtt_begins{}; // when an RTT begins and when it ends, as clauses
    std::string rtt_ends{};
    Nanoseconds least_rtt{}; // no RTT can be shorter; 0 if unknown
};

// RTTs of the valid replies, in nanoseconds; RunPath says from when until when. Percentiles are at
// most 0.8 % too high; the other figures are exact.
struct RttSummary {
    std::uint64_t count = 0;
    std::uint64_t min = 0;
    double mean = 0;
    double stddev = 0; // of the population
    std::uint64_t p50 = 0;
    std::uint64_t p90 = 0;
    std::uint64_t p99 = 0;
    std::uint64_t p99_9 = 0;
    std::uint64_t max = 0;
    std::vector<CountedRange> histogram{}; // ascending, without empty ranges
};

// What TLS handshakes are to be.
enum class Resumption { full, ticket };

struct TlsSummary {
    Resumption resumption = Resumption::full;
    std::string name; // the server's name, as SNI told it; may be empty
    bool is_checked = false;
    std::vector<TlsSuite> suites;
    RttSummary full{}; // handshakes, from the open TCP connection on
    RttSummary resumed{};
    std::string failure{}; // the first one; empty if none
};

// How a query travels in a request.
enum class HttpMethod { get, post };

struct HttpSummary {
    HttpMethod method = HttpMethod::post;
    std::string url;
    std::map<std::string, std::uint64_t> statuses; // of responses other than 200
    std::string failure{};                         // the first one; empty if none
};

// The connections of all senders.
struct ConnectionSummary {
    std::uint64_t at_once = 0;      // to be open at once, for each sender; 0 if each client has one
    std::uint64_t queries_each = 0; // most queries of a connection; 0 means no limit
    std::uint64_t pipeline = 0; // most queries of a connection without a reply; 0 means no limit
    Acks acks = Acks::quick;
    std::string idle_times{}; // after which clients' connections were closed
    ConnectionCounts counts;
    RttSummary handshakes; // from connect() until the connection is open
    RttSummary waited;     // of the queries that waited for their connection to open
    Backlog backlog{};
    // Idle timeouts that replies named; missing if no query asked for them.
    std::optional<RttSummary> keepalives{};
    std::optional<TlsSummary> tls{};   // missing if the transport has none
    std::optional<HttpSummary> http{}; // missing if the transport has none
    std::optional<QuicCounts> quic{};  // missing if the transport has none
};

// How late queries were handed over: nanoseconds behind their due times.
struct Lateness {
    std::uint64_t p50 = 0;
    std::uint64_t p99 = 0;
    std::uint64_t max = 0;
};

// What one lane sent: a sender with its transmit queue. Times are in nanoseconds.
struct LaneSummary {
    std::uint32_t share = 0; // of the whole schedule
    std::uint32_t queue = 0;
    unsigned cpu = 0;
    std::uint64_t sent = 0;
    Nanoseconds last_sent{}; // from the start of the schedule
    Lateness lateness{};
    Nanoseconds driver_lag{}; // see SendingSummary
    std::uint64_t kicks = 0;
    Nanoseconds waited{}; // ready to send, while the CPU did something else
};

struct SendingSummary {
    std::uint64_t planned = 0; // queries that the rate and the duration ask for
    Nanoseconds duration{};    // from the start until one gap after the last query was handed over
    double achieved_rate = 0;  // queries per second over that time
    Lateness lateness{};
    std::vector<CountedRange> lateness_histogram{}; // as RttSummary's
    // The longest time for which the driver certainly kept a query that was due.
    Nanoseconds driver_lag{};
    std::uint64_t kicks = 0;           // system calls that made the kernel send
    std::vector<std::uint64_t> bursts; // [n]: batches of n queries handed over at once
    std::vector<LaneSummary> lanes{};  // ascending by share
};

// Values of counters, by their names.
using CounterValues = std::map<std::string, std::uint64_t>;

// A kind of loss on the Tester's own side, as the engine names it. Any such loss makes a trial
// invalid. In texts {} stands for the number. There are words for one and for several.
struct OwnLoss {
    std::string name{}; // in results
    std::uint64_t count = 0;
    std::array<std::string, 2> label{}; // in a trial's text: for one, for several
    std::array<std::string, 2> why{};   // why a trial is invalid: for one, for several
    bool is_of_stall = false;           // a stall costs such queries, whatever the rate
};

// The packets that were lost on the Tester's own side, as far as that can be known.
struct OwnLosses {
    std::vector<OwnLoss> kinds{};          // all kinds that the engine knows, also without a loss
    CounterValues interface;               // counters that grew during the trial
    std::uint64_t interface_sending = 0;   // packets lost on their way out, by these counters
    std::uint64_t interface_receiving = 0; // packets lost on their way in, by these counters
    // Packets that were received and dropped, perhaps replies: all may have been packets that the
    // program passed to the kernel, which had no use for them.
    std::uint64_t interface_doubtful = 0;
};

// The number of source ports that lost queries left from.
struct PortLosses {
    std::uint64_t ports = 0; // of all senders
    std::uint64_t with_losses = 0;
};

// What makes a run incomplete, whatever the server did.
struct RunFaults {
    bool interrupted = false;
    bool link_failed = false;              // at any time of the run
    bool next_hop_moved = false;           // to another Ethernet address
    bool not_counted = false;              // what the interface dropped, or whether its link failed
    std::optional<unsigned> not_pinned_to; // a CPU that a sender should have run on, and did not
    std::uint64_t not_logged = 0;          // records that the --per-query file lacks
    bool log_failed = false; // the --per-query or --key-log file could not be written in full
};

// What a process or kernel thread did on a CPU during a trial.
struct CpuGuest {
    enum class Side {
        own,    // the Tester's
        kernel, // the kernel's
        server, // in a lab on this machine: the server, or a server that it asks
        other,  // has no part in the trial
        unknown // the Tester may not see whose it is
    };

    unsigned cpu = 0; // where the process ran last
    int process = 0;
    std::string name{};
    Side side = Side::other;
    Nanoseconds ran{};
    Nanoseconds waited{}; // ready to run, while the CPU did something else
};

// The longest time without a break in which others or the hypervisor had a CPU that the server
// waited for.
struct CpuAbsence {
    Nanoseconds longest{}; // 0 if there was none
    int process = 0;       // the other process that had the CPU longest; 0 if there was none
    std::string name{};
};

// What was done during a trial on a CPU that sends, receives replies or runs the server.
struct CpuUse {
    unsigned cpu = 0;
    bool sends = false;
    bool receives = false;
    Nanoseconds elapsed{};
    Nanoseconds sender_waited{}; // ready to send, while the CPU did something else
    Nanoseconds server_ran{};    // what the server's threads did here
    Nanoseconds server_waited{};
    std::optional<CpuAbsence> absence{}; // missing if not recorded, or the server is elsewhere
    Nanoseconds others{};                // run by processes that have no part in the trial
    Nanoseconds unseen{};           // run by processes that had ended before they could be seen
    Nanoseconds steal{};            // the hypervisor gave the CPU to somebody else
    Nanoseconds softirq{};          // packets, mostly
    std::vector<CpuGuest> guests{}; // worth naming; first the one that took or wanted most
};

// What the kernel knows about the machine's wall clock. Trials do not need the wall clock.
struct WallClock {
    std::optional<bool> is_synchronised{}; // missing if unknown
    Nanoseconds error_most{};              // the kernel's bound
    std::vector<std::string> programs{};   // on this machine that set its clock
};

// The conditions of the trial, for somebody who wants to repeat the trial.
struct Circumstances {
    std::string started; // UTC, ISO 8601
    std::string version; // of dnsgauge
    std::vector<std::string> command;
    std::string kernel;
    std::string cpu_model;
    unsigned cpus = 0;
    std::vector<unsigned> sender_cpus;
    std::string sender_cpus_why; // why these were chosen; empty if the options name them
    int sender_nice = -20;       // the worst of the senders' nice values
    std::string interface;
    std::string driver;
    std::uint32_t mtu = 0;
    std::uint64_t link_mbps = 0; // 0 if unknown
    unsigned queues = 0;         // transmit queues used
    UsedModes modes;             // of the engine
    bool busy_poll = false;
    // From the first look at the link until all queues sent; 0 at a veth pair.
    Nanoseconds link_wait{};
    bool idle_cpus_poll = false;   // the kernel agreed to let no CPU sleep
    std::uint32_t kick_budget = 0; // most packets that a kick sends; 0 means no limit (zero-copy)
    std::string receive_stamps = "none";    // or hardware
    std::string transmit_stamps = "none";   // or hardware, or software
    std::uint64_t contradictory_stamps = 0; // queries whose stamps cannot be true
    std::string source_address;
    std::string next_hop_mac;
    std::uint32_t source_ports = 0; // of each sender
    std::uint16_t first_source_port = 0;
    // Whether absences of the server's CPUs were recorded, in words; empty if the server is not on
    // this machine.
    std::string server_absences{};
    std::optional<WallClock> wall_clock; // missing in results of older versions
};

enum class Transport {
    udp,
    tcp,
    dot,
    doh,
    doq,
    capture // UDP and TCP: each query of captures as it was captured
};

[[nodiscard]] constexpr bool is_over_tcp(Transport transport)
{
    return transport == Transport::tcp || transport == Transport::dot ||
           transport == Transport::doh;
}

enum class Verdict { pass, fail, invalid };

// The kind of the server. A DNS64 server asks an authoritative server (AuthDNS) what it is asked.
enum class Dut { authoritative, dns64 };

// What AuthDNS and the DNS64 server's cache hold.
struct Dns64Conditions {
    unsigned aaaa_share = 0; // percent of the names that have an AAAA record of their own
    // The data of such a record: this prefix, then the address in the name.
    std::string aaaa_prefix{};
    unsigned cached_share = 0; // percent of the queries that ask for the one cached name
};

// What makes a reply to a user's own query valid.
enum class Expect {
    answered, // with any RCODE
    useful,   // with NOERROR or NXDOMAIN
    captured, // with the RCODE and the number of answers that the capture's own answer had
};

// Whether a reply must repeat the letters of a name as they were sent.
enum class LetterCase { any, exact };

struct LetterSummary {
    LetterCase letter_case = LetterCase::any;
    std::optional<std::uint64_t> seed{}; // by which the letters of the queries' names were mixed
};

// The list of a user's own queries.
struct ListSummary {
    std::string file;
    std::uint64_t queries = 0;
    std::uint64_t distinct = 0; // questions, letters folded
    std::uint64_t memory = 0;   // octets
    std::optional<std::uint64_t> shuffle_seed{};
    Expect expect = Expect::useful;
    LetterSummary letters{};
};

// The order in which names of a range are asked for.
enum class NameOrder {
    ascending,
    random // by a key that is drawn for each trial, so that nobody can tell the next name
};

// The mix of queries for names of the test zone.
struct MixSummary {
    unsigned dnssec_ok = 0;  // of every hundred queries
    unsigned nxdomain = 0;   // of every hundred queries
    std::string types;       // with their shares, as --types has them
    unsigned aaaa_share = 0; // percent of the names that have an AAAA record
    bool is_signed = false;  // the zone
    LetterSummary letters{};
};

// The names of the judge's rules: wire/judge_rule.h.
struct JudgedBy {
    std::vector<std::string> rules{};    // in force
    std::vector<std::string> accepted{}; // that the user has loosened
};

// Traits of the replies that decided their query. Sizes are of DNS messages, in octets.
struct ReplyTraits {
    std::uint64_t count = 0;
    std::uint64_t smallest = 0;
    std::uint64_t largest = 0;
    double mean_size = 0;
    std::vector<CountedRange> sizes{}; // ascending, without empty ranges
    std::uint64_t aa = 0;              // with this flag, and so on
    std::uint64_t ad = 0;
    std::uint64_t tc = 0;
    std::uint64_t rd = 0;
    std::uint64_t ra = 0;
    std::uint64_t cd = 0;
    std::uint64_t z = 0; // the reserved bit
    std::uint64_t no_question = 0;
    // What their records say.
    bool records_read = false;
    std::uint64_t whole = 0; // all records could be read
    std::uint64_t rrsig = 0; // the answer section has an RRSIG record
    double wire_octets = 0;  // mean length of a packet on the wire, with preamble and gap
};

// Returns how many packets of that length a link of that speed carries per second.
[[nodiscard]] constexpr double line_rate(double wire_octets, std::uint64_t mbps)
{
    return wire_octets == 0 ? 0 : static_cast<double>(mbps) * 1e6 / 8 / wire_octets;
}

// What became of the queries that were sent in one part of a trial.
struct IntervalSummary {
    Nanoseconds since{}; // the part's beginning, from the trial's start
    QueryCounts queries;
    std::array<std::uint64_t, DNS_RCODE_COUNTS> rcodes{}; // of the replies that decided their query
    std::array<std::uint64_t, DNS_RCODE_COUNTS> late_rcodes{}; // of those among them that were late
    RttSummary rtt;                                            // of the valid replies
};

// What became of the queries that one transport of several carried.
struct TransportSummary {
    Transport transport{};
    std::uint64_t planned = 0;
    QueryCounts queries;
    std::array<std::uint64_t, DNS_RCODE_COUNTS> rcodes{};
    RttSummary rtt;
    Lateness lateness{};
};

// The captures that were played.
struct ReplaySummary {
    std::vector<std::string> files;
    std::string server;        // only queries to it count; empty means any server
    std::uint16_t port = 53;   // only queries to it count
    std::string clients_in;    // the prefix of their addresses; empty if they have the Tester's
    std::uint64_t clients = 0; // that asked
    bool keeps_ports = false;  // each query left from its client's port
    std::uint64_t queries = 0; // to be sent
    std::uint64_t played = 0;  // captures, or slices of them, at once
    double speed = 1;
    Nanoseconds skip{};
    std::uint64_t memory = 0; // octets
    Expect expect = Expect::useful;
    std::uint64_t unanswered = 0; // queries without a whole answer in the capture: Expect::captured
    LetterSummary letters{};
    // Queries and packets of the captures that are not sent, by reason.
    std::vector<std::pair<const char *, std::uint64_t>> left_out;
};

// A comparison of a Tester's clock with the clock of the Tester of rank 0.
struct ClockReading {
    Nanoseconds offset{}; // this clock less the other one
    Nanoseconds bound{};  // the true offset is at most this far from `offset`
};

// Two comparisons. The Tester begins by the offset that was measured before the trial.
struct ClockComparison {
    ClockReading before{};
    std::optional<ClockReading> after{}; // missing if the Tester answered no more

    // Returns by how much, at most, the clocks made queries leave off the common schedule; nothing
    // if the clock is unknown after the trial.
    [[nodiscard]] std::optional<Nanoseconds> error() const;
};

struct TesterResult;

// A pattern in the figures that people easily misread. A hint changes no verdict.
struct Hint {
    std::string kind{}; // the name of its row in trial/hints.cpp
    std::string text{};
    std::vector<std::pair<std::string, std::uint64_t>> figures{}; // that it comes from
};

// What became of a trial's queries, and how they were sent.
struct TrialFigures {
    QueryCounts queries{};
    StrayCounts strays{};
    std::array<std::uint64_t, DNS_RCODE_COUNTS> rcodes{}; // of the replies that decided their query
    std::array<std::uint64_t, DNS_RCODE_COUNTS> late_rcodes{}; // of the late ones among them
    ReplyTraits replies{};
    RttSummary rtt{};
    RttSummary rtt_hardware{}; // by the card's clock, of replies with stamps both ways
    SendingSummary sending{};
    std::optional<WindowSummary> window{};   // missing if the pace is another one
    std::optional<PortLosses> port_losses{}; // missing if the Tester did not choose the ports
};

// What was asked of a trial.
struct TrialTerms {
    Rate rate; // the mean if the pace is not constant; in a window, the rate that was sent
    Pace pace{};
    // After a stall the Tester sends at most this many times the rate; a missing value means as
    // fast as it can.
    std::optional<double> catch_up{};
    Nanoseconds duration{};
    Nanoseconds timeout{};
    double accept_percent = 100; // of the queries, which must be answered right in time
};

struct TrialResult : TrialFigures, TrialTerms {
    std::string server;
    std::uint16_t port = 53;
    Transport transport = Transport::udp;
    // Queries of a list or of captures. If names were asked for, both are missing, and the members
    // from `zone` to `answer` describe the names.
    std::optional<ListSummary> list;
    std::optional<ReplaySummary> replay;
    std::optional<MixSummary> mix; // of the queries for names; then qtype and answer are empty
    // Nothing was asked: each connection counts as a query. It is valid if it opened in time, and
    // its RTT is the time of its handshake.
    bool has_handshakes_alone = false;
    std::string zone;
    std::string names; // CIDR
    NameOrder name_order = NameOrder::ascending;
    std::string qtype;
    std::string answer;                   // the prefix expected, or "any"
    std::optional<Dns64Conditions> dns64; // missing if the DUT is authoritative
    JudgedBy judged;
    // When sending began, and when no reply could count any more, since 1970-01-01 UTC. The wall
    // clock told the beginning, and the monotonic clock the time from there.
    Nanoseconds since{};
    Nanoseconds until{};

    std::string edns_options{}; // that the queries had, as they were given; empty if none

    RunPath path;
    Nanoseconds interval{};                       // 0 if nobody asked for intervals
    std::vector<IntervalSummary> intervals;       // ascending, until the last query was sent
    std::optional<IntervalSummary> later_part;    // from --since on; missing if nobody asked
    std::optional<ConnectionSummary> connections; // missing if the transport has none
    std::vector<TransportSummary> by_transport{}; // if there are several
    std::optional<RampSummary> ramp{};            // missing if the pace is another one
    OwnLosses own_losses;
    std::optional<StallSummary> stalls; // missing in results of older versions
    std::vector<CpuUse> cpus;           // that the trial used on this machine
    // Datagrams that found a full buffer, of each UDP socket of the server on this machine.
    std::vector<std::uint64_t> server_drops{};
    std::optional<ProbeResult> probe{}; // of the server on this machine, if --probe asks for one
    std::optional<PlacementResult> placement; // of this machine; missing if nobody looked
    Circumstances circumstances;

    Verdict verdict = Verdict::invalid;
    std::string why;
    Caveats caveats;
    std::vector<Hint> hints{};
    // The trial is invalid because of something that the Tester could not do, not because it was
    // cut short.
    bool tester_was_limit = false;
    // The trial is invalid because the Tester cannot offer its rate. A lower rate may be possible.
    bool rate_not_offered = false;
    // If several Testers made the trial, the part of each, ascending by rank. Then `circumstances`
    // are the first Tester's, and only the parts have `cpus`.
    std::vector<TesterResult> testers;
};

// The part of one Tester of several.
struct TesterResult {
    std::uint32_t rank = 0;
    std::string host;
    ClockComparison clock;
    std::optional<TrialResult> trial; // missing if the Tester sent none
};

inline std::optional<Nanoseconds> ClockComparison::error() const
{
    if (!after)
        return std::nullopt;
    const Nanoseconds drift = after->offset - before.offset;
    const Nanoseconds at_end = (drift < Nanoseconds{} ? -drift : drift) + after->bound;
    return at_end > before.bound ? at_end : before.bound;
}

} // namespace dnsgauge
