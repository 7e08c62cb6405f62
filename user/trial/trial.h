// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One trial: queries at a constant rate for a time, and a judgement of every reply.
//
// Constructing a trial does everything that can go wrong before the first packet. run() sends,
// waits for the last reply that can count, and judges. Each trial stands alone: program, maps and
// sockets are its own.
#pragma once

#include "engine/idle_cpus.h"
#include "engine/run_progress.h"
#include "host/xdp_link.h"
#include "machine/interface.h"
#include "result/trial_result.h"
#include "trial/stamps.h"
#include "trial/verdict.h"
#include "units/pace.h"
#include "userland/ip_address.h"
#include "userland/name_range.h"
#include "userland/query_mix.h"
#include "userland/zone_name.h"
#include "workload/name_walk.h"
#include "workload/query_list.h"
#include "workload/replay_wish.h"
#include "xsk/tx_socket.h"

#include "wire/pref64.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

class CapturedQueries;
class MixedQueries;
class Testers;

// What queries for names are to have besides, in exact shares: see common/query_mix.h.
struct MixWish {
    unsigned dnssec_ok = 0; // percent of the queries; likewise the next one
    unsigned nxdomain = 0;
    std::vector<TypeShare> types{}; // if none, all queries are of the plan's type
    bool is_signed = false;         // the zone

    [[nodiscard]] bool is_wanted() const
    {
        return dnssec_ok != 0 || nxdomain != 0 || !types.empty() || is_signed;
    }
};

struct TrialPlan {
    std::string interface;
    IpAddress server;
    std::uint16_t server_port = 53;
    std::optional<MacAddress> server_mac; // of the next hop; by default from the kernel's tables
    std::optional<IpAddress> source;      // by default the kernel's routes choose one
    std::optional<std::uint16_t> vlan;

    // A list to ask, over and over. Without a list the trial asks for names: `zone` and so on.
    std::optional<std::string> queries_file;
    std::optional<std::uint64_t> shuffle_seed;
    // Whether replies to queries of a list, of captures or of a mix must repeat the letters' case.
    // By default letters that case_seed mixes must be repeated; it mixes names of lists and
    // captures.
    std::optional<LetterCase> letter_case;
    std::optional<std::uint64_t> case_seed;
    std::optional<Expect> expect;          // of the replies to a list's queries; by default useful
    EdnsOptions edns_options;              // of a list's queries
    std::shared_ptr<const QueryList> list; // what the file holds: load_list()

    // Captures to play instead of a list; `rate` and `duration` then follow from the captures.
    ReplayWish replay;
    std::shared_ptr<const CapturedQueries> captured; // what the captures hold: load_list()

    // Shares of the queries for names. By default all are of qtype, for names that exist.
    MixWish mix;
    // The mix's queries, whatever their names: load_list()
    std::shared_ptr<const MixedQueries> mixed;

    ZoneName zone;
    NameRange names;
    NameOrder name_order = NameOrder::ascending;
    bool allow_repeats = false;
    CachedShare cached; // share of the queries that ask for the first of the names
    std::uint16_t qtype = 28;
    pref64 answer_prefix{}; // of the AAAA data expected; the A data expected is the name's address
    Dut dut = Dut::authoritative;
    // Percent of the names for which AuthDNS, or a mix's server, has an AAAA record. The default is
    // 0, and 100 for a mix.
    std::optional<unsigned> aaaa_share;
    pref64 aaaa_prefix{};      // of the data of AuthDNS' AAAA records
    bool any_answer = false;   // any record of the right type is right
    std::uint32_t accepts = 0; // enum judge_accepts: rules of the judge that do not hold
    bool recursion_desired = false;
    std::optional<std::uint16_t> edns_size;
    bool dnssec_ok = false;

