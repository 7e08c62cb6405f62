// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/dns_server.h"

#include "base/interface.h"
#include "base/metrics_server.h"

#include "system/listed.h"
#include "system/privileges.h"
#include "system/standard_output.h"

#include <fmt/format.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include <cerrno>
#include <csignal>
#include <utility>

namespace dnsgauge
{

LinkWatch::LinkWatch(EventLoop &loop, std::function<void()> look)
    : look_(std::move(look)),
      messages_(opened(socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE),
                       "cannot watch the interfaces")),
      clock_(loop, [this] { this->look(); })
{
    sockaddr_nl address{};
    address.nl_family = AF_NETLINK;
    address.nl_groups = RTMGRP_LINK;
    if (bind(messages_.get(), reinterpret_cast<const sockaddr *>(&address), sizeof(address)) != 0)
        throw_errno("cannot watch the interfaces");
    loop.add(messages_.get(), EPOLLIN, *this);
    clock_.set(ktime_ns());
}

void LinkWatch::on_ready(std::uint32_t)
{
    // Ignores what the messages say: some may have been lost (ENOBUFS), so look() looks at the
    // interfaces themselves.
    char message = 0;
    while (recv(messages_.get(), &message, sizeof(message), 0) >= 0 || errno == ENOBUFS) {
    }
    look();
}

void LinkWatch::look()
{
    constexpr std::uint64_t second = 1'000'000'000;
    clock_.set(ktime_ns() + second);
    look_();
}

DnsServer::DnsServer(const DnsServerSetup &setup)
    : setup_(setup), links_(loop_, [this] { look_at_interfaces(); }),
      signals_(loop_,
               {{SIGUSR1, [this] { print_result(table()); }}, {SIGHUP, [this] { on_hangup(); }}}),
      tcp_(loop_, setup.tcp, setup.connection_faults, setup.tls)
{
    if (setup_.tls.quic_port != 0)
        quic_ = make_quic_responder(loop_, setup_.tcp, setup_.tls,
                                    [this] { return tcp_.next_fault(Framing::quic); });
    for (const std::string &interface : setup_.interfaces)
        numbers_.push_back(require_interface_up(interface));
}

void DnsServer::begin(const std::vector<unsigned> &kept, const std::string &served,
                      const std::vector<std::string> &modes)
{
    if (!setup_.metrics.empty())
        metrics_ = serve_metrics(loop_, setup_.metrics, [this] { return metrics(); });
    reserve_for_clients(setup_.tcp.connections);
    drop_privileges(kept, setup_.user);
    print_result(fmt::format("fakedns: ready on {}, port {}, {}, XDP {}\n",
                             join(setup_.interfaces, ", "), setup_.port, served,
                             join(modes, ", ")));
    sd_notify(0, "READY=1");
}

void DnsServer::run()
{
    loop_.run();
    sd_notify(0, "STOPPING=1");
    print_result(table());
    if (has_none_left())
        throw InterfaceMissing("no interface is left to answer on");
}

void DnsServer::look_at_interfaces()
{
    for (std::size_t i = 0; i < numbers_.size(); i++) {
        if (interface_exists(numbers_[i])) {
            gone_.erase(i);
            look_at(i);
        } else if (gone_.insert(i).second) {
            say("fakedns: interface {} is gone: restart the server to answer there again\n",
                setup_.interfaces[i]);
        }
    }
    if (has_none_left())
        loop_.stop();
}

} // namespace dnsgauge
