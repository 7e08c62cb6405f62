// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TLS of a TcpServer, with certificates that are made in memory.
#pragma once

#include "support/tcp_server.h"

#include <cstdint>
#include <string>
#include <vector>

struct ssl_ctx_st;
struct ssl_st;

namespace dnsgauge::testing
{

struct TlsWish {
    std::string name = "dns.test"; // that the certificate is for
    unsigned intermediates = 0;    // certificates between the root's and the server's
    bool is_expired = false;
    bool is_tls12 = false;
    bool resumes = true;
    std::string protocol = "dot"; // by ALPN
};

class TlsLayer final : public ServedLayer
{
public:
    explicit TlsLayer(ssl_ctx_st *context);
    ~TlsLayer() override;

    [[nodiscard]] std::vector<std::uint8_t> wrap(std::span<const std::uint8_t> octets) override;
    [[nodiscard]] Unwrapped unwrap(std::span<const std::uint8_t> octets) override;

    // Each returns what the socket is to send.
    [[nodiscard]] std::vector<std::uint8_t> update_keys();
    [[nodiscard]] std::vector<std::uint8_t> send_ticket();
    [[nodiscard]] std::vector<std::uint8_t> close_notify();
    [[nodiscard]] std::vector<std::uint8_t> renegotiate(); // TLS 1.2

    [[nodiscard]] bool is_resumed() const;
    // Returns the name that the client sent; empty if it sent none.
    [[nodiscard]] std::string server_name() const;

private:
    [[nodiscard]] std::vector<std::uint8_t> outgoing();

    ssl_st *tls_;
};

class TlsService
{
public:
    explicit TlsService(const TlsWish &wish = {});
    TlsService &operator=(TlsService &&) = delete;
    ~TlsService();

    // Returns what makes the layers of a server. The service must outlive them.
    [[nodiscard]] TcpServer::MakeLayer layers() const;
    // Returns the root's certificate, in PEM.
    [[nodiscard]] const std::string &root() const { return root_; }

private:
    ssl_ctx_st *context_;
    std::string protocol_; // and its length
    std::string root_;
};

} // namespace dnsgauge::testing
