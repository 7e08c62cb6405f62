// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests to the kernel's routing subsystem, over libmnl. Private to the room.
#pragma once

#include <libmnl/libmnl.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>

namespace dnsgauge
{

// One request being built: a header, a fixed part, attributes.
class NetlinkRequest
{
public:
    NetlinkRequest(std::uint16_t type, std::uint16_t flags);
    NetlinkRequest(const NetlinkRequest &) = delete;
    NetlinkRequest &operator=(const NetlinkRequest &) = delete;

    // The fixed part behind the header, zeroed.
    template <class T>
    T &fixed_part()
    {
        return *static_cast<T *>(mnl_nlmsg_put_extra_header(header_, sizeof(T)));
    }
    [[nodiscard]] nlmsghdr *header() { return header_; }

private:
    alignas(NLMSG_ALIGNTO) std::array<char, 1024> buffer_{};
    nlmsghdr *header_;
};

class Netlink
{
public:
    // Throws SetupError when there is no socket to be had.
    Netlink();

    // Sends `request` and hands every message of the answer to `take`. Returns 0, or the errno of
    // the kernel's refusal.
    int ask(NetlinkRequest &request, const std::function<void(const nlmsghdr *)> &take);

private:
    std::unique_ptr<mnl_socket, int (*)(mnl_socket *)> socket_;
    std::uint32_t sequence_ = 0;
};

// Calls `take` for each attribute behind a fixed part of `fixed_size` octets.
void for_each_attribute(const nlmsghdr *message, std::size_t fixed_size,
                        const std::function<void(const nlattr *)> &take);

} // namespace dnsgauge
