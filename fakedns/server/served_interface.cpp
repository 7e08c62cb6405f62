// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/served_interface.h"

#include "base/interface.h"

#include "host/bounce.h"
#include "userland/interface_number.h"
#include "userland/setup_error.h"
#include "userland/standard_output.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr unsigned ipv6_udp_headers = 48;
constexpr std::chrono::milliseconds keepalive_unit{100};

} // namespace

ServedInterface::ServedInterface(const std::string &name, const ServerOptions &options,
                                 TcpResponder &tcp, QuicResponder *quic, ServerCounters &counters,
                                 StreamFaults *faults, UdpService &udp)
    : name_(name), index_(interface_number(name)), setup_(options.setup)
{
    if (const unsigned mtu = interface_mtu(name);
        options.faults.plan.pad_to + ipv6_udp_headers > mtu)
        throw SetupError("--pad-to {}: the MTU of {} is {}, and {} octets are headers",
                         options.faults.plan.pad_to, name, mtu, ipv6_udp_headers);
    zones_ = own_zones(options.content);
    for (const std::string &interface : with_vlan_interfaces(name)) {
        for (const Family family : {Family::ipv4, Family::ipv6}) {
            const auto listen = [&](Framing framing, std::uint16_t port, const char *option,
                                    Counters &of_path) {
                // RFC 9250 section 5.5.2: QUIC has an idle timeout itself.
                const auto keepalive =
                    framing == Framing::quic ? 0 : setup_.tcp.idle / keepalive_unit;
                const StreamOptions with{.keepalive = static_cast<std::uint16_t>(keepalive),
                                         .pads = framing != Framing::tcp};
                const Endpoint endpoint{
                    .family = family, .interface = interface, .port = port, .port_option = option};
                auto answerer_of = [this, faults, &of_path, with](int) {
                    return std::make_unique<ZoneAnswerer>(zones_, of_path, with, faults);
                };
                if (framing == Framing::quic)
                    quic->listen(endpoint, answerer_of);
                else
                    tcp.listen(endpoint, answerer_of, framing);
            };
            listen(Framing::tcp, setup_.port, "--port", counters.tcp);
            if (setup_.tls.is_wanted())
                listen(Framing::tls, setup_.tls.port, "--tls-port", counters.tls);
            if (setup_.tls.https_port != 0)
                listen(Framing::https, setup_.tls.https_port, "--https-port", counters.https);
            if (quic != nullptr)
                listen(Framing::quic, setup_.tls.quic_port, "--quic-port", counters.quic);
            udp_.push_back(udp.listen({family, interface, setup_.port}, zones_));
        }
    }
    if (setup_.xdp)
        attach(options);
}

// Loads and attaches the kernel program. Does without it if it is not available and the mode is
// automatic.
void ServedInterface::attach(const ServerOptions &options)
{
    const fakedns_config config = kernel_config(options.content, zones_);
    const BounceMode bounce = bounce_mode(name_, *setup_.xdp);
    if (!bounce.remark.empty())
        say("fakedns: {}\n", bounce.remark);
    try {
        kernel_ = std::make_unique<KernelResponder>(config, options.faults, name_, bounce.mode);
    } catch (const UnsupportedError &error) {
        if (*setup_.xdp != XdpMode::automatic)
            throw;
        const std::string_view why = error.what();
        say("fakedns: no XDP on {}, answering by sockets alone: {}\n", name_,
            why.substr(0, why.find('\n')));
    }
}

answer_zones ServedInterface::own_zones(const ServerContent &content) const
{
    const InterfaceAddresses own = interface_addresses(interface_name(index_));
    answer_zones zones = content.zones;
    for (answer_zone &zone : zones.zone) {
        std::ranges::copy(own.ipv4.octets(), zone.server_ipv4);
        std::ranges::copy(own.ipv6.octets(), zone.server_ipv6);
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

void ServedInterface::exchange(Next &next)
{
    if (kernel_)
        kernel_->exchange(next.program);
    std::swap(zones_, next.zones);
}

bool ServedInterface::is_there() const
{
    return interface_exists(index_);
}

} // namespace dnsgauge
