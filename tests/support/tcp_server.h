// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A DNS server over TCP on the loopback interface, which does what a test's script says.
#pragma once

#include "userland/unique_fd.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <vector>

namespace dnsgauge::testing
{

// One connection, as the script sees it.
class ServedConnection
{
public:
    using Message = std::vector<std::uint8_t>;

    explicit ServedConnection(UniqueFd socket) : socket_(std::move(socket)) {}

    // Sends the octets as they are.
    void send(const Message &octets) const;
    // Sends messages, each behind its length, all at once.
    void send_messages(const std::vector<Message> &messages) const;
    void close() { socket_ = UniqueFd(); }
    void reset();
    [[nodiscard]] bool is_open() const { return static_cast<bool>(socket_); }
    [[nodiscard]] int fd() const { return socket_.get(); }

    std::size_t queries = 0;   // that came
    std::vector<Message> held; // the script's own

private:
    friend class TcpServer;

    UniqueFd socket_;
    Message octets_; // of a query that has not come whole
};

class TcpServer
{
public:
    using Message = ServedConnection::Message;
    // Is called for each query, on the server's thread.
    using Script = std::function<void(ServedConnection &connection, const Message &query)>;

    explicit TcpServer(Script script, bool is_ipv6 = false);
    ~TcpServer();
    TcpServer(const TcpServer &) = delete;
    TcpServer &operator=(const TcpServer &) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
    [[nodiscard]] std::uint64_t queries() const { return queries_; }

private:
    void run(const std::stop_token &stop);
    void accept_one();
    void read(ServedConnection &connection);

    Script script_;
    std::uint16_t port_ = 0; // set by the listener
    UniqueFd listener_;
    std::map<int, ServedConnection> connections_; // by descriptor
    std::atomic<std::uint64_t> accepted_{0};
    std::atomic<std::uint64_t> queries_{0};
    std::jthread thread_;
};

// Returns a listening socket on the loopback interface, and sets the port that it got.
[[nodiscard]] UniqueFd listen_on_loopback(bool is_ipv6, int backlog, std::uint16_t &port);

} // namespace dnsgauge::testing
