// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/tls_client.h"

#include "system/output_place.h"
#include "system/setup_error.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace dnsgauge
{

namespace
{

// A server cannot make one call produce more octets to send.
constexpr std::size_t outgoing_most = std::size_t{256} << 10U;

std::string reason()
{
    const unsigned long code = ERR_peek_last_error();
    const char *const text = ERR_reason_error_string(code);
    return text != nullptr ? text : "TLS failed";
}

long control(BIO * /*bio*/, int command, long /*number*/, void * /*pointer*/)
{
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

// Is used if nobody asked whether the certificate is good.
int trust_anything(X509_STORE_CTX * /*certificates*/, void * /*pointer*/)
{
    return 1;
}

TlsClient &client_of(BIO *bio)
{
    return *static_cast<TlsClient *>(BIO_get_data(bio));
}

TlsClient &client_of(const SSL &tls)
{
    return *static_cast<TlsClient *>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(&tls)));
}

} // namespace

void TlsDeleter::operator()(ssl_st *tls) const
{
    // Without this the end of the connection would make its ticket useless.
    SSL_set_shutdown(tls, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(tls);
}

TlsClient::TlsClient(const TlsPlan &plan)
    : plan_(plan), method_(BIO_meth_new(BIO_TYPE_SOURCE_SINK, "lane")),
      context_(SSL_CTX_new(TLS_client_method()))
{
    SSL_CTX *const context = context_.get();
    const std::string protocols = static_cast<char>(plan_.protocol.size()) + plan_.protocol;
    if (!method_ || context == nullptr ||
        BIO_meth_set_read_ex(method_.get(), &TlsClient::pull) != 1 ||
        BIO_meth_set_write_ex(method_.get(), &TlsClient::push) != 1 ||
        BIO_meth_set_ctrl(method_.get(), control) != 1 ||
        SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) != 1 ||
        SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char *>(protocols.data()),
                                static_cast<unsigned>(protocols.size())) != 0)
        throw SetupError("cannot use OpenSSL: {}", reason());
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_app_data(context, this);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
    SSL_CTX_sess_set_new_cb(context, &TlsClient::keep_ticket);
    if (plan_.keys)
        SSL_CTX_set_keylog_callback(context, &TlsClient::log_keys);
    if (plan_.ca_file.empty()) {
        SSL_CTX_set_cert_verify_callback(context, trust_anything, nullptr);
        return;
    }
    if (SSL_CTX_load_verify_file(context, plan_.ca_file.c_str()) != 1)
        throw SetupError("--tls-ca {}: no certificates could be read: {}", plan_.ca_file, reason());
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
}

TlsConnection TlsClient::begin()
{
    ERR_clear_error();
    TlsConnection made(SSL_new(context_.get()));
    BIO *const bio = BIO_new(method_.get());
    if (!made || bio == nullptr) {
        BIO_free(bio);
        return {};
    }
    BIO_set_data(bio, this);
    BIO_set_init(bio, 1);
    SSL_set_bio(made.get(), bio, bio);
    SSL_set_connect_state(made.get());
    if (!plan_.name.empty()) {
        const bool is_address =
            X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(made.get()), plan_.name.c_str()) == 1;
        if (!is_address && (SSL_set_tlsext_host_name(made.get(), plan_.name.c_str()) != 1 ||
                            SSL_set1_host(made.get(), plan_.name.c_str()) != 1))
            return {};
    }
    if (ticket_ && SSL_set_session(made.get(), ticket_.get()) != 1)
        return {};
    return made;
}

