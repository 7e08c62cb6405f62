// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What both ends of DNS over QUIC (RFC 9250) do in the same way, by ngtcp2 and GnuTLS.
#pragma once

#include "system/freed_by.h"

#include <gnutls/gnutls.h>
#include <ngtcp2/ngtcp2.h>
#include <ngtcp2/ngtcp2_crypto.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace dnsgauge
{

// The error codes of RFC 9250 section 8.4.
constexpr std::uint64_t doq_no_error = 0;
constexpr std::uint64_t doq_internal_error = 1;
constexpr std::uint64_t doq_protocol_error = 2;
constexpr std::uint64_t doq_request_cancelled = 3;
constexpr std::uint64_t doq_excessive_load = 4;

constexpr std::size_t doq_length_size = 2; // octets before a message
constexpr std::size_t doq_message_most = doq_length_size + 65'535;

constexpr std::size_t quic_datagram_most = 1452; // octets
constexpr std::size_t quic_id_size = 8;          // of the IDs that an end makes
constexpr std::int64_t quic_never = std::numeric_limits<std::int64_t>::max();

using Quic = std::unique_ptr<ngtcp2_conn, FreedBy<ngtcp2_conn_del>>;

using GnutlsSession = std::unique_ptr<gnutls_session_int, FreedBy<gnutls_deinit>>;
using GnutlsCredentials = std::unique_ptr<gnutls_certificate_credentials_st,
                                          FreedBy<gnutls_certificate_free_credentials>>;
using GnutlsPriority = std::unique_ptr<gnutls_priority_st, FreedBy<gnutls_priority_deinit>>;

// Throw SetupError.
[[nodiscard]] GnutlsCredentials make_quic_credentials();
[[nodiscard]] GnutlsPriority make_quic_priority();

// Returns a session of TLS for an end of a connection (GNUTLS_CLIENT or GNUTLS_SERVER); null if
// there is no memory. TLS finds the connection by `reference`, which must outlive the session.
[[nodiscard]] GnutlsSession make_quic_session(unsigned end, ngtcp2_crypto_conn_ref &reference);

// Prepares TLS for a connection: priorities, certificates, and the protocol "doq". Returns false if
// there is no memory.
[[nodiscard]] bool set_up_doq(gnutls_session_t session, gnutls_priority_t priority,
                              gnutls_certificate_credentials_t credentials);

// Returns whether both ends have agreed on the protocol "doq".
[[nodiscard]] bool has_chosen_doq(gnutls_session_t session);

// Returns the callbacks of both ends, which need no object.
[[nodiscard]] ngtcp2_callbacks common_quic_callbacks();

// Returns the settings of both ends for a connection that begins at `now`.
[[nodiscard]] ngtcp2_settings common_quic_settings(std::int64_t now);

// Fills octets that need not be secret, mostly without a system call.
void fill_random(std::uint8_t *octets, std::size_t size);
[[nodiscard]] ngtcp2_cid random_quic_id(std::size_t size);

// Times are of CLOCK_MONOTONIC.
[[nodiscard]] constexpr ngtcp2_tstamp quic_time(std::int64_t at_ns)
{
    return static_cast<ngtcp2_tstamp>(at_ns);
}
// Returns when the connection's timer is due; quic_never if not at all.
[[nodiscard]] std::int64_t quic_timer_ns(ngtcp2_conn &quic);

// Appends those octets that belong to the message, which begins with its length. Returns their
// number. Takes memory only for octets that have come.
std::size_t append_to_message(std::vector<std::uint8_t> &message,
                              std::span<const std::uint8_t> octets);

// Returns whether the message has all octets that its length says.
[[nodiscard]] bool is_whole_message(std::span<const std::uint8_t> message);

} // namespace dnsgauge
