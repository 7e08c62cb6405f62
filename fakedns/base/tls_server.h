// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TLS of a server's connections (RFC 7858, RFC 8484), by OpenSSL.
#pragma once

#include "system/freed_by.h"

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct ssl_ctx_st;
struct ssl_st;
struct x509_st;

extern "C" {
void SSL_CTX_free(ssl_ctx_st *context);
void SSL_free(ssl_st *tls);
void X509_free(x509_st *certificate);
}

namespace dnsgauge
{

using Certificate = std::unique_ptr<x509_st, FreedBy<X509_free>>;

// What is wrong, on purpose, with a certificate that the server makes.
enum class CertificateFlaw { expired, other_name };

struct TlsSetup {
    std::string certificate; // files in PEM; empty if none
    std::string key;
    std::uint16_t port = 853;
    std::uint16_t https_port = 0; // 0 if no HTTPS
    std::uint16_t quic_port = 0;  // 0 if no QUIC
    bool is_self_signed = false;  // the server makes a certificate itself

    [[nodiscard]] bool is_wanted() const { return is_self_signed || !certificate.empty(); }

    bool operator==(const TlsSetup &) const = default;
};

// Handshakes by how they ended.
struct TlsCounts {
    std::uint64_t full = 0;
    std::uint64_t resumed = 0; // by a ticket
    std::uint64_t failed = 0;
};

// The TLS of one connection.
class TlsSession
{
public:
    TlsSession(ssl_st *tls, TlsCounts &counts) : tls_(tls), counts_(counts) {}

    // Do what recv() and send() do on the socket, for octets inside TLS.
    [[nodiscard]] ssize_t receive(std::span<std::uint8_t> room);
    [[nodiscard]] ssize_t send(std::span<const std::uint8_t> octets);

    // Tells the client that no more octets come.
    void end();

    // Returns whether receive() must be called when the socket takes octets again.
    [[nodiscard]] bool awaits_room() const;

    // Gives the client this certificate, which must have the same key.
    void use(x509_st &certificate);

private:
    [[nodiscard]] ssize_t failure(int result);
    void count_handshake();

    std::unique_ptr<ssl_st, FreedBy<SSL_free>> tls_;
    TlsCounts &counts_;
    bool is_open_ = false;
};

// What all connections share: the certificate, and the keys of tickets.
class TlsServer
{
public:
    // A client that offers protocols (ALPN) must offer `protocol`; if that is empty, any client is
    // served. Throws SetupError if the files cannot be read, or if certificate and key do not fit.
    explicit TlsServer(const TlsSetup &setup, std::string_view protocol = {});
    TlsServer &operator=(TlsServer &&) = delete;

    // Returns TLS over `socket`, which must outlive it; null if there is no memory. Without
    // `resumes` each handshake is a full one: the client gets no ticket, and its tickets are
    // ignored.
    [[nodiscard]] std::unique_ptr<TlsSession> begin(int socket, bool resumes);

    // Gives the client a certificate with this flaw. Throws SetupError if OpenSSL makes none.
    void give_flawed(TlsSession &session, CertificateFlaw flaw);

    [[nodiscard]] const TlsCounts &counts() const { return counts_; }

    // Return, in PEM, the certificates, their key, and a certificate of that key with a flaw.
    [[nodiscard]] std::string chain_pem() const;
    [[nodiscard]] std::string key_pem() const;
    [[nodiscard]] std::string flawed_pem(CertificateFlaw flaw);

private:
    [[nodiscard]] x509_st &flawed(CertificateFlaw flaw);

    std::string protocol_; // in ALPN's form, after its length
    std::unique_ptr<ssl_ctx_st, FreedBy<SSL_CTX_free>> context_;
    std::map<CertificateFlaw, Certificate> flawed_; // those that were needed so far
    TlsCounts counts_;
};

} // namespace dnsgauge