    Rate rate;                // at a pace of steps: the mean, which complete() sets
    std::optional<Pace> pace; // if none: see pace_of()
    // After a stall senders send at most so many times the rate; if none: as fast as they can.
    std::optional<double> catch_up;
    Nanoseconds duration{};
    // Queries are also counted by intervals of this length, in which they were sent; 0 counts none.
    std::optional<Nanoseconds> interval;
    Nanoseconds since{}; // queries sent from here on are also counted apart, unless it is 0
    Nanoseconds timeout{};
    double accept_percent = 100;
    Tolerances tolerances;
    std::optional<SelftestCover> selftest;       // none if no self-test was looked for
    std::optional<CertificateCover> certificate; // likewise; no RTT is below its bound
    // The self-test whose modes each Tester must use, if it covers the trial.
    std::optional<SelftestCover> same_modes_as;

    std::uint32_t source_ports = 4000; // of each sender
    std::uint16_t first_source_port = 1024;
    std::vector<unsigned> cpus;          // one sender on each; empty: one sender on an idle CPU
    std::vector<unsigned> sender_queues; // their transmit queues; empty: 0, 1 and so on
    std::optional<std::string> server_process; // ID or name; by default its socket tells
    XdpMode xdp_mode = XdpMode::automatic;
    TxOptions tx;
    StampMode stamps = StampMode::automatic;
    IdleCpus idle_cpus = IdleCpus::poll;
    std::optional<std::string> per_query_file;

    std::shared_ptr<Testers> testers; // that make the trial together; null: this one alone
};

// Returns the pace that was asked for, or the default: a capture's own pace, or a constant one.
[[nodiscard]] Pace pace_of(const TrialPlan &plan);

// Returns by which schedule the trial sends its queries.
[[nodiscard]] SchedulePlan schedule_of(const TrialPlan &plan);

// Returns what replies to the plan's own queries must be.
[[nodiscard]] Expect expectation_of(const TrialPlan &plan);

// Returns whether replies must repeat the letters' case. By default they must where letters were
// mixed.
[[nodiscard]] LetterCase letter_case_of(const TrialPlan &plan);

// Returns by which rules the replies to the plan's queries are judged.
[[nodiscard]] JudgedBy judged_by(const TrialPlan &plan);

// Returns how many queries the trial sends. Throws SetupError if there are none, or more than there
// are names for.
[[nodiscard]] std::uint64_t count_queries(const TrialPlan &plan);

// Reads the list or the captures that the plan asks for, unless the plan has them. Sets the rate
// and the duration of captures. Throws SetupError.
void load_list(TrialPlan &plan);

// Returns how many names the trial's queries ask for; 0 if a list's queries are asked. Throws
// SetupError as count_queries() does.
[[nodiscard]] std::uint64_t count_names(const TrialPlan &plan);

// Returns what the trial expects of AuthDNS and of the server's cache; nothing if the server is no
// DNS64 server.
[[nodiscard]] std::optional<Dns64Conditions> dns64_conditions(const TrialPlan &plan);

using TrialProgress = RunProgress;

class Trial
{
public:
    // Prepares the trial. If a name is to be in the server's cache, asks for it in a trial of its
    // own. Throws SetupError, and then leaves nothing attached.
    explicit Trial(const TrialPlan &plan);
    ~Trial();

    // Returns the capabilities that the thread which calls run() should have: to give senders their
    // priority, and to put the card's settings back. The senders' threads keep none.
    [[nodiscard]] std::vector<unsigned> capabilities() const;

    // Returns the circumstances that are known before run(): of the machine and the interface, and
    // the modes of XDP and AF_XDP.
    [[nodiscard]] Circumstances circumstances() const;

    // Runs the trial and returns its result. `stop` ends the trial early, and the verdict is then
    // invalid. `progress` is called a few times a second from the calling thread.
    [[nodiscard]] TrialResult run(const std::atomic<bool> &stop,
                                  const std::function<void(const TrialProgress &)> &progress);

private:
    class Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace dnsgauge
