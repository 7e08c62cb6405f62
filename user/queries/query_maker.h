// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the queries of imaginary clients, for users who have no capture. The same seed gives the
// same queries.
#pragma once

#include "capture/captured_message.h"
#include "dns/ip_prefix.h"
#include "dns/name_range.h"
#include "dns/zone_name.h"
#include "units/rate.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// Values, each with its percentage. All percentages together are 100.
using Shares = std::vector<std::pair<std::uint16_t, unsigned>>;

struct MakeOptions {
    std::uint64_t seed = 1;
    Rate rate{.per_second = 1000};
    Nanoseconds duration{};
    std::int64_t begin_ns = 0;
    // Number of clients; they have the first addresses of `client_prefix`.
    std::uint64_t clients = 1;
    IpPrefix client_prefix;
    Endpoint server;
    NameRange names;                    // the most popular is the first
    std::vector<std::string> name_list; // in wire form; if not empty, replaces `names`
    ZoneName zone;
    double zipf = 1;
    Shares types;
    unsigned nxdomain = 0;          // percent of the queries, as all members below
    unsigned random_subdomains = 0; // together with nxdomain at most 100
    unsigned edns = 0;
    unsigned dnssec_ok = 0; // at most edns
    std::uint16_t edns_size = DNS_UDP_SIZE;
    bool recursion_desired = true;
};

// Returns a function that returns the next query, valid until the next call; nothing after the
// duration. Throws SetupError if options contradict each other.
//
// The clients ask at random moments (Poisson processes), all at the same mean rate. A name that
// does not exist is "no-" followed by the label of a name of the range, and has that name's
// popularity. A random subdomain is a label of sixteen random letters below a name of the range; no
// query repeats it. With a list, all queries are for names that exist: a list does not tell which
// names do not exist.
[[nodiscard]] std::function<std::optional<CapturedMessage>()>
make_queries(const MakeOptions &options);

} // namespace dnsgauge
