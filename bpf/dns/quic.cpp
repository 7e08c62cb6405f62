// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/quic.h"

#include "system/setup_error.h"

#include "wire/bytes.h"

#include <gnutls/crypto.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

// RFC 9001 section 4 wants TLS 1.3, and RFC 9250 section 4.1.1 the protocol "doq".
constexpr const char *tls_priority = "NORMAL:-VERS-ALL:+VERS-TLS1.3:-CIPHER-ALL:+AES-128-GCM:+AES-"
                                     "256-GCM:+CHACHA20-POLY1305:%DISABLE_TLS13_COMPAT_MODE";
constexpr std::array<unsigned char, 3> protocol{'d', 'o', 'q'};

void require(int result)
{
    if (result != 0)
        throw SetupError("cannot use GnuTLS: {}", gnutls_strerror(result));
}

constexpr ngtcp2_duration handshake_patience = 10 * NGTCP2_SECONDS;

// Appends octets until there are `whole`. Returns the number of appended ones.
std::size_t append_until(std::vector<std::uint8_t> &to, std::span<const std::uint8_t> octets,
                         std::size_t whole)
{
    const std::size_t count =
        to.size() < whole ? std::min(whole - to.size(), octets.size()) : std::size_t{0};
    to.insert(to.end(), octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(count));
    return count;
}

} // namespace

GnutlsCredentials make_quic_credentials()
{
    gnutls_certificate_credentials_t credentials = nullptr;
    require(gnutls_certificate_allocate_credentials(&credentials));
    return GnutlsCredentials(credentials);
}

GnutlsPriority make_quic_priority()
{
    gnutls_priority_t priority = nullptr;
    require(gnutls_priority_init(&priority, tls_priority, nullptr));
    return GnutlsPriority(priority);
}

GnutlsSession make_quic_session(unsigned end, ngtcp2_crypto_conn_ref &reference)
{
    gnutls_session_t session = nullptr;
    if (gnutls_init(&session, end | GNUTLS_NO_END_OF_EARLY_DATA) != 0)
        return nullptr;
    gnutls_session_set_ptr(session, &reference);
    return GnutlsSession(session);
}

bool set_up_doq(gnutls_session_t session, gnutls_priority_t priority,
                gnutls_certificate_credentials_t credentials)
{
    const gnutls_datum_t doq{.data = const_cast<unsigned char *>(protocol.data()),
                             .size = protocol.size()};
    return gnutls_priority_set(session, priority) == 0 &&
           gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials) == 0 &&
           gnutls_alpn_set_protocols(session, &doq, 1, GNUTLS_ALPN_MANDATORY) == 0;
}

bool has_chosen_doq(gnutls_session_t session)
{
    gnutls_datum_t chosen{};
    return gnutls_alpn_get_selected_protocol(session, &chosen) == 0;
}

ngtcp2_callbacks common_quic_callbacks()
{
    ngtcp2_callbacks functions{};
    functions.recv_crypto_data = ngtcp2_crypto_recv_crypto_data_cb;
    functions.encrypt = ngtcp2_crypto_encrypt_cb;
    functions.decrypt = ngtcp2_crypto_decrypt_cb;
    functions.hp_mask = ngtcp2_crypto_hp_mask_cb;
    functions.update_key = ngtcp2_crypto_update_key_cb;
    functions.delete_crypto_aead_ctx = ngtcp2_crypto_delete_crypto_aead_ctx_cb;
    functions.delete_crypto_cipher_ctx = ngtcp2_crypto_delete_crypto_cipher_ctx_cb;
    functions.get_path_challenge_data = ngtcp2_crypto_get_path_challenge_data_cb;
    functions.version_negotiation = ngtcp2_crypto_version_negotiation_cb;
    functions.rand = [](std::uint8_t *octets, std::size_t size, const ngtcp2_rand_ctx *) {
        fill_random(octets, size);
    };
    return functions;
}

ngtcp2_settings common_quic_settings(std::int64_t now)
{
    ngtcp2_settings settings;
    ngtcp2_settings_default(&settings);
    settings.initial_ts = quic_time(now);
    settings.handshake_timeout = handshake_patience;
    settings.max_tx_udp_payload_size = quic_datagram_most;
    settings.no_pmtud = 1;
    return settings;
}

void fill_random(std::uint8_t *octets, std::size_t size)
{
    static_cast<void>(gnutls_rnd(GNUTLS_RND_NONCE, octets, size));
}

ngtcp2_cid random_quic_id(std::size_t size)
{
    ngtcp2_cid id{};
    id.datalen = size;
    fill_random(id.data, size);
    return id;
}

std::int64_t quic_timer_ns(ngtcp2_conn &quic)
{
    const ngtcp2_tstamp at = ngtcp2_conn_get_expiry(&quic);
    return at > quic_time(quic_never) ? quic_never : static_cast<std::int64_t>(at);
}

std::size_t append_to_message(std::vector<std::uint8_t> &message,
                              std::span<const std::uint8_t> octets)
{
    if (message.empty())
        message.reserve(octets.size()); // usually these are all octets
    const std::size_t of_length = append_until(message, octets, doq_length_size);
    if (message.size() < doq_length_size)
        return of_length;
    return of_length + append_until(message, octets.subspan(of_length),
                                    doq_length_size + wire_get16(message.data()));
}

bool is_whole_message(std::span<const std::uint8_t> message)
{
    return message.size() >= doq_length_size &&
           message.size() == doq_length_size + wire_get16(message.data());
}

} // namespace dnsgauge
