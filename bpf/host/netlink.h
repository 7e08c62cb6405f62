// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests to the kernel by netlink(7): rtnetlink(7) and generic families.
#pragma once

#include "system/freed_by.h"

#include <libmnl/libmnl.h>
#include <linux/netlink.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace dnsgauge
{

// A message to the kernel: the netlink head, the family's head of type Head, and attributes.
template <class Head>
class NetlinkRequest
{
public:
    NetlinkRequest(std::uint16_t type, std::uint16_t flags)
    {
        message_ = mnl_nlmsg_put_header(bytes_.data());
        message_->nlmsg_type = type;
        message_->nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK | flags);
        head_ = static_cast<Head *>(mnl_nlmsg_put_extra_header(message_, sizeof(Head)));
    }
    NetlinkRequest &operator=(NetlinkRequest &&) = delete;

    Head &head() { return *head_; }
    void add(std::uint16_t attribute, std::span<const std::uint8_t> value)
    {
        mnl_attr_put(message_, attribute, value.size(), value.data());
    }
    void add(std::uint16_t attribute, std::uint32_t value)
    {
        mnl_attr_put_u32(message_, attribute, value);
    }
    nlmsghdr &message() { return *message_; }

private:
    alignas(nlmsghdr) std::array<char, 256> bytes_{};
    nlmsghdr *message_ = nullptr;
    Head *head_ = nullptr;
};

class Netlink
{
public:
    // Opens a socket to NETLINK_ROUTE, NETLINK_GENERIC... Throws SetupError.
    explicit Netlink(int protocol = NETLINK_ROUTE);

    // Sends the request and hands each reply to `visit`. Returns 0, or the errno with which the
    // kernel refuses the request. Throws SetupError if this process cannot talk to the kernel.
    [[nodiscard]] int exchange(nlmsghdr &request,
                               const std::function<void(const nlmsghdr &)> &visit = {});

private:
    std::unique_ptr<mnl_socket, FreedBy<mnl_socket_close>> socket_;
    std::uint32_t sequence_ = 0;
};

// Returns the value of an attribute, or an empty span. Callers use the second form.
std::span<const std::uint8_t> attribute_after(const nlmsghdr &message, unsigned head_size,
                                              std::uint16_t type);
template <class Head>
std::span<const std::uint8_t> attribute(const nlmsghdr &message, std::uint16_t type)
{
    return attribute_after(message, sizeof(Head), type);
}

// Returns the value of an attribute that has the size of Number.
template <class Head, class Number>
std::optional<Number> attribute_number(const nlmsghdr &message, std::uint16_t type)
{
    Number value = 0;
    const auto bytes = attribute<Head>(message, type);
    if (bytes.size() != sizeof(value))
        return std::nullopt;
    std::memcpy(&value, bytes.data(), sizeof(value));
    return value;
}

template <class Head>
std::optional<std::uint32_t> attribute_u32(const nlmsghdr &message, std::uint16_t type)
{
    return attribute_number<Head, std::uint32_t>(message, type);
}

// Returns the value of an attribute that is text, without its final zero.
template <class Head>
std::string attribute_text(const nlmsghdr &message, std::uint16_t type)
{
    const auto bytes = attribute<Head>(message, type);
    return {bytes.begin(), std::find(bytes.begin(), bytes.end(), 0)};
}

} // namespace dnsgauge
