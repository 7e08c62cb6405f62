// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A DNS server over TCP on the loopback interface, or over a layer above TCP, which does what a
// test's script says.
#pragma once

#include "system/unique_fd.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <thread>
#include <vector>

namespace dnsgauge::testing
{

// What lies between the octets of one connection and its socket.
class ServedLayer
{
public:
    ServedLayer &operator=(ServedLayer &&) = delete;
    virtual ~ServedLayer() = default;

    // Returns what the socket is to send for these octets.
    [[nodiscard]] virtual std::vector<std::uint8_t> wrap(std::span<const std::uint8_t> octets) = 0;
    // What came out of the socket's octets, and what the socket is to send for them.
    struct Unwrapped {
        std::vector<std::uint8_t> octets{};
        std::vector<std::uint8_t> reply{};
        bool is_open = true;
    };
    [[nodiscard]] virtual Unwrapped unwrap(std::span<const std::uint8_t> octets) = 0;
};

// One connection, as the script sees it.
class ServedConnection
{
public:
    using Message = std::vector<std::uint8_t>;

    explicit ServedConnection(UniqueFd socket, std::unique_ptr<ServedLayer> layer = {})
        : socket_(std::move(socket)), layer_(std::move(layer))
    {
    }

    // Sends the octets as they are, through the layer.
    void send(const Message &octets) const;
    // Sends the octets as they are, past the layer.
    void send_raw(const Message &octets) const;
    // Sends messages, each after its length, all at once.
    void send_messages(const std::vector<Message> &messages) const;
    void close() { socket_ = UniqueFd(); }
    void reset();
    [[nodiscard]] bool is_open() const { return static_cast<bool>(socket_); }
    [[nodiscard]] int fd() const { return socket_.get(); }
    // Returns null if there is no layer.
    [[nodiscard]] ServedLayer *layer() const { return layer_.get(); }

    std::size_t queries = 0;   // that came
    std::vector<Message> held; // the script's own

private:
    friend class TcpServer;

    UniqueFd socket_;
    std::unique_ptr<ServedLayer> layer_;
    Message octets_; // of a query that has not come whole
};

class TcpServer
{
public:
    using Message = ServedConnection::Message;
    // Is called for each query, on the server's thread.
    using Script = std::function<void(ServedConnection &connection, const Message &query)>;

    // Makes the layer of a new connection.
    using MakeLayer = std::function<std::unique_ptr<ServedLayer>()>;

    explicit TcpServer(Script script, bool is_ipv6 = false, MakeLayer make_layer = {});
    ~TcpServer();
    TcpServer &operator=(TcpServer &&) = delete;

    [[nodiscard]] std::uint16_t port() const { return port_; }
    [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
    [[nodiscard]] std::uint64_t queries() const { return queries_; }

private:
    void run(const std::stop_token &stop);
    void accept_one();
    void read(ServedConnection &connection);

    Script script_;
    MakeLayer make_layer_;
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
