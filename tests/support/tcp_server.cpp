// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/tcp_server.h"

#include "dns/socket_address.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <utility>

namespace dnsgauge::testing
{

namespace
{

constexpr int patience_ms = 5; // until the server looks whether it is to end

IpAddress loopback(bool is_ipv6)
{
    return parse_ip_address(is_ipv6 ? "::1" : "127.0.0.1");
}

} // namespace

UniqueFd listen_on_loopback(bool is_ipv6, int backlog, std::uint16_t &port)
{
    UniqueFd listener =
        opened(socket(is_ipv6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "no socket");
    const SocketAddress any(loopback(is_ipv6), 0);
    sockaddr_storage got{};
    socklen_t size = sizeof(got);
    if (bind(listener.get(), any.get(), any.size) != 0 || listen(listener.get(), backlog) != 0 ||
        getsockname(listener.get(), reinterpret_cast<sockaddr *>(&got), &size) != 0)
        throw_errno("cannot listen");
    // Both families have the port in the same place.
    port = ntohs(reinterpret_cast<const sockaddr_in *>(&got)->sin_port);
    return listener;
}

void ServedConnection::send(const Message &octets) const
{
    send_raw(layer_ ? layer_->wrap(octets) : octets);
}

void ServedConnection::send_raw(const Message &octets) const
{
    std::size_t sent = 0;
    while (sent < octets.size()) {
        const ssize_t count =
            ::send(socket_.get(), octets.data() + sent, octets.size() - sent, MSG_NOSIGNAL);
        if (count < 0)
            return;
        sent += static_cast<std::size_t>(count);
    }
}

void ServedConnection::send_messages(const std::vector<Message> &messages) const
{
    Message all;
    for (const Message &message : messages) {
        all.push_back(static_cast<std::uint8_t>(message.size() >> 8U));
        all.push_back(static_cast<std::uint8_t>(message.size()));
        all.insert(all.end(), message.begin(), message.end());
    }
    send(all);
}

void ServedConnection::reset()
{
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
    close();
}

TcpServer::TcpServer(Script script, bool is_ipv6, MakeLayer make_layer)
    : script_(std::move(script)), make_layer_(std::move(make_layer)),
      listener_(listen_on_loopback(is_ipv6, 256, port_)),
      thread_([this](const std::stop_token &stop) { run(stop); })
{
}

TcpServer::~TcpServer()
{
    thread_.request_stop();
    thread_.join();
}

void TcpServer::run(const std::stop_token &stop)
{
    while (!stop.stop_requested()) {
        std::vector<pollfd> all{{.fd = listener_.get(), .events = POLLIN, .revents = 0}};
        for (const auto &[fd, connection] : connections_)
            all.push_back({.fd = fd, .events = POLLIN, .revents = 0});
        if (poll(all.data(), all.size(), patience_ms) <= 0)
            continue;
        for (std::size_t i = 1; i < all.size(); i++) {
            if (all[i].revents == 0)
                continue;
            ServedConnection &connection = connections_.at(all[i].fd);
            read(connection);
            if (!connection.is_open())
                connections_.erase(all[i].fd);
        }
        if (all[0].revents != 0)
            accept_one();
    }
}

void TcpServer::accept_one()
{
    UniqueFd socket(accept(listener_.get(), nullptr, nullptr));
    if (!socket)
        return;
    const int one = 1;
    setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    accepted_++;
    const int fd = socket.get();
    connections_.emplace(
        fd, ServedConnection(std::move(socket), make_layer_ ? make_layer_() : nullptr));
}

void TcpServer::read(ServedConnection &connection)
{
    std::array<std::uint8_t, 4096> room{};
    const ssize_t count = recv(connection.fd(), room.data(), room.size(), 0);
    if (count <= 0) {
        connection.close();
        return;
    }
    ServedConnection::Message &octets = connection.octets_;
    const auto received =
        std::span<const std::uint8_t>(room).first(static_cast<std::size_t>(count));
    bool is_open = true;
    if (connection.layer_) {
        ServedLayer::Unwrapped came = connection.layer_->unwrap(received);
        connection.send_raw(came.reply);
        octets.insert(octets.end(), came.octets.begin(), came.octets.end());
        is_open = came.is_open;
    } else {
        octets.insert(octets.end(), received.begin(), received.end());
    }
    std::size_t begin = 0;
    while (connection.is_open() && octets.size() - begin >= 2) {
        const std::size_t size = octets[begin] * std::size_t{256} + octets[begin + 1];
        if (octets.size() - begin - 2 < size)
            break;
        const auto at = octets.begin() + static_cast<std::ptrdiff_t>(begin) + 2;
        const Message query(at, at + static_cast<std::ptrdiff_t>(size));
        begin += 2 + size;
        connection.queries++;
        queries_++;
        script_(connection, query);
    }
    octets.erase(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(begin));
    if (!is_open)
        connection.close();
}

} // namespace dnsgauge::testing
