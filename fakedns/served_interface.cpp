// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/served_interface.h"

#include "fakedns/interface.h"

#include "host/setup_error.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace dnsgauge
{

ServedInterface::ServedInterface(const std::string &name, const ServerSetup &setup,
                                 const ServerContent &content, EventLoop &loop, TcpResponder &tcp,
                                 UdpService &udp)
    : name_(name), setup_(setup)
{
    require_interface_up(name);
    zones_ = own_zones(content);
    for (const std::string &interface : with_vlan_interfaces(name)) {
        for (const Family family : {Family::ipv4, Family::ipv6}) {
            const Endpoint endpoint{family, interface, setup.port};
            tcp.listen(endpoint, zones_);
            udp_.push_back(std::make_unique<UdpResponder>(loop, endpoint, zones_, udp));
        }
    }
    if (setup.xdp)
        kernel_ = attach(content);
}

// The kernel program, or nothing where, in automatic mode, it cannot be had.
std::unique_ptr<KernelResponder> ServedInterface::attach(const ServerContent &content) const
{
    try {
        return std::make_unique<KernelResponder>(kernel_config(content, zones_), name_,
                                                 *setup_.xdp);
    } catch (const UnsupportedError &error) {
        if (*setup_.xdp != XdpMode::automatic)
            throw;
        const std::string_view why = error.what();
        fmt::print(stderr, "fakedns: no XDP on {}, answering by sockets alone: {}\n", name_,
                   why.substr(0, why.find('\n')));
        return nullptr;
    }
}

answer_zones ServedInterface::own_zones(const ServerContent &content) const
{
    const InterfaceAddresses own = interface_addresses(name_);
    answer_zones zones = content.zones;
    for (answer_zone &zone : zones.zone) {
        std::ranges::copy(own.ipv4, zone.server_ipv4);
        std::ranges::copy(own.ipv6, zone.server_ipv6);
    }
    return zones;
}

fakedns_config ServedInterface::kernel_config(const ServerContent &content,
                                              const answer_zones &zones) const
{
    fakedns_config config{};
    config.zones = zones;
    config.port = setup_.port;
    config.time_every = setup_.time_every;
    config.rate_interval_ns = rate_interval_ns(content.rate_limit);
    return config;
}

ServedInterface::Next ServedInterface::prepare(const ServerContent &content) const
{
    Next next{own_zones(content), nullptr};
    if (kernel_)
        next.program = kernel_->prepare(kernel_config(content, next.zones));
    return next;
}

void ServedInterface::change(Next next)
{
    if (kernel_)
        kernel_->replace(std::move(next.program));
    zones_ = next.zones;
}

} // namespace dnsgauge
