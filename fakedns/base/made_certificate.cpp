// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/made_certificate.h"

#include "userland/setup_error.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace dnsgauge
{

namespace
{

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

} // namespace

PrivateKey make_key()
{
    PrivateKey key(EVP_EC_gen("P-256"));
    require(key != nullptr);
    return key;
}

Certificate make_certificate(evp_pkey_st &key)
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

// A subject of its own makes the copy another certificate, which does not vouch for itself.
Certificate flawed_copy(const x509_st &certificate, evp_pkey_st &key, CertificateFlaw flaw)
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

std::string to_pem(const x509_st &certificate)
{
    return written([&](BIO *memory) { return PEM_write_bio_X509(memory, &certificate); });
}

std::string to_pem(const evp_pkey_st &key)
{
    return written([&](BIO *memory) {
        return PEM_write_bio_PrivateKey(memory, &key, nullptr, nullptr, 0, nullptr, nullptr);
    });
}

} // namespace dnsgauge
