// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Limits the UDP answers of user space to each client's network. Clients over TCP are not limited,
// because their connection proves their address. The kernel program of a zone counts separately, by
// the same wire/token_bucket.h.
#pragma once

#include "dns/socket_address.h"
#include "wire/token_bucket.h"

#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace dnsgauge
{

// Returns the nanoseconds between answers at `per_second`; 0 (no limit) for 0.
constexpr std::uint64_t rate_interval_ns(std::uint32_t per_second)
{
    return per_second == 0 ? 0 : TOKEN_BUCKET_SECOND / per_second;
}

class RateLimiter
{
public:
    // `per_second` is the limit of answers to one network; 0 for no limit.
    void set(std::uint32_t per_second) { interval_ns_ = rate_interval_ns(per_second); }

    [[nodiscard]] bool may_answer(const sockaddr_storage &client, std::uint64_t now_ns)
    {
        return interval_ns_ == 0 ||
               may_answer(token_bucket_network(address_octets(client, client.ss_family).data(),
                                               client.ss_family == AF_INET6),
                          now_ns);
    }
    // `network` is the client's: token_bucket_network().
    [[nodiscard]] bool may_answer(std::uint64_t network, std::uint64_t now_ns)
    {
        if (interval_ns_ == 0)
            return true;
        // If there are too many networks, forgets all of them. Each network then gets at most the
        // answers of one second too many.
        if (buckets_.size() >= networks_max)
            buckets_.clear();
        return token_bucket_take(&buckets_[network], now_ns, interval_ns_) != 0;
    }

private:
    static constexpr std::size_t networks_max = 65536;

    std::uint64_t interval_ns_ = 0;
    std::unordered_map<std::uint64_t, token_bucket> buckets_; // by network
};

} // namespace dnsgauge
