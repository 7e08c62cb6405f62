// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/query_maker.h"

#include "dns/query_mix.h"
#include "queries/name_list.h"
#include "system/setup_error.h"
#include "workload/query_message.h"

#include "wire/test_name.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <random>

namespace dnsgauge
{

namespace
{

constexpr unsigned hundred = 100;
constexpr std::uint16_t first_client_port = 1024;

// Returns a number from 0 to bound - 1. Uses no std:: distribution, because these differ from
// library to library.
std::uint64_t below(std::uint64_t bound, std::mt19937_64 &random)
{
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<wide>(random()) * bound >> 64U);
}

// Returns a number from 0 to below 1.
double unit(std::mt19937_64 &random)
{
    constexpr unsigned spare_bits = 64 - std::numeric_limits<double>::digits;
    return static_cast<double>(random() >> spare_bits) * 0x1p-53;
}

// Yields values. Every value has exactly its percentage in each hundred, counted from the first.
// The order within a hundred is random.
class ExactShares
{
public:
    explicit ExactShares(const Shares &shares)
    {
        for (const auto &[value, share] : shares)
            hundred_.insert(hundred_.end(), share, value);
    }

    [[nodiscard]] std::uint16_t next(std::mt19937_64 &random)
    {
        if (next_ == 0)
            for (std::size_t left = hundred_.size(); left > 1; left--)
                std::swap(hundred_[left - 1], hundred_[below(left, random)]);
        const std::uint16_t value = hundred_[next_];
        next_ = (next_ + 1) % hundred_.size();
        return value;
    }

private:
    std::vector<std::uint16_t> hundred_;
    std::size_t next_ = 0;
};

// Yields ranks from 0 to size - 1: rank k with a probability proportional to 1 / (k + 1)^exponent.
class ZipfRanks
{
public:
    static constexpr std::uint64_t size_most = 1U << 24U; // a rank takes eight octets
    ZipfRanks(std::uint64_t size, double exponent) : cumulative_(size)
    {
        double sum = 0;
        for (std::size_t i = 0; i < cumulative_.size(); i++) {
            sum += std::pow(static_cast<double>(i + 1), -exponent);
            cumulative_[i] = sum;
        }
    }

    [[nodiscard]] std::uint32_t next(std::mt19937_64 &random) const
    {
        const double at = unit(random) * cumulative_.back();
        const auto found = std::ranges::upper_bound(cumulative_, at);
        const auto rank = static_cast<std::uint32_t>(found - cumulative_.begin());
        return std::min(rank, static_cast<std::uint32_t>(cumulative_.size() - 1));
    }

private:
    std::vector<double> cumulative_;
};

constexpr std::size_t random_letters = 16; // of a random subdomain's label

const MakeOptions &checked(const MakeOptions &options)
{
    if (options.names.count > ZipfRanks::size_most)
        throw SetupError("--names has {} names, of which at most {} have a popularity: "
                         "use a smaller range",
                         options.names.count, ZipfRanks::size_most);
    if (options.name_list.size() > ZipfRanks::size_most)
        throw SetupError("--name-list has {} names, of which at most {} have a "
                         "popularity: use a shorter list",
                         options.name_list.size(), ZipfRanks::size_most);
    if (!options.name_list.empty() && options.nxdomain != 0)
        throw SetupError("--nxdomain: it is unknown which names beside the names of --name-list do "
                         "not exist: put such names into the list");
    if (options.random_subdomains != 0)
        for (const std::string &name : options.name_list)
            if (name.size() + 1 + random_letters > DNS_NAME_MAX)
                throw SetupError("--random-subdomains puts {} letters before names, and {} of "
                                 "--name-list has no room for them: leave the name out",
                                 random_letters, name_text(name));
    if (options.clients > options.client_prefix.size())
        throw SetupError("--clients {}: the prefix {} has {} addresses: use a larger one",
                         options.clients, to_string(options.client_prefix),
                         options.client_prefix.size());
    if (options.client_prefix.first.is_ipv6 != options.server.address.is_ipv6)
        throw SetupError("clients in {} cannot ask {}: give both of one IP version",
                         to_string(options.client_prefix), to_string(options.server.address));
    if (options.nxdomain + options.random_subdomains > hundred)
        throw SetupError("--nxdomain and --random-subdomains are together more than 100 percent");
    if (options.dnssec_ok > options.edns)
        throw SetupError("--do {}: only queries with EDNS have DO: raise --edns, which is {}",
                         options.dnssec_ok, options.edns);
    return options;
}

class QueryMaker
{
public:
    explicit QueryMaker(const MakeOptions &options)
        : options_(checked(options)), random_(options.seed), ranks_(size_of(options), options.zipf),
          types_(options.types),
          kinds_({{existing, hundred - options.nxdomain - options.random_subdomains},
                  {missing, options.nxdomain},
                  {random_subdomain, options.random_subdomains}}),
          extensions_({{none, hundred - options.edns},
                       {plain, options.edns - options.dnssec_ok},
                       {dnssec, options.dnssec_ok}})
    {
    }

