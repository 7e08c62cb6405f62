// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "internet_server/server.h"

#include "base/rate_limiter.h"
#include "base/sockets.h"
#include "base/udp_batch.h"
#include "internet/prediction.h"
#include "internet/world.h"
#include "internet/world_answer.h"
#include "internet/world_options.h"
#include "internet_server/counters.h"
#include "internet_server/frames.h"

#include "system/setup_error.h"
#include "system/standard_output.h"

#include <fmt/format.h>

#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iostream>
#include <memory>
#include <string_view>

namespace dnsgauge
{

namespace
{

// The number of answers that can wait at a time. With 1,232 octets each they take 80 MB.
constexpr std::size_t waiting_most = 65536;

// Throws SetupError unless this host receives packets to the servers' IPv4 addresses. Does not
// check the IPv6 prefix, which would need a packet.
void require_routed(const World &world)
{
    const UniqueFd socket{::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    if (!socket && errno == EAFNOSUPPORT)
        return; // this host has no IPv4
    if (!socket)
        throw_errno("cannot open a socket");
    const IpPrefix &prefix = world.options().ipv4;
    const IpAddress address = world.address(1, false);
    const SocketAddress name(address, 0);
    if (bind(socket.get(), name.get(), name.size) != 0)
        throw SetupError("{0} is not this host's: run \"ip route add local {1} dev lo\"",
                         to_string(address), to_string(prefix));
}

class InternetServer : public DnsServer
{
public:
    InternetServer(const InternetCommand &command, const World &world)
        : DnsServer(command.setup), world_(world), epoch_(command.epoch), begin_ns_(ktime_ns()),
          held_(loop(), waiting_most, Punctuality::together)
    {
        limiter_.set(command.rate_limit);
        require_routed(world_);
        const WorldOptions &options = world_.options();
        std::vector<std::string> modes;
        for (const std::string &interface : setup().interfaces) {
            for (const Family family : {Family::ipv4, Family::ipv6})
                listen({.family = family,
                        .interface = interface,
                        .port = setup().port,
                        .answers_from_anywhere = true});
            modes.emplace_back(attach(interface));
        }
        begin({},
              fmt::format("Internet \"{}\" at {}{}{}", options.seed, to_string(options.ipv4),
                          options.ipv6.length == 0 ? "" : ", ",
                          options.ipv6.length == 0 ? "" : to_string(options.ipv6)),
              modes);
    }

private:
    // Answers the queries of one TCP connection.
    class Tcp : public MessageAnswerer
    {
    public:
        Tcp(InternetServer &server, ServerNumber number) : server_(server), number_(number) {}

        [[nodiscard]] std::size_t room(std::size_t query_length) const override
        {
            return std::max(world_answer_room, query_length);
        }
        std::size_t answer(std::span<std::uint8_t> buffer, std::size_t query_length) override
        {
            return server_.answer_tcp(number_, buffer, query_length);
        }
        [[nodiscard]] std::uint64_t distance_ns() const override
        {
            return number_ == 0 ? 0 : server_.world_.latency_ns(number_);
        }
        void add_unsent(std::size_t answers) override { server_.unsent_ += answers; }

    private:
        InternetServer &server_;
        ServerNumber number_;
    };

    // Answers the query of a socket in place. Returns the answer's length; 0 if there is none, or
    // if it waits.
    std::size_t answer(const UdpQuery &query, int fd, std::uint64_t now)
    {
        if (!query.can_be_answered())
            return 0;
        const WorldAnswer answer = answer_udp(query.target(), limiter_.may_answer(query.from, now),
                                              query.room, query.length, InternetPath::udp);
        if (answer.length == 0 || answer.delay_ns == 0)
            return answer.length;
        held_.hold(fd, query.room.first(answer.length), query.header, ktime_ns() + answer.delay_ns);
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

    // Returns the time of the epoch's clock; 0 if there is no epoch.
    [[nodiscard]] std::uint64_t seconds() const
    {
        return epoch_ == 0 ? 0 : epoch_ + (ktime_ns() - begin_ns_) / 1'000'000'000;
    }

    // Returns the server whose address a connection was made to.
    [[nodiscard]] ServerNumber server_of(int socket) const
    {
        sockaddr_storage name{};
        socklen_t size = sizeof(name);
        if (getsockname(socket, reinterpret_cast<sockaddr *>(&name), &size) != 0)
            return 0;
        return world_.server_at(address_octets(name, name.ss_family)).value_or(0);
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
    const char *attach(const std::string &interface)
    {
        if (!setup().xdp)
            return "off";
        try {
            frames_.push_back(std::make_unique<InternetFrames>(
                loop(), interface, *setup().xdp, world_.options(), setup().port,
                [this](std::span<const std::uint8_t> target, std::uint64_t network,
                       std::span<std::uint8_t> buffer, std::size_t query_length) {
                    return answer_udp(target, limiter_.may_answer(network, ktime_ns()), buffer,
                                      query_length, InternetPath::xdp);
                }));
            return to_string(frames_.back()->mode());
        } catch (const SetupError &error) {
            if (*setup().xdp != XdpMode::automatic)
                throw;
            const std::string_view why = error.what();
            say("fakedns: no AF_XDP on {}, answering by sockets alone: {}\n", interface,
                why.substr(0, why.find('\n')));
            return "off";
        }
    }

    void listen(const Endpoint &endpoint)
    {
        tcp().listen(endpoint, [this](int socket) {
            return std::make_unique<Tcp>(*this, server_of(socket));
        });
        udp_.push_back(std::make_unique<UdpListener>(
            loop(), endpoint,
            [this](const UdpQuery &query, int fd, std::uint64_t now) {
                return answer(query, fd, now);
            },
            [this](std::uint64_t /*now*/, std::size_t /*answers*/, std::size_t unsent) {
                unsent_ += unsent;
            }));
    }

    [[nodiscard]] ServerTier tier_of(ServerNumber server) const
    {
        if (server == 0)
            return ServerTier::none;
        if (server <= world_.options().root_servers)
            return ServerTier::root;
        return world_.is_registry_server(server) ? ServerTier::registry : ServerTier::other;
    }

    std::string table() override { return counters().table(); }
    std::string metrics() override { return counters().metrics(); }
    void on_hangup() override { say("fakedns: an Internet does not change: restart the server\n"); }

    [[nodiscard]] InternetCounters counters() const
    {
        InternetCounters counters = counters_;
        counters.waiting = held_.waiting() + tcp().waiting();
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
    HeldDatagrams held_;
    std::vector<std::unique_ptr<UdpListener>> udp_;
    std::vector<std::unique_ptr<InternetFrames>> frames_;
};

// Predicts each name in the words. "-" stands for standard input, which has one name on each line.
void predict_names(const World &world, const InternetCommand &command)
{
    const auto predict = [&](const std::string &text) {
        // "www.example.com", or name, space and type.
        const std::size_t space = std::min(text.find(' '), text.size());
        const std::string type = text.substr(std::min(space + 1, text.size()));
        const std::uint16_t wanted =
            type.empty() ? std::uint16_t{DNS_TYPE_A} : parse_type("--predict", type);
        if (wanted == DNS_TYPE_ANY || wanted == DNS_TYPE_AXFR || wanted == DNS_TYPE_IXFR)
            throw SetupError("--predict \"{}\": ANY, AXFR and IXFR are not predicted", text);
        print_result(prediction_line(world, WireName::parse(text.substr(0, space)), wanted) + "\n");
    };
    for (const std::string &name : command.predict) {
        if (name != "-") {
            predict(name);
            continue;
        }
        for (std::string line; std::getline(std::cin, line);)
            if (!line.empty())
                predict(line);
    }
}

} // namespace

void internet_main(const InternetCommand &command)
{
    const bool serves = !command.prints_hints && command.predict.empty();
    if (serves)
        block_server_signals();
    const World world(command.world,
                      command.names.empty() ? ListedNames() : ListedNames(command.names));
    if (serves)
        return InternetServer(command, world).run();
    if (command.prints_hints)
        print_result(root_hints(world));
    predict_names(world, command);
}

} // namespace dnsgauge
