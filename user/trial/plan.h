// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The plan of a trial: what the user wants, and what follows from it.
#pragma once

#include "dns/ip_address.h"
#include "dns/ip_prefix.h"
#include "engine/cpu_share.h"
#include "result/trial_result.h"
#include "system/words.h"
#include "trial/verdict.h"
#include "units/idle_times.h"
#include "units/pace.h"
#include "workload/workload.h"

#include "wire/judge_rule.h"
#include "wire/pref64.h"

#include <any>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

class Testers;
struct QueryRecord;

// What is tested, and the way there.
struct TrialTarget {
    std::string interface;
    IpAddress server;
    std::uint16_t server_port = 53;
    bool has_usual_port = true; // complete() sets the transport's usual port
    Transport transport = Transport::udp;
    std::optional<IpAddress> source; // by default the kernel's routes choose one
    // ID or name; by default found by the server's socket.
    std::optional<std::string> server_process;
    bool probe = false;             // follows queries in the server's kernel
    double probe_percent = 100;     // of the queries
    bool probe_first_sight = false; // by an XDP program at the server's interface
    Dut dut = Dut::authoritative;
};

// The rules for right replies, and the tolerances for the Tester's errors.
struct TrialRules {
    pref64 answer_prefix{};    // of right AAAA data; right A data is the name's address
    std::uint32_t accepts = 0; // enum judge_accepts: loosened rules of the judge
    Nanoseconds timeout{};
    Tolerances tolerances;
};

// What the Tester sends with.
struct TrialMeans {
    // Connections that each sender keeps open. Without a value each client of captures has its own
    // connection, and other queries share usual_connections.
    std::optional<std::uint32_t> connections;
    std::uint64_t queries_per_connection = 0;      // 0 means no limit
    IdleTimes idle_times = parse_idle_times("10"); // of clients' connections
    std::uint32_t pipeline = 0; // queries without a reply, of a connection; 0 if no limit
    Acks acks = Acks::quick;
    std::string tls_name{}; // the server's, for SNI; empty means none
    std::string tls_ca{};   // a file; empty means that certificates are not checked
    std::string key_log{};  // a file for the secrets of TLS; empty means none
    Resumption resumption = Resumption::full;
    HttpMethod http_method = HttpMethod::post;
    std::string doh_path = "/dns-query";
    std::vector<unsigned> cpus;          // one sender on each; empty means one on an idle CPU
    std::vector<unsigned> sender_queues; // their transmit queues; empty means 0, 1 and so on
    std::any engine_options; // of the engine for datagrams, which alone knows their type
    IdleCpus idle_cpus = IdleCpus::poll;
};

struct TrialPlan : TrialTarget, TrialRules, TrialMeans {
    Workload workload;
    Rate rate;                // complete() sets the mean of a pace of steps
    std::optional<Pace> pace; // without a value see pace_of()
    // After a stall senders send at most this many times the rate; without a value as fast as they
    // can.
    std::optional<double> catch_up;
    Nanoseconds duration{};
    double accept_percent = 100;

    // Queries are also counted by intervals of this length, by their time of sending; 0 means no
    // intervals.
    std::optional<Nanoseconds> interval;
    Nanoseconds since{}; // queries from here on are also counted separately, unless it is 0
    std::optional<std::string> per_query_file;
    // Without such a file this function gets the record of each of this Tester's queries.
    std::function<void(const QueryRecord &record)> per_query;
    bool wants_stamps = true; // by the card's clock, as the engine's options say
    bool wants_copies = true; // of replies: see engine/listening.h

    std::optional<SelftestCover> selftest; // missing if nobody looked for a self-test
    // Missing if nobody looked for a certificate; RTTs below its bound are doubted.
    std::optional<CertificateCover> certificate;
    // The self-test whose modes each Tester must use, if it covers the trial.
    std::optional<SelftestCover> same_modes_as;

    std::shared_ptr<Testers> testers; // that make the trial together; null if this one is alone
};

// Returns the pace that was asked for, or the default: a capture's own pace, or a constant one.
[[nodiscard]] Pace pace_of(const TrialPlan &plan);

// Returns the schedule of the trial's queries.
[[nodiscard]] SchedulePlan schedule_of(const TrialPlan &plan);

// The names of the judge's rules, bits of enum judge_accepts.
#define RULE_WORD(NAME, key, rule) {ACCEPTS_##NAME, #key},
inline constexpr auto judge_rules = words<std::uint32_t>({JUDGE_RULES(RULE_WORD)});
#undef RULE_WORD

// Returns the rules by which the replies are judged, and the loosened ones.
[[nodiscard]] JudgedBy judged_by(const TrialPlan &plan);

// Returns how many queries the trial sends. Throws SetupError if there are none, or if the names
// are too few.
[[nodiscard]] std::uint64_t count_queries(const TrialPlan &plan);

// Returns how many names the trial's queries ask for; 0 for a list. Throws SetupError as
// count_queries() does.
[[nodiscard]] std::uint64_t count_names(const TrialPlan &plan);

// Returns the prefix of the captures' clients; nothing if they have no addresses of their own.
[[nodiscard]] std::optional<IpPrefix> clients_of(const TrialPlan &plan);

inline constexpr std::uint32_t usual_connections = 10;
inline constexpr std::uint16_t dot_port = 853; // RFC 7858
inline constexpr std::uint16_t doh_port = 443; // RFC 8484

// Returns whether connections are opened and closed, and carry no query.
[[nodiscard]] bool has_handshakes_alone(const TrialPlan &plan);
// Returns whether each client of captures has a connection of its own.
[[nodiscard]] bool has_client_connections(const TrialPlan &plan);
// Returns whether queries ask for the server's idle timeout (RFC 7828).
[[nodiscard]] bool asks_keepalive(const TrialPlan &plan);
// Returns how many connections of each sender all queries share; 0 if each client has its own, or
// if there are no queries.
[[nodiscard]] std::uint32_t shared_connections(const TrialPlan &plan);

// Returns whether TLS carries the queries.
[[nodiscard]] bool is_over_tls(const TrialPlan &plan);
// Returns the server as requests name it: "dns.test", or "[2001:db8::1]:8443".
[[nodiscard]] std::string http_authority(const TrialPlan &plan);

// Reads the plan's list or captures, unless they are loaded. Sets the rate and the duration of
// captures. Throws SetupError.
void load_list(TrialPlan &plan);

// Returns what the trial expects AuthDNS and the server's cache to hold; nothing if the server is
// no DNS64 server.
[[nodiscard]] std::optional<Dns64Conditions> dns64_conditions(const TrialPlan &plan);

// Returns whether a server's cache could answer the names of an earlier trial.
[[nodiscard]] bool needs_fresh_names(const TrialPlan &plan);

// Returns a trial of one query of this workload, with the same server and the same means.
[[nodiscard]] TrialPlan plan_of_one(const TrialPlan &plan, Workload workload);

// Throws SetupError if packets to the prefix do not end at this host.
void require_local_route(const IpPrefix &prefix);

} // namespace dnsgauge
