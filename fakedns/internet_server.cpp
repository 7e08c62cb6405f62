// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/internet_server.h"

#include "base/descriptors.h"
#include "base/event_loop.h"
#include "base/held_datagrams.h"
#include "base/interface.h"
#include "base/signal_handler.h"
#include "base/sockets.h"
#include "base/udp_batch.h"
#include "fakedns/internet_counters.h"
#include "fakedns/internet_frames.h"
#include "fakedns/link_watch.h"
#include "fakedns/metrics_server.h"
#include "fakedns/rate_limiter.h"
#include "internet/world.h"
#include "internet/world_answer.h"

#include "userland/privileges.h"
#include "userland/setup_error.h"
#include "userland/standard_output.h"

#include <fmt/format.h>

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dnsgauge
{

namespace
{

// Answers that can wait at a time: of 1,232 octets each they take 80 MB.
constexpr std::size_t waiting_most = 65536;

std::string prefix_text(const ServerPrefix &prefix)
{
    return fmt::format("{}/{}", to_string(prefix.first), prefix.length);
}

// Throws SetupError unless this host takes packets to the servers' IPv4 addresses. Only a packet
// could tell whether it takes an IPv6 prefix.
void require_routed(const World &world)
{
    const UniqueFd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (!socket && errno == EAFNOSUPPORT)
        return; // a host without IPv4
    if (!socket)
        throw SetupError(std::string("cannot open a socket: ") + std::strerror(errno));
    const ServerPrefix &prefix = world.options().ipv4;
    const IpAddress address = world.address(1, false);
    sockaddr_in name{};
    name.sin_family = AF_INET;
    std::memcpy(&name.sin_addr, address.bytes.data(), sizeof(name.sin_addr));
    if (bind(socket.get(), reinterpret_cast<const sockaddr *>(&name), sizeof(name)) != 0)
        throw SetupError(
            fmt::format("{0} is not this host's: run \"ip route add local {1} dev lo\"",
                        to_string(address), prefix_text(prefix)));
}

class InternetServer;

// Answers the queries of one TCP connection.
class InternetTcp : public MessageAnswerer
{
public:
    InternetTcp(InternetServer &server, ServerNumber number) : server_(server), number_(number) {}

    [[nodiscard]] std::size_t room(std::size_t query_length) const override
    {
        return std::max(world_answer_room, query_length);
    }
    std::size_t answer(std::span<std::uint8_t> buffer, std::size_t query_length) override;
    [[nodiscard]] std::uint64_t distance_ns() const override;
    void add_unsent(std::size_t answers) override;

private:
    InternetServer &server_;
    ServerNumber number_;
};

// One UDP socket.
class InternetUdp : public EventHandler
{
public:
    InternetUdp(InternetServer &server, UniqueFd socket)
        : server_(server), socket_(std::move(socket)), batch_(std::make_unique<UdpBatch>())
    {
    }

    void on_ready(std::uint32_t events) override;
    [[nodiscard]] int fd() const { return socket_.get(); }

private:
    InternetServer &server_;
    UniqueFd socket_;
    std::unique_ptr<UdpBatch> batch_;
};

class InternetServer
{
public:
    InternetServer(const InternetSetup &setup, const World &world)
        : world_(world), epoch_(setup.epoch), begin_ns_(monotonic_ns()),
          links_(loop_, [this] { look_at_interfaces(); }),
          signals_(loop_, {{SIGUSR1, [this] { print_result(counters().table()); }},
                           {SIGHUP,
                            [] {
                                say("fakedns: an Internet does not change: restart "
                                    "the server\n");
                            }}}),
          held_(loop_, waiting_most, Punctuality::together), tcp_(loop_, setup.tcp)
    {
        limiter_.set(setup.rate_limit);
        require_routed(world_);
        const WorldOptions &options = world_.options();
        std::vector<std::string> modes;
        for (const std::string &interface : setup.interfaces) {
            require_interface_up(interface);
            interfaces_.push_back({interface, interface_index(interface)});
            for (const Family family : {Family::ipv4, Family::ipv6})
                listen({.family = family,
                        .interface = interface,
                        .port = setup.port,
                        .answers_from_anywhere = true});
            modes.emplace_back(attach(setup, interface));
        }
        if (!setup.metrics.empty())
            metrics_ = std::make_unique<MetricsServer>(loop_, setup.metrics,
                                                       [this] { return counters().metrics(); });
        reserve_descriptors(setup.tcp.connections);
        drop_privileges({}, setup.user);
        print_result(fmt::format(
            "fakedns: ready on {}, port {}, Internet \"{}\" at {}{}{}, XDP {}\n",
            fmt::join(setup.interfaces, ", "), setup.port, options.seed, prefix_text(options.ipv4),
            options.ipv6.length == 0 ? "" : ", ",
            options.ipv6.length == 0 ? "" : prefix_text(options.ipv6), fmt::join(modes, ", ")));
        sd_notify(0, "READY=1");
    }

    void run()
    {
        loop_.run();
        sd_notify(0, "STOPPING=1");
        print_result(counters().table());
        if (gone_.count() == interfaces_.size())
            throw InterfaceMissing("no interface is left to answer on");
    }

    // Answers the query of a socket in place. Returns the answer's length; 0 if there is none, or
    // if it waits.
    std::size_t answer(const UdpQuery &query, int fd)
    {
        if (!query.can_be_answered())
            return 0;
        const WorldAnswer answer =
            answer_udp(query.target(), limiter_.may_answer(query.from, monotonic_ns()), query.room,
                       query.length, InternetPath::udp);
        if (answer.length == 0 || answer.delay_ns == 0)
            return answer.length;
        held_.hold(fd, query.room.first(answer.length), query.header,
                   monotonic_ns() + answer.delay_ns);
        return 0;
    }

    std::size_t answer_tcp(ServerNumber server, std::span<std::uint8_t> buffer,
                           std::size_t query_length)
    {
        const WorldAnswer answer = answer_world_query(
            world_, {.server = server, .is_tcp = true, .seconds = seconds()}, buffer, query_length);
        counters_.add(tier_of(server), answer, InternetPath::tcp);
        return answer.length;
    }

    [[nodiscard]] std::uint64_t distance_ns(ServerNumber server) const
    {
        return server == 0 ? 0 : world_.latency_ns(server);
    }

    void add_unsent(std::size_t count) { unsent_ += count; }

private:
    struct Served {
        std::string name;
        unsigned index; // stays when the name changes
    };

    void look_at_interfaces()
    {
        for (const Served &interface : interfaces_)
            gone_.note(interface.name, interface_exists(interface.index));
        if (gone_.count() == interfaces_.size())
            loop_.stop();
    }

    // Returns the time of the epoch's clock; 0 if there is no epoch.
    [[nodiscard]] std::uint64_t seconds() const
    {
        return epoch_ == 0 ? 0 : epoch_ + (monotonic_ns() - begin_ns_) / 1'000'000'000;
    }

    // Returns the server whose address a connection was made to.
    [[nodiscard]] ServerNumber server_of(int socket) const
    {
        sockaddr_storage name{};
        socklen_t size = sizeof(name);
        if (getsockname(socket, reinterpret_cast<sockaddr *>(&name), &size) != 0)
            return 0;
        const auto *octets = reinterpret_cast<const std::uint8_t *>(&name);
        const std::span<const std::uint8_t> address =
            name.ss_family == AF_INET6
                ? std::span(octets + offsetof(sockaddr_in6, sin6_addr), sizeof(in6_addr))
                : std::span(octets + offsetof(sockaddr_in, sin_addr), sizeof(in_addr));
        return world_.server_at(address).value_or(0);
    }

    WorldAnswer answer_udp(std::span<const std::uint8_t> target, bool may_answer,
                           std::span<std::uint8_t> buffer, std::size_t query_length,
                           InternetPath path)
    {
        const ServerNumber server = world_.server_at(target).value_or(0);
        const WorldAnswer answer = answer_world_query(
            world_, {.server = server, .is_limited = !may_answer, .seconds = seconds()}, buffer,
            query_length);
        counters_.add(tier_of(server), answer, path);
        return answer;
    }

    // Lets AF_XDP take the queries, if it can. Returns the mode of XDP, or "off".
    const char *attach(const InternetSetup &setup, const std::string &interface)
    {
        if (!setup.xdp)
            return "off";
        try {
            frames_.push_back(std::make_unique<InternetFrames>(
                loop_, interface, *setup.xdp, world_.options(), setup.port,
                [this](std::span<const std::uint8_t> target, std::uint64_t network,
                       std::span<std::uint8_t> buffer, std::size_t query_length) {
                    return answer_udp(target, limiter_.may_answer(network, monotonic_ns()), buffer,
                                      query_length, InternetPath::xdp);
                }));
            return to_string(frames_.back()->mode());
        } catch (const SetupError &error) {
            if (*setup.xdp != XdpMode::automatic)
                throw;
            const std::string_view why = error.what();
            say("fakedns: no AF_XDP on {}, answering by sockets alone: {}\n", interface,
                why.substr(0, why.find('\n')));
            return "off";
        }
    }

    void listen(const Endpoint &endpoint)
    {
        tcp_.listen(endpoint, [this](int socket) {
            return std::make_unique<InternetTcp>(*this, server_of(socket));
        });
        UniqueFd socket = open_udp_socket(endpoint);
        if (!socket)
            return;
        udp_.push_back(std::make_unique<InternetUdp>(*this, std::move(socket)));
        loop_.add(udp_.back()->fd(), EPOLLIN, *udp_.back());
    }

    [[nodiscard]] ServerTier tier_of(ServerNumber server) const
    {
        if (server == 0)
            return ServerTier::none;
        if (server <= world_.options().root_servers)
            return ServerTier::root;
        return world_.is_registry_server(server) ? ServerTier::registry : ServerTier::other;
    }

    [[nodiscard]] InternetCounters counters() const
    {
        InternetCounters counters = counters_;
        counters.waiting = held_.waiting() + tcp_.waiting();
        counters.unsent = held_.unsent() + unsent_;
        for (const auto &frames : frames_) {
            counters.waiting += frames->waiting();
            counters.unsent += frames->unsent();
        }
        return counters;
    }

    const World &world_;
    std::uint64_t epoch_;
    std::uint64_t begin_ns_;
    InternetCounters counters_;
    RateLimiter limiter_;
    std::uint64_t unsent_ = 0;
    EventLoop loop_;
    LinkWatch links_; // starts before the interfaces are looked at
    std::vector<Served> interfaces_;
    GoneInterfaces gone_;
    SignalHandler signals_;
    HeldDatagrams held_;
    TcpResponder tcp_;
    std::vector<std::unique_ptr<InternetUdp>> udp_;
    std::vector<std::unique_ptr<InternetFrames>> frames_;
    std::unique_ptr<MetricsServer> metrics_;
};

std::size_t InternetTcp::answer(std::span<std::uint8_t> buffer, std::size_t query_length)
{
    return server_.answer_tcp(number_, buffer, query_length);
}

std::uint64_t InternetTcp::distance_ns() const
{
    return server_.distance_ns(number_);
}

void InternetTcp::add_unsent(std::size_t answers)
{
    server_.add_unsent(answers);
}

void InternetUdp::on_ready(std::uint32_t)
{
    const std::size_t received = batch_->receive(socket_.get());
    const std::size_t answers = batch_->answer(
        received, [this](const UdpQuery &query) { return server_.answer(query, socket_.get()); });
    server_.add_unsent(batch_->send(socket_.get(), answers));
}

} // namespace

void serve_internet(const InternetSetup &setup, const World &world)
{
    InternetServer(setup, world).run();
}

} // namespace dnsgauge
