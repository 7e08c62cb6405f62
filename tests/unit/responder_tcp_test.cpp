// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests FakeDNS' connections over TCP, of distant servers above all, by pairs of local sockets.
#include "base/responder_tcp.h"
#include "dns/fault_text.h"
#include "support/no_descriptors.h"

#include <catch2/catch.hpp>

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <span>
#include <utility>
#include <vector>

using namespace dnsgauge;
using namespace std::chrono_literals;

namespace
{

constexpr auto patience = 20s; // after which a test that waits gives up

// Answers any octets with `size` octets.
class SizeAnswerer : public MessageAnswerer
{
public:
    SizeAnswerer(std::size_t size, std::chrono::nanoseconds distance, std::size_t &unsent)
        : size_(size), distance_(distance), unsent_(unsent)
    {
    }

    [[nodiscard]] std::size_t room(std::size_t query_length) const override
    {
        return std::max(size_, query_length);
    }
    std::size_t answer(std::span<std::uint8_t>, std::size_t) override { return size_; }
    [[nodiscard]] std::uint64_t distance_ns() const override
    {
        return static_cast<std::uint64_t>(distance_.count());
    }
    void add_unsent(std::size_t answers) override { unsent_ += answers; }

private:
    std::size_t size_;
    std::chrono::nanoseconds distance_;
    std::size_t &unsent_;
};

// Repeats a query of one octet. The octet says after how many milliseconds.
class HoldingAnswerer : public MessageAnswerer
{
public:
    explicit HoldingAnswerer(std::size_t &unsent) : unsent_(unsent) {}

    [[nodiscard]] std::size_t room(std::size_t query_length) const override { return query_length; }
    std::size_t answer(std::span<std::uint8_t> buffer, std::size_t) override
    {
        held_.waiting.push(held_.arrived_ns + std::uint64_t{1'000'000} * buffer[0],
                           {.octets = {buffer[0]}});
        return 0;
    }
    [[nodiscard]] HeldAnswers *held() override { return &held_; }
    void add_unsent(std::size_t answers) override { unsent_ += answers; }

private:
    std::size_t &unsent_;
    HeldAnswers held_;
};

// The client's end of a connection. Stops the loop when `expected` octets have come, or when the
// server has closed the connection.
class Client : public EventHandler
{
public:
    Client(EventLoop &loop, UniqueFd socket, std::size_t expected)
        : loop_(loop), socket_(std::move(socket)), expected_(expected)
    {
        loop_.add(socket_.get(), EPOLLIN, *this);
    }

    void on_ready(std::uint32_t) override
    {
        std::vector<std::uint8_t> octets(65536);
        const ssize_t count = recv(socket_.get(), octets.data(), octets.size(), 0);
        if (count > 0)
            octets_.insert(octets_.end(), octets.begin(), octets.begin() + count);
        if (count == 0) {
            is_closed_ = true;
            leave();
        }
        if (is_closed_ || received() >= expected_)
            loop_.stop();
    }

    // Asks this number of questions of two octets at once.
    void ask(unsigned questions)
    {
        std::vector<std::uint8_t> octets;
        for (unsigned i = 0; i < questions; i++)
            octets.insert(octets.end(), {0, 2, 0xaa, 0xbb});
        put(octets);
    }
    void put(const std::vector<std::uint8_t> &octets)
    {
        REQUIRE(send(socket_.get(), octets.data(), octets.size(), 0) ==
                static_cast<ssize_t>(octets.size()));
    }
    void send_no_more() { REQUIRE(shutdown(socket_.get(), SHUT_WR) == 0); }
    void leave() { socket_ = UniqueFd(); }