int TlsClient::pull(bio_st *bio, char *room, std::size_t size, std::size_t *count)
{
    std::span<const std::uint8_t> &incoming = client_of(bio).incoming_;
    BIO_clear_retry_flags(bio);
    *count = std::min(size, incoming.size());
    if (*count == 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    std::memcpy(room, incoming.data(), *count);
    incoming = incoming.subspan(*count);
    return 1;
}

int TlsClient::push(bio_st *bio, const char *octets, std::size_t size, std::size_t *count)
{
    std::vector<std::uint8_t> &outgoing = client_of(bio).outgoing_;
    BIO_clear_retry_flags(bio);
    *count = 0;
    if (outgoing.size() + size > outgoing_most)
        return -1;
    outgoing.insert(outgoing.end(), octets, octets + size);
    *count = size;
    return 1;
}

int TlsClient::keep_ticket(ssl_st *tls, ssl_session_st *ticket)
{
    TlsClient &client = client_of(*tls);
    SSL_set_app_data(tls, &client); // see is_confirmed()
    if (!client.plan_.reuses_tickets || SSL_SESSION_is_resumable(ticket) != 1)
        return 0;
    client.ticket_.reset(ticket);
    return 1;
}

void TlsClient::log_keys(const ssl_st *tls, const char *line)
{
    client_of(*tls).plan_.keys->add(line);
}

void TlsClient::note_failure(const ssl_st &tls)
{
    failure_ = reason();
    if (const long verified = SSL_get_verify_result(&tls);
        !plan_.ca_file.empty() && verified != X509_V_OK)
        failure_ += std::string(": ") + X509_verify_cert_error_string(verified);
}

TlsClient::State TlsClient::state_after(const ssl_st &tls, int result)
{
    switch (SSL_get_error(&tls, result)) {
    case SSL_ERROR_NONE:
        return State::open;
    case SSL_ERROR_WANT_READ:
        return State::goes_on;
    case SSL_ERROR_ZERO_RETURN:
        return State::closed_by_server;
    default: // OpenSSL's numbers
        note_failure(tls);
        return State::failed;
    }
}

TlsClient::State TlsClient::shake_hands(ssl_st &tls)
{
    ERR_clear_error();
    return state_after(tls, SSL_do_handshake(&tls));
}

TlsClient::Plain TlsClient::read(ssl_st &tls, std::span<std::uint8_t> room)
{
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_read_ex(&tls, room.data(), room.size(), &count);
    const State state = state_after(tls, result);
    return {.state = state == State::goes_on ? State::open : state, .octets = room.first(count)};
}

bool TlsClient::seal(ssl_st &tls, std::span<const std::uint8_t> octets)
{
    ERR_clear_error();
    std::size_t count = 0;
    if (SSL_write_ex(&tls, octets.data(), octets.size(), &count) == 1)
        return true;
    note_failure(tls);
    return false;
}

bool TlsClient::is_confirmed(const ssl_st &tls)
{
    return SSL_version(&tls) < TLS1_3_VERSION || SSL_get_app_data(&tls) != nullptr;
}

bool TlsClient::has_protocol(const ssl_st &tls)
{
    const unsigned char *protocol = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(&tls, &protocol, &length);
    return length != 0; // OpenSSL refuses a protocol that was not offered
}

bool TlsClient::is_resumed(const ssl_st &tls)
{
    return SSL_session_reused(&tls) == 1;
}

TlsSuite TlsClient::suite_of(const ssl_st &tls)
{
    const unsigned char *protocol = nullptr;
    unsigned length = 0;
    SSL_get0_alpn_selected(&tls, &protocol, &length);
    return {.version = SSL_get_version(&tls),
            .cipher = SSL_CIPHER_get_name(SSL_get_current_cipher(&tls)),
            .alpn = std::string(protocol, protocol + length),
            .connections = 1};
}

KeyLog::KeyLog(const std::string &path)
{
    const std::string name = "--key-log " + path;
    const OutputPlace place = output_place(path, name);
    fd_ = UniqueFd(openat(
        place.directory.get(), place.name.c_str(),
        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600));
    if (!fd_)
        throw_errno("cannot write " + name);
}

void KeyLog::add(std::string line)
{
    line += '\n';
    if (write(fd_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size()))
        has_failed_ = true;
}

} // namespace dnsgauge
