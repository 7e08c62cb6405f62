// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/rate_limiter.h"

#include <netinet/in.h>

#include <array>
#include <cstring>

namespace dnsgauge
{

namespace
{

constexpr std::size_t networks_max = 65536;

std::uint64_t network_of(const sockaddr_storage &client)
{
    if (client.ss_family == AF_INET6) {
        sockaddr_in6 ipv6{};
        std::memcpy(&ipv6, &client, sizeof(ipv6));
        return token_bucket_network(ipv6.sin6_addr.s6_addr, 1);
    }
    sockaddr_in ipv4{};
    std::memcpy(&ipv4, &client, sizeof(ipv4));
    std::array<std::uint8_t, 4> octets{};
    std::memcpy(octets.data(), &ipv4.sin_addr, octets.size());
    return token_bucket_network(octets.data(), 0);
}

} // namespace

bool RateLimiter::may_answer(const sockaddr_storage &client, std::uint64_t now_ns)
{
    return interval_ns_ == 0 || may_answer(network_of(client), now_ns);
}

bool RateLimiter::may_answer(std::uint64_t network, std::uint64_t now_ns)
{
    if (interval_ns_ == 0)
        return true;
    // A limiter with too many networks forgets all of them. Each network then gets at most the
    // answers of one second too many.
    if (buckets_.size() >= networks_max)
        buckets_.clear();
    return token_bucket_take(&buckets_[network], now_ns, interval_ns_) != 0;
}

} // namespace dnsgauge
