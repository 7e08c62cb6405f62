// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/server.h"

#include "fakedns/counters.h"
#include "fakedns/event_loop.h"
#include "fakedns/interface.h"
#include "fakedns/loader.h"
#include "fakedns/responder_udp.h"

#include "host/setup_error.h"

#include <fmt/core.h>

#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

namespace dnsgauge
{

namespace
{

sigset_t server_signals()
{
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1})
        sigaddset(&set, signal);
    return set;
}

// Signals as events: what a handler may not do in a signal's context it may do here.
class SignalHandler : public EventHandler
{
public:
    SignalHandler(EventLoop &loop, std::function<void()> print)
        : loop_(loop), print_(std::move(print))
    {
        const sigset_t set = server_signals();
        fd_ = UniqueFd(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
        if (!fd_)
            throw SetupError(std::string("cannot wait for signals: ") + std::strerror(errno));
        loop_.add(fd_.get(), EPOLLIN, *this);
    }

    void on_ready(std::uint32_t) override
    {
        signalfd_siginfo info{};
        if (read(fd_.get(), &info, sizeof(info)) != sizeof(info))
            return;
        if (info.ssi_signo == SIGUSR1)
            print_();
        else
            loop_.stop();
    }

private:
    EventLoop &loop_;
    std::function<void()> print_;
    UniqueFd fd_;
};

std::vector<Endpoint> endpoints_of(const ServerOptions &options)
{
    std::vector<Endpoint> endpoints;
    for (const std::string &interface : with_vlan_interfaces(options.interface)) {
        for (const Family family : {Family::ipv4, Family::ipv6})
            endpoints.push_back({family, interface, options.config.port});
    }
    return endpoints;
}

// The kernel program, or nothing where it was not asked for or, in automatic mode, cannot be had.
std::unique_ptr<KernelResponder> attach(const ServerOptions &options)
{
    if (!options.xdp)
        return nullptr;
    try {
        return std::make_unique<KernelResponder>(options.config, options.interface, *options.xdp);
    } catch (const UnsupportedError &error) {
        if (*options.xdp != XdpMode::automatic)
            throw;
        const std::string_view why = error.what();
        fmt::print(stderr, "fakedns: no XDP, answering by sockets alone: {}\n",
                   why.substr(0, why.find('\n')));
        return nullptr;
    }
}

class Server
{
public:
    explicit Server(const ServerOptions &options)
        : signals_(loop_, [this] { print_counters(); }),
          tcp_(loop_, endpoints_of(options), options.tcp, options.config.zone, counters_.tcp)
    {
        for (const Endpoint &endpoint : endpoints_of(options))
            udp_.push_back(std::make_unique<UdpResponder>(loop_, endpoint, options.config.zone,
                                                          counters_.udp));
        kernel_ = attach(options);
        fmt::print("fakedns: ready on {}, port {}, zone {}, XDP {}\n", options.interface,
                   options.config.port, options.zone_text,
                   kernel_ ? to_string(kernel_->mode()) : "off");
        std::fflush(stdout);
    }

    void run()
    {
        loop_.run();
        print_counters();
    }

private:
    void print_counters()
    {
        if (kernel_)
            counters_.queues = kernel_->counters();
        fmt::print("{}", counters_table(counters_));
        std::fflush(stdout);
    }

    ServerCounters counters_;
    EventLoop loop_;
    SignalHandler signals_;
    TcpResponder tcp_;
    std::vector<std::unique_ptr<UdpResponder>> udp_;
    std::unique_ptr<KernelResponder> kernel_;
};

} // namespace

void block_server_signals()
{
    const sigset_t set = server_signals();
    if (const int error = pthread_sigmask(SIG_BLOCK, &set, nullptr); error != 0)
        throw SetupError(std::string("cannot block signals: ") + std::strerror(error));
    // Whoever read our output may be gone: then it is lost, but the server goes on.
    std::signal(SIGPIPE, SIG_IGN);
}

void serve(ServerOptions options)
{
    require_interface_up(options.interface);
    const InterfaceAddresses own = interface_addresses(options.interface);
    std::ranges::copy(own.ipv4, options.config.zone.server_ipv4);
    std::ranges::copy(own.ipv6, options.config.zone.server_ipv6);
    Server(options).run();
}

} // namespace dnsgauge
