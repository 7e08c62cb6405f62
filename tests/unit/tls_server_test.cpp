// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests FakeDNS' TLS against OpenSSL's own client, by pairs of local sockets.
#include "base/tls_server.h"

#include "support/scratch_directory.h"
#include "system/setup_error.h"
#include "system/unique_fd.h"

#include <catch2/catch.hpp>

#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

using namespace dnsgauge;

namespace
{

template <auto free_it>
struct FreedBy {
    template <class T>
    void operator()(T *thing) const
    {
        free_it(thing);
    }
};
using Key = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;
using Context = std::unique_ptr<SSL_CTX, FreedBy<SSL_CTX_free>>;
using Tls = std::unique_ptr<SSL, FreedBy<SSL_free>>;
using Ticket = std::unique_ptr<SSL_SESSION, FreedBy<SSL_SESSION_free>>;
using File = std::unique_ptr<std::FILE, FreedBy<std::fclose>>;

// A certificate that signs itself, and its key, in files.
struct Identity {
    explicit Identity(const ScratchDirectory &directory, const std::string &name)
        : setup{.certificate = directory.file(name + ".pem"), .key = directory.file(name + ".key")}
    {
        const Key key(EVP_EC_gen("P-256"));
        const Certificate certificate(X509_new());
        X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
        X509_gmtime_adj(X509_getm_notAfter(certificate.get()), 3600);
        X509_set_pubkey(certificate.get(), key.get());
        REQUIRE(X509_sign(certificate.get(), key.get(), EVP_sha256()) != 0);
        const File certificate_file(std::fopen(setup.certificate.c_str(), "w"));
        REQUIRE(PEM_write_X509(certificate_file.get(), certificate.get()) == 1);
        const File key_file(std::fopen(setup.key.c_str(), "w"));
        REQUIRE(PEM_write_PrivateKey(key_file.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                     nullptr) == 1);
    }

    TlsSetup setup;
};

// Both ends of a connection. The client is OpenSSL's.
class Connection
{
public:
    Connection(TlsServer &server, SSL_CTX *client, bool resumes, SSL_SESSION *ticket)
    {
        int ends[2];
        REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
        server_end_ = UniqueFd(ends[0]);
        client_end_ = UniqueFd(ends[1]);
        server_ = server.begin(ends[0], resumes);
        REQUIRE(server_);
        client_.reset(SSL_new(client));
        SSL_set_fd(client_.get(), ends[1]);
        SSL_set_connect_state(client_.get());
        if (ticket != nullptr)
            SSL_set_session(client_.get(), ticket);
    }

    // Has the client say something, and the server repeat it.
    std::string repeated(const std::string &text)
    {
        std::array<std::uint8_t, 100> room{};
        std::size_t count = 0;
        bool has_asked = false;
        for (int turn = 0; turn < 20; turn++) {
            has_asked = has_asked || SSL_write_ex(client_.get(), text.data(), text.size(), &count);
            if (const ssize_t size = server_->receive(room); size > 0)
                CHECK(server_->send(std::span(room).first(static_cast<std::size_t>(size))) == size);
            else
                CHECK((size == -1 && errno == EAGAIN));
            if (has_asked && SSL_read_ex(client_.get(), room.data(), room.size(), &count) == 1)
                return {room.begin(), room.begin() + count};
        }
        return "nothing";
    }

    TlsSession &server() { return *server_; }
    SSL *client() { return client_.get(); }
    [[nodiscard]] int client_socket() const { return client_end_.get(); }
    // Returns a ticket for another connection; null if the server gave none.
    Ticket ticket()
    {
        Ticket ticket(SSL_get1_session(client_.get()));
        if (SSL_SESSION_is_resumable(ticket.get()) == 0)
            return nullptr;
        return ticket;
    }

private:
    UniqueFd server_end_;
    UniqueFd client_end_;
    std::unique_ptr<TlsSession> server_;
    Tls client_;
};

struct Bench {
    ScratchDirectory directory;
    Identity identity{directory, "one"};
    TlsServer server{identity.setup};
    Context client{SSL_CTX_new(TLS_client_method())};
};

} // namespace

