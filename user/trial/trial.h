// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One trial: queries at a constant rate for a time, every reply judged.
//
// Making it does everything that can go wrong before the first packet; run() sends, waits for the
// last timeout and counts. Each trial stands alone: program, maps and sockets are its own.
#pragma once

#include "common/name_range.h"
#include "common/zone_name.h"
#include "engine/idle_cpus.h"
#include "engine/run_progress.h"
#include "host/xdp_link.h"
#include "machine/interface.h"
#include "result/trial_result.h"
#include "trial/stamps.h"
#include "trial/verdict.h"
#include "units/ip_address.h"
#include "workload/captured_queries.h"
#include "workload/name_walk.h"
#include "workload/query_list.h"
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

struct TrialPlan {
    std::string interface;
    IpAddress server;
    std::uint16_t server_port = 53;
    std::optional<MacAddress> server_mac; // else the kernel's tables are asked
    std::optional<IpAddress> source;      // needed with server_mac where there is no route
    std::optional<std::uint16_t> vlan;

    // A list to ask, over and over; nothing: names are asked for, as the next members say.
    std::optional<std::string> queries_file;
    std::optional<std::uint64_t> shuffle_seed;
    std::optional<Expect> expect;          // of the replies to a list's queries; usually useful
    std::shared_ptr<const QueryList> list; // what the file holds: load_list()

    // Captures to play, instead; `rate` and `duration` follow from them then.
    ReplayWish replay;
    std::shared_ptr<const CapturedQueries> captured; // what they hold: load_list()

    ZoneName zone;
    NameRange names;
    bool allow_repeats = false;
    CachedShare cached; // of the queries, for the first of the names
    std::uint16_t qtype = 28;
    pref64 answer_prefix{}; // of the AAAA data expected; A data is always the name's address
    Dut dut = Dut::authoritative;
    unsigned aaaa_share = 0; // percent of the names for which AuthDNS has an AAAA record
    pref64 aaaa_prefix{};    // of that record's data
    bool any_answer = false; // a record of the right type will do, whatever its data
    bool recursion_desired = false;
    std::optional<std::uint16_t> edns_size;
    bool dnssec_ok = false;

    Rate rate;
    Nanoseconds duration{};
    Nanoseconds timeout{};
    double accept_percent = 100;
    Tolerances tolerances;
    // Whether it covers trials like this; nothing: none was looked for.
    std::optional<SelftestCover> selftest;

    std::uint32_t source_ports = 4000; // of each sender
    std::uint16_t first_source_port = 1024;
    std::vector<unsigned> cpus; // one sender on each; empty: one sender on an idle CPU
    XdpMode xdp_mode = XdpMode::automatic;
    TxOptions tx;
    StampMode stamps = StampMode::automatic;
    IdleCpus idle_cpus = IdleCpus::poll;
    std::optional<std::string> per_query_file;
};

// Queries that the trial sends. Throws SetupError: none, or more than there are names for.
[[nodiscard]] std::uint64_t count_queries(const TrialPlan &plan);

// Reads the list or the captures that the plan asks for, unless the plan has them. Throws
// SetupError.
void load_list(TrialPlan &plan);

// Different names that these queries are for; of a list none. Throws SetupError likewise.
[[nodiscard]] std::uint64_t count_names(const TrialPlan &plan);

// What it presupposes of AuthDNS and of the server's cache; nothing unless that is a DNS64 server.
[[nodiscard]] std::optional<Dns64Conditions> dns64_conditions(const TrialPlan &plan);

using TrialProgress = RunProgress;

class Trial
{
public:
    // A name that is to be in the server's cache is asked for here, in a trial of its own, and must
    // be answered right. Throws SetupError; nothing else has been sent then, nothing stays
    // attached.
    explicit Trial(const TrialPlan &plan);
    ~Trial();

    // What a thread must have to run() it and to leave all as it was, if it can be had: to give
    // senders their priority, to put back how the card was set. run()'s own threads keep nothing.
    [[nodiscard]] std::vector<unsigned> capabilities() const;

    // Before it is run: of the machine, of the interface, and what the modes came to.
    [[nodiscard]] Circumstances circumstances() const;

    // Sends and waits. `stop` ends it early (verdict invalid). `progress` is called a few times a
    // second from the calling thread.
    [[nodiscard]] TrialResult run(const std::atomic<bool> &stop,
                                  const std::function<void(const TrialProgress &)> &progress);

private:
    class Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace dnsgauge
