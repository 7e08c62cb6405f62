// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/tls_layer.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <stdexcept>

namespace dnsgauge::testing
{

namespace
{

struct Free {
    void operator()(EVP_PKEY *key) const { EVP_PKEY_free(key); }
    void operator()(X509 *certificate) const { X509_free(certificate); }
    void operator()(BIO *bio) const { BIO_free(bio); }
    void operator()(X509_EXTENSION *extension) const { X509_EXTENSION_free(extension); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Certificate = std::unique_ptr<X509, Free>;

void must(bool holds)
{
    if (!holds)
        throw std::runtime_error("OpenSSL: " +
                                 std::string(ERR_reason_error_string(ERR_peek_last_error())));
}

void add_extension(X509 *certificate, int what, const std::string &value)
{
    const std::unique_ptr<X509_EXTENSION, Free> extension(
        X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str()));
    must(extension && X509_add_ext(certificate, extension.get(), -1) == 1);
}

struct Signed {
    Key key;
    Certificate certificate;
};

// Returns a certificate for a new key; null for `by`: the key signs its own certificate. Signatures
// by CAs take long to check.
Signed sign(const std::string &name, const Signed *by, bool is_ca, bool is_expired)
{
    static long serial = 0;
    Signed made{Key(EVP_EC_gen(is_ca ? "P-521" : "P-256")), Certificate(X509_new())};
    X509 *const certificate = made.certificate.get();
    must(made.key && certificate != nullptr && X509_set_version(certificate, 2) == 1);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial);
    constexpr long day = 86'400;
    X509_gmtime_adj(X509_getm_notBefore(certificate), -2 * day);
    X509_gmtime_adj(X509_getm_notAfter(certificate), is_expired ? -day : day);
    X509_NAME *const subject = X509_get_subject_name(certificate);
    must(X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                                    reinterpret_cast<const unsigned char *>(name.c_str()), -1, -1,
                                    0) == 1);
    must(X509_set_issuer_name(certificate, by != nullptr
                                               ? X509_get_subject_name(by->certificate.get())
                                               : subject) == 1);
    must(X509_set_pubkey(certificate, made.key.get()) == 1);
    if (is_ca)
        add_extension(certificate, NID_basic_constraints, "critical,CA:TRUE");
    else
        add_extension(certificate, NID_subject_alt_name, "DNS:" + name);
    must(X509_sign(certificate, by != nullptr ? by->key.get() : made.key.get(), EVP_sha256()) != 0);
    return made;
}

std::string pem_of(X509 *certificate)
{
    const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
    must(PEM_write_bio_X509(bio.get(), certificate) == 1);
    char *text = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

int choose_protocol(SSL * /*tls*/, const unsigned char **out, unsigned char *out_size,
                    const unsigned char *in, unsigned size, void *pointer)
{
    const std::string &protocol = *static_cast<const std::string *>(pointer);
    unsigned char *chosen = nullptr;
    if (SSL_select_next_proto(
            &chosen, out_size, reinterpret_cast<const unsigned char *>(protocol.data()),
            static_cast<unsigned>(protocol.size()), in, size) != OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

} // namespace

TlsLayer::TlsLayer(ssl_ctx_st *context) : tls_(SSL_new(context))
{
    must(tls_ != nullptr);
    SSL_set_bio(tls_, BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
    SSL_set_accept_state(tls_);
}

TlsLayer::~TlsLayer()
{
    SSL_set_shutdown(tls_, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(tls_);
}

std::vector<std::uint8_t> TlsLayer::outgoing()
{
    BIO *const bio = SSL_get_wbio(tls_);
    std::vector<std::uint8_t> octets(BIO_ctrl_pending(bio));
    if (!octets.empty())
        must(BIO_read(bio, octets.data(), static_cast<int>(octets.size())) ==
             static_cast<int>(octets.size()));
    return octets;
}

std::vector<std::uint8_t> TlsLayer::wrap(std::span<const std::uint8_t> octets)
{
    if (!octets.empty())
        must(SSL_write(tls_, octets.data(), static_cast<int>(octets.size())) ==
             static_cast<int>(octets.size()));
    return outgoing();
}

ServedLayer::Unwrapped TlsLayer::unwrap(std::span<const std::uint8_t> octets)
{
    must(BIO_write(SSL_get_rbio(tls_), octets.data(), static_cast<int>(octets.size())) ==
         static_cast<int>(octets.size()));
    Unwrapped all;
    std::array<std::uint8_t, 4096> room{};
    ERR_clear_error();
    int count = 0;
    while ((count = SSL_read(tls_, room.data(), static_cast<int>(room.size()))) > 0)
        all.octets.insert(all.octets.end(), room.begin(), room.begin() + count);
    all.is_open = SSL_get_error(tls_, count) == SSL_ERROR_WANT_READ;
    all.reply = outgoing();
    return all;
}

std::vector<std::uint8_t> TlsLayer::update_keys()
{
    must(SSL_key_update(tls_, SSL_KEY_UPDATE_REQUESTED) == 1 && SSL_do_handshake(tls_) == 1);
    return outgoing();
}

std::vector<std::uint8_t> TlsLayer::send_ticket()
{
    must(SSL_new_session_ticket(tls_) == 1 && SSL_do_handshake(tls_) == 1);
    return outgoing();
}

std::vector<std::uint8_t> TlsLayer::renegotiate()
{
    must(SSL_renegotiate(tls_) == 1 && SSL_do_handshake(tls_) == 1);
    return outgoing();
}

std::vector<std::uint8_t> TlsLayer::close_notify()
{
    SSL_shutdown(tls_);
    return outgoing();
}

bool TlsLayer::is_resumed() const
{
    return SSL_session_reused(tls_) == 1;
}

std::string TlsLayer::server_name() const
{
    const char *const name = SSL_get_servername(tls_, TLSEXT_NAMETYPE_host_name);
    return name != nullptr ? name : "";
}

TlsService::TlsService(const TlsWish &wish)
    : context_(SSL_CTX_new(TLS_server_method())),
      protocol_(static_cast<char>(wish.protocol.size()) + wish.protocol)
{
    must(context_ != nullptr);
    Signed above = sign("the root", nullptr, true, false);
    root_ = pem_of(above.certificate.get());
    std::vector<Certificate> chain;
    for (unsigned i = 0; i < wish.intermediates; i++) {
        Signed next = sign("number " + std::to_string(i), &above, true, false);
        chain.insert(chain.begin(), Certificate(X509_dup(next.certificate.get())));
        above = std::move(next);
    }
    const Signed server = sign(wish.name, &above, false, wish.is_expired);
    must(SSL_CTX_use_certificate(context_, server.certificate.get()) == 1 &&
         SSL_CTX_use_PrivateKey(context_, server.key.get()) == 1);
    for (const Certificate &one : chain)
        must(SSL_CTX_add1_chain_cert(context_, one.get()) == 1);
    if (wish.is_tls12)
        SSL_CTX_set_max_proto_version(context_, TLS1_2_VERSION);
    if (!wish.resumes)
        SSL_CTX_set_num_tickets(context_, 0);
    if (!wish.protocol.empty())
        SSL_CTX_set_alpn_select_cb(context_, choose_protocol, &protocol_);
}

TlsService::~TlsService()
{
    SSL_CTX_free(context_);
}

TcpServer::MakeLayer TlsService::layers() const
{
    return [this] { return std::make_unique<TlsLayer>(context_); };
}

} // namespace dnsgauge::testing
