// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Makes the queries of imaginary clients, for users who have no capture. The same seed gives the
// same queries.
#pragma once

#include "capture/captured_message.h"
#include "units/rate.h"
#include "userland/ip_prefix.h"
#include "userland/name_range.h"
#include "userland/zone_name.h"

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// Values, each with its percentage. All percentages together are 100.
using Shares = std::vector<std::pair<std::uint16_t, unsigned>>;

// Yields values. Every value has exactly its percentage in each hundred, counted from the first.
// The order within a hundred is random.
class ExactShares
{
public:
    explicit ExactShares(const Shares &shares);

    [[nodiscard]] std::uint16_t next(std::mt19937_64 &random);

private:
    std::vector<std::uint16_t> hundred_;
    std::size_t next_ = 0;
};

// Yields ranks from 0 to size - 1: rank k with a probability proportional to 1 / (k + 1)^exponent.
class ZipfRanks
{
public:
    static constexpr std::uint64_t size_most = 1U << 24U; // a rank takes eight octets

    ZipfRanks(std::uint64_t size, double exponent);

    [[nodiscard]] std::uint32_t next(std::mt19937_64 &random) const;

private:
    std::vector<double> cumulative_;
};

struct MakeOptions {
    std::uint64_t seed = 1;
    Rate rate{.per_second = 1000};
    Nanoseconds duration{};
    std::int64_t begin_ns = 0;
    std::uint64_t clients = 1; // number of clients, who have the first addresses of `client_prefix`
    IpPrefix client_prefix;
    Endpoint server;
    NameRange names;                    // the most popular is the first
    std::vector<std::string> name_list; // in wire form, in place of `names` unless it is empty
    ZoneName zone;
    double zipf = 1;
    Shares types;
    unsigned nxdomain = 0;          // percent of the queries
    unsigned random_subdomains = 0; // likewise; together with nxdomain at most 100
    unsigned edns = 0;              // likewise
    unsigned dnssec_ok = 0;         // likewise, at most edns
    std::uint16_t edns_size = DNS_UDP_SIZE;
    bool recursion_desired = true;
};

// Queries of clients that ask at random moments (Poisson processes), all at the same mean rate. A
// name that does not exist is "no-" and the label of a name of the range, and has that name's
// popularity. A random subdomain is sixteen random letters below a name of the range, which no
// query repeats. With a list all names exist: it is unknown which others do not.
class QueryMaker
{
public:
    // Throws SetupError if options contradict each other.
    explicit QueryMaker(const MakeOptions &options);

    // Returns the next query, valid until the next call; nothing when the duration is over.
    [[nodiscard]] std::optional<CapturedMessage> next();

private:
    enum Kind : std::uint16_t { existing, missing, random_subdomain };
    enum Extension : std::uint16_t { none, plain, dnssec };

    void put_name(Kind kind, std::uint32_t rank);

    [[nodiscard]] static std::uint64_t size_of(const MakeOptions &options);

    MakeOptions options_;
    std::mt19937_64 random_;
    ZipfRanks ranks_;
    ExactShares types_;
    ExactShares kinds_;
    ExactShares extensions_;
    std::int64_t elapsed_ns_ = 0;
    std::vector<std::uint8_t> name_;
    std::vector<std::uint8_t> message_;
};

} // namespace dnsgauge
