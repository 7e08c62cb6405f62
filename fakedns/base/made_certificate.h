// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Keys and certificates that a server makes itself, by OpenSSL: a sound one, and others that are
// wrong in known ways.
#pragma once

#include <memory>
#include <string>

struct evp_pkey_st;
struct x509_st;

namespace dnsgauge
{

struct TlsFileDeleter {
    void operator()(evp_pkey_st *key) const;
    void operator()(x509_st *certificate) const;
};
using PrivateKey = std::unique_ptr<evp_pkey_st, TlsFileDeleter>;
using Certificate = std::unique_ptr<x509_st, TlsFileDeleter>;

enum class CertificateFlaw { expired, other_name };

// All throw SetupError if OpenSSL cannot do it.
[[nodiscard]] PrivateKey make_key();
// Returns a certificate of dns64perf.test that only itself vouches for.
[[nodiscard]] Certificate make_certificate(evp_pkey_st &key);
// Returns a copy of the certificate of the key that has a flaw. The certificate vouches for it.
[[nodiscard]] Certificate flawed_copy(const x509_st &certificate, evp_pkey_st &key,
                                      CertificateFlaw flaw);
// Return the text in PEM.
[[nodiscard]] std::string to_pem(const x509_st &certificate);
[[nodiscard]] std::string to_pem(const evp_pkey_st &key);

} // namespace dnsgauge
