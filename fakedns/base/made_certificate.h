// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Keys and certificates that a server makes itself, by OpenSSL: a sound one, and others that are
// wrong in known ways.
#pragma once

#include "userland/freed_by.h"

#include <memory>
#include <string>

struct evp_pkey_st;
struct x509_st;

extern "C" {
void EVP_PKEY_free(evp_pkey_st *key);
void X509_free(x509_st *certificate);
}

namespace dnsgauge
{

using PrivateKey = std::unique_ptr<evp_pkey_st, FreedBy<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<x509_st, FreedBy<X509_free>>;

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
