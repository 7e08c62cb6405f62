// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TLS for the connections of one lane, by OpenSSL, which sees no socket: octets come in, and octets
// go out.
//
// All connections share the memory for octets on their way. The caller must take outgoing octets
// away before a call for another connection.
#pragma once

#include "result/connections.h"
#include "system/freed_by.h"
#include "system/unique_fd.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

struct bio_method_st;
struct bio_st;
struct ssl_ctx_st;
struct ssl_session_st;
struct ssl_st;

extern "C" {
void BIO_meth_free(bio_method_st *method);
void SSL_CTX_free(ssl_ctx_st *context);
void SSL_SESSION_free(ssl_session_st *ticket);
}

namespace dnsgauge
{

// The secrets of TLS sessions, for programs that decode captures: lines in the format of
// SSLKEYLOGFILE.
class KeyLog
{
public:
    // Opens `path` to append to it. A new file is for its owner alone. Throws SetupError.
    explicit KeyLog(const std::string &path);

    // Appends a line, which has no newline, by one system call: threads need no lock, and a process
    // that is killed loses nothing.
    void add(std::string line);

    // Returns whether a line is missing.
    [[nodiscard]] bool has_failed() const { return has_failed_; }

private:
    UniqueFd fd_;
    std::atomic<bool> has_failed_ = false;
};

// What TLS with a server is to be.
struct TlsPlan {
    std::string name{};          // the server's name, for SNI; empty means none
    std::string ca_file{};       // certificates that may vouch for the name; empty means no check
    bool reuses_tickets = false; // handshakes resume an earlier session of the lane
    // The protocol that ALPN offers the server. RFC 7858 section 3.1 does without ALPN, but servers
    // that know it expect "dot".
    std::string protocol = "dot";
    std::shared_ptr<KeyLog> keys{}; // gets all secrets; null if nobody does
};

// One connection's TLS.
struct TlsDeleter {
    void operator()(ssl_st *tls) const;
};
using TlsConnection = std::unique_ptr<ssl_st, TlsDeleter>;

class TlsClient
{
public:
    // Throws SetupError.
    explicit TlsClient(const TlsPlan &plan);
    TlsClient &operator=(TlsClient &&) = delete;

    // Returns the TLS of a new connection; null if there is no memory.
    [[nodiscard]] TlsConnection begin();

    // Hands in octets that a connection received. The caller's next calls must use them up.
    void take_in(std::span<const std::uint8_t> octets) { incoming_ = octets; }

    // Forgets what came in and what is to go out: the connection has ended.
    void forget()
    {
        incoming_ = {};
        outgoing_.clear();
    }

    enum class State { goes_on, open, closed_by_server, failed };

    // Goes on with a handshake. Returns `goes_on` as long as octets are missing.
    [[nodiscard]] State shake_hands(ssl_st &tls);

    struct Plain {
        State state = State::open;
        std::span<const std::uint8_t> octets{}; // empty if all that came in is used up
    };
    // Returns the next octets that the server sent, in `room`.
    [[nodiscard]] Plain read(ssl_st &tls, std::span<std::uint8_t> room);
    // Seals octets for the server. Returns false if TLS failed.
    [[nodiscard]] bool seal(ssl_st &tls, std::span<const std::uint8_t> octets);

    // Returns the octets to send.
    [[nodiscard]] std::vector<std::uint8_t> &outgoing() { return outgoing_; }

    // Returns whether the server has certainly seen the handshake's end. In TLS 1.3 only its later
    // messages show this.
    [[nodiscard]] static bool is_confirmed(const ssl_st &tls);
    // Returns whether the server agreed to the protocol.
    [[nodiscard]] static bool has_protocol(const ssl_st &tls);
    // Returns whether the open connection resumed an earlier session.
    [[nodiscard]] static bool is_resumed(const ssl_st &tls);
    // Returns what the open connection's handshake agreed on.
    [[nodiscard]] static TlsSuite suite_of(const ssl_st &tls);
    // Returns why the last call failed.
    [[nodiscard]] const std::string &failure() const { return failure_; }

private:
    // OpenSSL calls these for octets that it wants and that it has.
    static int pull(bio_st *bio, char *room, std::size_t size, std::size_t *count);
    static int push(bio_st *bio, const char *octets, std::size_t size, std::size_t *count);
    static int keep_ticket(ssl_st *tls, ssl_session_st *ticket);
    static void log_keys(const ssl_st *tls, const char *line);

    [[nodiscard]] State state_after(const ssl_st &tls, int result);
    void note_failure(const ssl_st &tls);

    TlsPlan plan_;
    std::unique_ptr<bio_method_st, FreedBy<BIO_meth_free>> method_;
    std::unique_ptr<ssl_ctx_st, FreedBy<SSL_CTX_free>> context_;
    std::unique_ptr<ssl_session_st, FreedBy<SSL_SESSION_free>> ticket_; // the newest one
    std::span<const std::uint8_t> incoming_;
    std::vector<std::uint8_t> outgoing_;
    std::string failure_;
};

} // namespace dnsgauge
