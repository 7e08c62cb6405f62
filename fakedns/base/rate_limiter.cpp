// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/rate_limiter.h"

#include <netinet/in.h>

#include <cstddef>

namespace dnsgauge
{

namespace
{

constexpr std::size_t networks_max = 65536;

std::uint64_t network_of(const sockaddr_storage &client)
{
    const auto *octets = reinterpret_cast<const std::uint8_t *>(&client);
    return client.ss_family == AF_INET6
               ? token_bucket_network(octets + offsetof(sockaddr_in6, sin6_addr), 1)
               : token_bucket_network(octets + offsetof(sockaddr_in, sin_addr), 0);
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