TEST_CASE("octets pass, and a ticket spares a handshake")
{
    Bench bench;
    const int version = GENERATE(TLS1_2_VERSION, TLS1_3_VERSION);
    REQUIRE(SSL_CTX_set_max_proto_version(bench.client.get(), version) == 1);
    Connection first(bench.server, bench.client.get(), true, nullptr);
    CHECK(first.repeated("one") == "one");
    CHECK(bench.server.counts().full == 1);
    const Ticket ticket = first.ticket();
    REQUIRE(ticket);

    Connection second(bench.server, bench.client.get(), true, ticket.get());
    CHECK(second.repeated("two") == "two");
    CHECK(bench.server.counts().resumed == 1);

    const Ticket newer = version == TLS1_3_VERSION ? second.ticket() : nullptr;
    Connection third(bench.server, bench.client.get(), false, newer ? newer.get() : ticket.get());
    CHECK(third.repeated("three") == "three");
    CHECK(bench.server.counts().resumed == 1);
    CHECK(bench.server.counts().full == 2);
    CHECK(!third.ticket());
    CHECK(bench.server.counts().failed == 0);
}

TEST_CASE("the client is told that no more octets come")
{
    Bench bench;
    Connection connection(bench.server, bench.client.get(), true, nullptr);
    REQUIRE(connection.repeated("one") == "one");
    connection.server().end();
    std::array<std::uint8_t, 10> room{};
    std::size_t count = 0;
    const int result = SSL_read_ex(connection.client(), room.data(), room.size(), &count);
    CHECK(SSL_get_error(connection.client(), result) == SSL_ERROR_ZERO_RETURN);
}

TEST_CASE("a handshake that is none fails")
{
    Bench bench;
    Connection connection(bench.server, bench.client.get(), true, nullptr);
    std::array<std::uint8_t, 10> room{};
    REQUIRE(send(connection.client_socket(), "GET / HTTP/1.1\r\n\r\n", 18, 0) == 18);
    CHECK(connection.server().receive(room) == -1);
    CHECK(errno == ECONNRESET);
    CHECK(bench.server.counts().failed == 1);
    CHECK(bench.server.counts().full == 0);
}

TEST_CASE("files that do not do are named with their options")
{
    const ScratchDirectory directory;
    const Identity one(directory, "one");
    const Identity other(directory, "other");
    TlsSetup setup = one.setup;
    setup.certificate = "/nowhere/certificate";
    CHECK_THROWS_WITH(TlsServer(setup), Catch::StartsWith("--tls-certificate /nowhere/certificate: "
                                                          "No such file"));
    CHECK_THROWS_WITH(TlsServer({.certificate = one.setup.key, .key = one.setup.key}),
                      Catch::StartsWith("--tls-certificate "));
    CHECK_THROWS_WITH(TlsServer({.certificate = one.setup.certificate, .key = other.setup.key}),
                      Catch::StartsWith("--tls-key " + other.setup.key + ": "));
    CHECK_THROWS_AS(TlsServer(setup), SetupError);
}

TEST_CASE("a certificate of the server's own making vouches for itself and for flawed ones")
{
    TlsServer server({.is_self_signed = true});
    const Context client(SSL_CTX_new(TLS_client_method()));
    Connection first(server, client.get(), true, nullptr);
    REQUIRE(first.repeated("one") == "one");
    const Certificate own(SSL_get1_peer_certificate(first.client()));
    REQUIRE(X509_STORE_add_cert(SSL_CTX_get_cert_store(client.get()), own.get()) == 1);
    const auto verified = [&](std::optional<CertificateFlaw> flaw) {
        Connection connection(server, client.get(), true, nullptr);
        SSL_set1_host(connection.client(), "dns64perf.test");
        if (flaw)
            server.give_flawed(connection.server(), *flaw);
        CHECK(connection.repeated("two") == "two");
        return SSL_get_verify_result(connection.client());
    };
    CHECK(verified(std::nullopt) == X509_V_OK);
    CHECK(verified(CertificateFlaw::expired) == X509_V_ERR_CERT_HAS_EXPIRED);
    CHECK(verified(CertificateFlaw::other_name) == X509_V_ERR_HOSTNAME_MISMATCH);
    CHECK(verified(std::nullopt) == X509_V_OK);
}
