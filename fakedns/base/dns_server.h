// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What fakedns and fakedns --internet share: the event loop, connections, signals, metrics, and the
// line that says that the server is ready.
#pragma once

#include "base/event_loop.h"
#include "base/responder_tcp.h"

#include "host/xdp_link.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dnsgauge
{

// Options that both servers have, and that stay as they are while a server runs.
struct DnsServerSetup {
    std::vector<std::string> interfaces;
    std::uint16_t port = 53;
    std::optional<XdpMode> xdp = XdpMode::automatic; // missing if only sockets answer
    TcpLimits tcp;
    ConnectionFaultPlan connection_faults;
    TlsSetup tls;
    std::string metrics; // the endpoint of serve_metrics(); empty if none
    std::string user;    // the user that the server becomes, if any

    bool operator==(const DnsServerSetup &) const = default;
};

// Calls a function when something may have happened to the interfaces.
class LinkWatch : public EventHandler
{
public:
    // Calls `look` when interfaces of this network namespace have appeared, changed or disappeared,
    // once for several changes. Also calls `look` every second, because the kernel does not tell
    // when a program is detached. Throws SetupError.
    LinkWatch(EventLoop &loop, std::function<void()> look);

    void on_ready(std::uint32_t events) override;

private:
    void look();

    std::function<void()> look_;
    UniqueFd messages_;
    DueTimer clock_;
};

// The base of a server's class, which adds sockets and answers, and calls begin() when all sockets
// are open.
class DnsServer
{
public:
    DnsServer &operator=(DnsServer &&) = delete;
    virtual ~DnsServer() = default;

    // Serves until SIGTERM or SIGINT. Prints the counters to stdout on SIGUSR1 and at the end.
    // Throws InterfaceMissing when no interface is left.
    void run();

protected:
    // Throws InterfaceMissing unless each interface exists and is up. Throws SetupError for all
    // other errors.
    explicit DnsServer(const DnsServerSetup &setup);

    // Ends the set-up: opens the metrics, gives up all capabilities but `kept`, and prints what is
    // served, and the mode of XDP on each interface. Throws SetupError.
    void begin(const std::vector<unsigned> &kept, const std::string &served,
               const std::vector<std::string> &modes);

    // Return the counters for people, and for Prometheus.
    virtual std::string table() = 0;
    virtual std::string metrics() = 0;
    virtual void on_hangup() = 0; // SIGHUP
    // Looks at an interface that exists, by its place in setup().interfaces.
    virtual void look_at(std::size_t /*interface*/) {}

    [[nodiscard]] const DnsServerSetup &setup() const { return setup_; }
    [[nodiscard]] EventLoop &loop() { return loop_; }
    [[nodiscard]] TcpResponder &tcp() { return tcp_; }
    [[nodiscard]] const TcpResponder &tcp() const { return tcp_; }
    // Returns nothing without QUIC.
    [[nodiscard]] QuicResponder *quic() const { return quic_.get(); }

private:
    void look_at_interfaces();
    [[nodiscard]] bool has_none_left() const { return gone_.size() == numbers_.size(); }

    DnsServerSetup setup_;
    EventLoop loop_;
    LinkWatch links_; // starts first, so that no change is missed
    SignalHandler signals_;
    TcpResponder tcp_;
    std::unique_ptr<QuicResponder> quic_;
    std::vector<unsigned> numbers_; // of the interfaces: they stay when names change
    std::set<std::size_t> gone_;    // the places of interfaces that have gone
    std::unique_ptr<EventHandler> metrics_;
};

} // namespace dnsgauge