    // Returns the next query, valid until the next call; nothing when the duration is over.
    [[nodiscard]] std::optional<CapturedMessage> next()
    {
        // Many Poisson processes of the same rate together are a Poisson process. Each event
        // belongs to each of them with the same probability.
        const double gap_s =
            -std::log1p(-unit(random_)) / static_cast<double>(options_.rate.per_second);
        elapsed_ns_ += std::llround(gap_s * static_cast<double>(nanoseconds_per_second));
        if (elapsed_ns_ >= options_.duration.count())
            return {};
        const auto kind = static_cast<Kind>(kinds_.next(random_));
        const auto extension = static_cast<Extension>(extensions_.next(random_));
        const std::uint16_t type = types_.next(random_);

        const auto id = static_cast<std::uint16_t>(below(1U << 16U, random_));
        put_name(kind, ranks_.next(random_));
        const QueryHeader header{.recursion_desired = options_.recursion_desired,
                                 .edns_size = extension == none ? std::nullopt
                                                                : std::optional(options_.edns_size),
                                 .dnssec_ok = extension == dnssec};
        write_query({header, id, name_, type}, message_);

        const IpAddress client = options_.client_prefix.address(below(options_.clients, random_));
        const auto port = static_cast<std::uint16_t>(
            first_client_port + below((1U << 16U) - first_client_port, random_));
        return CapturedMessage{.time_ns = options_.begin_ns + elapsed_ns_,
                               .source = {.address = client, .port = port},
                               .target = options_.server,
                               .message = message_};
    }

private:
    enum Kind : std::uint16_t { existing, missing, random_subdomain };
    enum Extension : std::uint16_t { none, plain, dnssec };
    void put_name(Kind kind, std::uint32_t rank)
    {
        name_.clear();
        OctetWriter name(name_);
        if (kind == random_subdomain) {
            name.put8(random_letters);
            for (std::size_t i = 0; i < random_letters; i++)
                name.put8(static_cast<std::uint8_t>('a' + below(26, random_)));
        }
        if (!options_.name_list.empty())
            return name.put(options_.name_list[rank]);
        const std::string_view prefix = kind == missing ? missing_prefix : std::string_view();
        std::array<std::uint8_t, TEST_NAME_LABEL> label{};
        test_name_write(label.data(), options_.names.first + rank);
        name.put8(static_cast<std::uint8_t>(prefix.size() + label.size()));
        name.put(prefix);
        name.put(label);
        name.put(std::span(options_.zone.wire).first(options_.zone.length));
    }

    [[nodiscard]] static std::uint64_t size_of(const MakeOptions &options)
    {
        return options.name_list.empty() ? options.names.count : options.name_list.size();
    }

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

} // namespace

std::function<std::optional<CapturedMessage>()> make_queries(const MakeOptions &options)
{
    return [maker = std::make_shared<QueryMaker>(options)] { return maker->next(); };
}

} // namespace dnsgauge