    [[nodiscard]] const std::vector<std::uint8_t> &octets() const { return octets_; }
    [[nodiscard]] std::size_t received() const { return octets_.size(); }
    [[nodiscard]] bool is_closed() const { return is_closed_; }

private:
    EventLoop &loop_;
    UniqueFd socket_;
    std::size_t expected_;
    std::vector<std::uint8_t> octets_;
    bool is_closed_ = false;
};

std::array<UniqueFd, 2> socket_pair()
{
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

// A responder and its clients, in one thread.
class Connections
{
public:
    explicit Connections(TcpLimits limits, const ConnectionFaultPlan &faults = {})
        : deadline_(loop_, [this] { loop_.stop(); }), responder_(loop_, limits, faults)
    {
    }

    // Connects a client to a server whose answers have `size` octets after their length. The
    // client stops the loop when it has so many answers.
    Client &connect(std::size_t size, std::chrono::nanoseconds distance, std::size_t answers)
    {
        std::array<UniqueFd, 2> ends = socket_pair();
        clients_.push_back(
            std::make_unique<Client>(loop_, std::move(ends[1]), answers * (size + 2)));
        serve(std::move(ends[0]), size, distance);
        return *clients_.back();
    }

    // Connects a client to a server that holds its answers. The client stops the loop when it has
    // all `answers`.
    Client &connect_held(std::size_t answers)
    {
        std::array<UniqueFd, 2> ends = socket_pair();
        clients_.push_back(std::make_unique<Client>(loop_, std::move(ends[1]), answers * 3));
        responder_.be_exact();
        responder_.serve(std::move(ends[0]), std::make_unique<HoldingAnswerer>(unsent_));
        return *clients_.back();
    }

    void serve(UniqueFd socket, std::size_t size, std::chrono::nanoseconds distance)
    {
        responder_.serve(std::move(socket),
                         std::make_unique<SizeAnswerer>(size, distance, unsent_));
    }

    // Runs until a client has what it expects or is cut off, for so long at most.
    void run(std::chrono::nanoseconds most = patience)
    {
        deadline_.set(ktime_ns() + static_cast<std::uint64_t>(most.count()));
        loop_.run();
    }

    [[nodiscard]] std::size_t unsent() const { return unsent_; }
    [[nodiscard]] std::size_t waiting() const { return responder_.waiting(); }
    [[nodiscard]] const ConnectionFaultCount &count(ConnectionFault kind) const
    {
        return responder_.fault_counts()[static_cast<std::size_t>(kind)];
    }

private:
    std::size_t unsent_ = 0;
    EventLoop loop_;
    DueTimer deadline_;
    std::vector<std::unique_ptr<Client>> clients_;
    TcpResponder responder_;
};

} // namespace

TEST_CASE("a distant server sends all its answers, however many wait for room")
{
    Connections connections({});
    Client &client = connections.connect(1000, 20ms, 300);
    client.ask(300);
    connections.run();
    CHECK(client.received() == std::size_t{300} * 1002);
    CHECK(connections.waiting() == 0);
}

TEST_CASE("distant servers' answers come in the order of the distances")
{
    Connections connections({});
    Client &far = connections.connect(10, 200ms, 1);
    Client &less_far = connections.connect(10, 20ms, 1);
    far.ask(1);
    less_far.ask(1);
    connections.run();
    CHECK(less_far.received() == 12);
    CHECK(far.received() == 0);
    connections.run();
    CHECK(far.received() == 12);
}

TEST_CASE("a connection to a distant server takes no descriptor but its socket")
{
    Connections connections({});
    std::array<UniqueFd, 2> ends = socket_pair();
    const NoDescriptors none;
    CHECK_NOTHROW(connections.serve(std::move(ends[0]), 10, 1s));
}

TEST_CASE("a connection whose answers are held is not idle; later it is")
{
    // The answer comes after twice the distance.
    Connections connections({.idle = 1s});
    Client &client = connections.connect(10, 700ms, 1);
    client.ask(1);
    connections.run();
    CHECK(client.received() == 12);
    CHECK(!client.is_closed());
    while (!client.is_closed())
        connections.run();
    CHECK(connections.unsent() == 0);
}

TEST_CASE("one connection too many closes the one that is idle longest and awaits no answer")
{
    Connections connections({.connections = 2});
    Client &awaits = connections.connect(10, 100ms, 1);
    Client &idle = connections.connect(10, 0ms, 1);
    awaits.ask(1);
    idle.ask(1);
    connections.run();
    REQUIRE(idle.received() == 12);
    connections.connect(10, 0ms, 1);
    connections.run();
    CHECK(idle.is_closed());
    connections.run();
    CHECK(awaits.received() == 12);
    CHECK(connections.unsent() == 0);
}

TEST_CASE("answers that are discarded with their connection count as unsent")
{
    Connections connections({.connections = 1});
    Client &client = connections.connect(10, 1h, 1);
    client.ask(3);
    connections.run(100ms);
    CHECK(connections.waiting() == 3);

    SECTION("where the client leaves")
    {
        client.leave();
        connections.run(100ms);
    }
    SECTION("where another connection takes the place")
    {
        connections.connect(10, 0ms, 1);
        connections.run();
        CHECK(client.is_closed());
    }
    CHECK(connections.waiting() == 0);
    CHECK(connections.unsent() == 3);
}

TEST_CASE("answers that are held leave when they are due, and let others pass")
{
    Connections connections({});
    Client &client = connections.connect_held(3);
    client.put({0, 1, 60, 0, 1, 0, 0, 1, 30});
    SECTION("while the client may send more") {}
    SECTION("where the client sends no more")
    {
        client.send_no_more();
    }
    const std::uint64_t before = ktime_ns();
    connections.run();
    CHECK(client.octets() == std::vector<std::uint8_t>{0, 1, 0, 0, 1, 30, 0, 1, 60});
    CHECK(ktime_ns() - before >= 60'000'000);
    CHECK(connections.waiting() == 0);
    CHECK(connections.unsent() == 0);
}

TEST_CASE("answers that are held, and whose client leaves, count as unsent")
{
    Connections connections({});
    Client &client = connections.connect_held(2);
    client.put({0, 1, 200, 0, 1, 250});
    connections.run(20ms);
    CHECK(connections.waiting() == 2);
    client.leave();
    connections.run(20ms);
    CHECK(connections.waiting() == 0);
    CHECK(connections.unsent() == 2);
}

namespace
{

// Returns a plan that gives all connections one fault.
ConnectionFaultPlan all(const std::string &fault)
{
    fault_plan answers{};
    ConnectionFaultPlan plan;
    parse_faults(fault, answers, &plan);
    return plan;
}

} // namespace

TEST_CASE("a refused connection is closed before it asks")
{
    Connections connections({}, all("refuse=100%"));
    const Client &client = connections.connect(10, 0ms, 1);
    connections.run();
    CHECK(client.is_closed());
    CHECK(client.received() == 0);
    CHECK(connections.count(ConnectionFault::refuse).connections == 1);
}

TEST_CASE("a connection is closed after its last answer, and what the client still asks is read")
{
    Connections connections({}, all("close=100%:2"));
    Client &client = connections.connect(10, 0ms, 5);
    client.ask(2);
    connections.run(100ms);
    CHECK(!client.is_closed());
    client.ask(3);
    connections.run();
    CHECK(client.is_closed());
    CHECK(client.received() == 2 * 12);
    CHECK(connections.count(ConnectionFault::close).connections == 1);
    CHECK(connections.count(ConnectionFault::close).queries == 3);
}

TEST_CASE("a connection that is reset has sent the answers before")
{
    Connections connections({}, all("reset=100%:2"));
    Client &client = connections.connect(10, 0ms, 5);
    client.ask(5);
    connections.run();
    CHECK(client.is_closed());
    CHECK(client.received() == 2 * 12);
    CHECK(connections.count(ConnectionFault::reset).queries == 3);
}

TEST_CASE("a stalled connection stays open, and is read")
{
    Connections connections({}, all("stall=100%:0"));
    Client &client = connections.connect(10, 0ms, 1);
    client.ask(5);
    connections.run(100ms);
    CHECK(!client.is_closed());
    CHECK(client.received() == 0);
    CHECK(connections.count(ConnectionFault::stall).queries == 5);
}

TEST_CASE("a message in single octets is whole")
{
    Connections connections({}, all("split=100%"));
    Client &client = connections.connect(100, 0ms, 10);
    client.ask(10);
    connections.run();
    CHECK(client.received() == std::size_t{10} * 102);
    CHECK(connections.count(ConnectionFault::split).queries == 10);
}
