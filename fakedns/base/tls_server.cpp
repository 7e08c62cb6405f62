// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/tls_server.h"

#include "system/setup_error.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cerrno>
#include <cstring>

namespace dnsgauge
{

namespace
{

using PrivateKey = std::unique_ptr<EVP_PKEY, FreedBy<EVP_PKEY_free>>;

constexpr long day = 86'400;   // seconds
constexpr long validity = 365; // days

[[noreturn]] void refuse()
{
    const char *const why = ERR_reason_error_string(ERR_get_error());
    throw SetupError("cannot make a certificate: {}", why == nullptr ? "no memory" : why);
}

void require(bool is_done)
{
    if (!is_done)
        refuse();
}

void set_times(X509 &certificate, long from, long until)
{
    require(X509_gmtime_adj(X509_getm_notBefore(&certificate), from) != nullptr &&
            X509_gmtime_adj(X509_getm_notAfter(&certificate), until) != nullptr);
}

void set_subject(X509 &certificate, const char *name)
{
    const std::unique_ptr<X509_NAME, FreedBy<X509_NAME_free>> made(X509_NAME_new());
    require(made &&
            X509_NAME_add_entry_by_txt(made.get(), "CN", MBSTRING_ASC,
                                       reinterpret_cast<const unsigned char *>(name), -1, -1,
                                       0) == 1 &&
            X509_set_subject_name(&certificate, made.get()) == 1);
}

void set_extension(X509 &certificate, int kind, const char *text)
{
    X509V3_CTX context{};
    X509V3_set_ctx(&context, &certificate, &certificate, nullptr, nullptr, 0);
    const std::unique_ptr<X509_EXTENSION, FreedBy<X509_EXTENSION_free>> made(
        X509V3_EXT_nconf_nid(nullptr, &context, kind, text));
    if (const int place = X509_get_ext_by_NID(&certificate, kind, -1); place >= 0)
        X509_EXTENSION_free(X509_delete_ext(&certificate, place));
    require(made && X509_add_ext(&certificate, made.get(), -1) == 1);
}

// Returns what `write` writes.
template <class Write>
std::string written(Write write)
{
    const std::unique_ptr<BIO, FreedBy<BIO_free>> memory(BIO_new(BIO_s_mem()));
    require(memory && write(memory.get()) == 1);
    char *text = nullptr;
    const long size = BIO_get_mem_data(memory.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

// Throws SetupError, which says why OpenSSL could not use the file.
[[noreturn]] void refuse_file(const std::string &option, const std::string &file)
{
    const unsigned long error = ERR_peek_error();
    const char *const why = ERR_SYSTEM_ERROR(error) ? std::strerror(ERR_GET_REASON(error))
                                                    : ERR_reason_error_string(error);
    ERR_clear_error();
    throw SetupError("{} {}: {}", option, file, why == nullptr ? "cannot be used" : why);
}

// Selects the server's protocol if the client offers it.
int select_protocol(SSL * /*tls*/, const unsigned char **selected, unsigned char *size,
                    const unsigned char *offered, unsigned offered_size, void *protocol)
{
    const auto &ours = *static_cast<const std::string *>(protocol);
    unsigned char *one = nullptr;
    if (SSL_select_next_proto(&one, size, reinterpret_cast<const unsigned char *>(ours.data()),
                              static_cast<unsigned>(ours.size()), offered,
                              offered_size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *selected = one;
    return SSL_TLSEXT_ERR_OK;
}

PrivateKey make_key()
{
    PrivateKey key(EVP_EC_gen("P-256"));
    require(key != nullptr);
    return key;
}

// Returns a self-signed certificate of dns64perf.test.
Certificate make_certificate(EVP_PKEY &key)
{
    Certificate made(X509_new());
    require(made && X509_set_version(made.get(), X509_VERSION_3) == 1 &&
            ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1) == 1 &&
            X509_set_pubkey(made.get(), &key) == 1);
    set_times(*made, -day, validity * day);
    set_subject(*made, "dns64perf.test");
    require(X509_set_issuer_name(made.get(), X509_get_subject_name(made.get())) == 1);
    set_extension(*made, NID_basic_constraints, "critical,CA:TRUE");
    set_extension(*made, NID_subject_key_identifier, "hash");
    set_extension(*made, NID_subject_alt_name, "DNS:dns64perf.test");
    require(X509_sign(made.get(), &key, EVP_sha256()) != 0);
    return made;
}

// Returns a copy of the key's certificate with a flaw, signed by that certificate. The copy has
// another subject, so that it does not look self-signed.
Certificate flawed_copy(const X509 &certificate, EVP_PKEY &key, CertificateFlaw flaw)
{
    Certificate made(X509_dup(&certificate));
    require(made && X509_set_issuer_name(made.get(), X509_get_subject_name(&certificate)) == 1);
    switch (flaw) {
    case CertificateFlaw::expired:
        set_subject(*made, "expired");
        set_times(*made, -2 * day, -day);
        break;
    case CertificateFlaw::other_name:
        set_subject(*made, "other-name.test");
        set_extension(*made, NID_subject_alt_name, "DNS:other-name.test");
        break;
    }
    require(X509_sign(made.get(), &key, EVP_sha256()) != 0);
    return made;
}

std::string to_pem(const X509 &certificate)
{
    return written([&](BIO *memory) { return PEM_write_bio_X509(memory, &certificate); });
}

std::string to_pem(const EVP_PKEY &key)
{
    return written([&](BIO *memory) {
        return PEM_write_bio_PrivateKey(memory, &key, nullptr, nullptr, 0, nullptr, nullptr);
    });
}

} // namespace

TlsServer::TlsServer(const TlsSetup &setup, std::string_view protocol)
    : context_(SSL_CTX_new(TLS_server_method()))
{
    if (!context_)
        throw SetupError("no memory for TLS");
    SSL_CTX *const context = context_.get();
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    // Needs no cache of sessions: tickets hold all that a later handshake needs.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    // Octets that wait to be sent grow and move in memory between two attempts.
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    if (!protocol.empty()) {
        protocol_ = static_cast<char>(protocol.size());
        protocol_ += protocol;
        SSL_CTX_set_alpn_select_cb(context, select_protocol, &protocol_);
    }
    if (setup.is_self_signed) {
        const PrivateKey key = make_key();
        const Certificate certificate = make_certificate(*key);
        if (SSL_CTX_use_certificate(context, certificate.get()) != 1 ||
            SSL_CTX_use_PrivateKey(context, key.get()) != 1)
            throw SetupError("OpenSSL refuses a certificate of its own making");
        return;
    }
    if (SSL_CTX_use_certificate_chain_file(context, setup.certificate.c_str()) != 1)
        refuse_file("--tls-certificate", setup.certificate);
    if (SSL_CTX_use_PrivateKey_file(context, setup.key.c_str(), SSL_FILETYPE_PEM) != 1)
        refuse_file("--tls-key", setup.key);
}

std::unique_ptr<TlsSession> TlsServer::begin(int socket, bool resumes)
{
    SSL *const tls = SSL_new(context_.get());
    if (tls == nullptr)
        return nullptr;
    auto session = std::make_unique<TlsSession>(tls, counts_);
    SSL_set_accept_state(tls);
    if (!resumes) {
        SSL_set_options(tls, SSL_OP_NO_TICKET);
        SSL_set_num_tickets(tls, 0);
    }
    return SSL_set_fd(tls, socket) == 1 ? std::move(session) : nullptr;
}

void TlsServer::give_flawed(TlsSession &session, CertificateFlaw flaw)
{
    session.use(flawed(flaw));
}

x509_st &TlsServer::flawed(CertificateFlaw flaw)
{
    Certificate &made = flawed_[flaw];
    if (!made)
        made = flawed_copy(*SSL_CTX_get0_certificate(context_.get()),
                           *SSL_CTX_get0_privatekey(context_.get()), flaw);
    return *made;
}

std::string TlsServer::chain_pem() const
{
    std::string all = to_pem(*SSL_CTX_get0_certificate(context_.get()));
    STACK_OF(X509) *others = nullptr;
    SSL_CTX_get0_chain_certs(context_.get(), &others);
    for (int i = 0; i < sk_X509_num(others); i++)
        all += to_pem(*sk_X509_value(others, i));
    return all;
}

std::string TlsServer::key_pem() const
{
    return to_pem(*SSL_CTX_get0_privatekey(context_.get()));
}

std::string TlsServer::flawed_pem(CertificateFlaw flaw)
{
    return to_pem(flawed(flaw));
}

void TlsSession::use(x509_st &certificate)
{
    SSL_use_certificate(tls_.get(), &certificate);
}

ssize_t TlsSession::receive(std::span<std::uint8_t> room)
{
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_read_ex(tls_.get(), room.data(), room.size(), &count);
    count_handshake();
    return result == 1 ? static_cast<ssize_t>(count) : failure(result);
}

ssize_t TlsSession::send(std::span<const std::uint8_t> octets)
{
    ERR_clear_error();
    std::size_t count = 0;
    const int result = SSL_write_ex(tls_.get(), octets.data(), octets.size(), &count);
    return result == 1 ? static_cast<ssize_t>(count) : failure(result);
}

// Returns what recv() and send() return for an error, and sets errno.
ssize_t TlsSession::failure(int result)
{
    const int error = SSL_get_error(tls_.get(), result);
    const bool goes_on = error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE;
    if (!goes_on && !is_open_)
        counts_.failed++;
    errno = goes_on ? EAGAIN : ECONNRESET;
    return error == SSL_ERROR_ZERO_RETURN ? 0 : -1;
}

void TlsSession::count_handshake()
{
    if (is_open_ || SSL_is_init_finished(tls_.get()) == 0)
        return;
    is_open_ = true;
    (SSL_session_reused(tls_.get()) == 1 ? counts_.resumed : counts_.full)++;
}

void TlsSession::end()
{
    ERR_clear_error();
    if (is_open_ && (SSL_get_shutdown(tls_.get()) & SSL_SENT_SHUTDOWN) == 0)
        SSL_shutdown(tls_.get());
}

bool TlsSession::awaits_room() const
{
    return !is_open_ && SSL_want_write(tls_.get());
}

} // namespace dnsgauge
