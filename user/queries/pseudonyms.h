// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Pseudonyms of addresses and names, which follow from a key. Replaces addresses and names in
// queries by them.
#pragma once

#include "capture/captured_message.h"
#include "dns/ip_address.h"
#include "dns/ip_prefix.h"
#include "dns/public_suffixes.h"

#include <nettle/aes.h>
#include <nettle/hmac.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dnsgauge
{

// Pseudonyms of addresses, of both families, by Crypto-PAn (Xu, Fan, Ammar, Moon:
// "Prefix-preserving IP address anonymization", ICNP 2002). If two addresses begin with the same
// bits, so do their pseudonyms.
class AddressPseudonyms
{
public:
    static constexpr std::size_t key_size = 32;

    explicit AddressPseudonyms(std::span<const std::uint8_t, key_size> key);

    [[nodiscard]] IpAddress of(const IpAddress &address);

private:
    [[nodiscard]] IpAddress compute(const IpAddress &address) const;

    aes128_ctx cipher_{};
    std::array<std::uint8_t, AES_BLOCK_SIZE> pad_{};
    std::unordered_map<std::string, IpAddress> remembered_; // by octets
};

// Pseudonyms of names, which follow from a key. A pseudonym has the same number of labels, of the
// same lengths, in small letters. The public suffix of a name ("co.uk", https://publicsuffix.org)
// stays as it is.
//
// Below the same parent, labels of up to twelve letters, digits and hyphens get different
// pseudonyms. Other labels get a hash of the same length. A label has different pseudonyms below
// different parents.
class NamePseudonyms
{
public:
    static constexpr std::size_t key_size = 32;

    // Throws SetupError if there is no list of public suffixes.
    explicit NamePseudonyms(std::span<const std::uint8_t, key_size> key);

    // Replaces a whole uncompressed name by its pseudonym.
    void replace(std::span<std::uint8_t> name);

private:
    using Octets = std::span<std::uint8_t>;

    // Returns the pseudonym of `small`, a name in small letters.
    [[nodiscard]] std::string compute(const std::string &small) const;
    // Both functions replace `label` by its pseudonym. The label belongs to a name directly below
    // `parent`, which is in small letters.
    void permute(Octets label, std::string_view parent) const;
    void hash(Octets label, std::string_view parent) const;
    [[nodiscard]] std::uint64_t permute_number(std::uint64_t number, unsigned bits,
                                               std::uint64_t tweak) const;

    PublicSuffixes suffixes_;
    hmac_sha256_ctx mac_{};
    aes128_ctx cipher_{};
    std::unordered_map<std::string, std::string> remembered_; // pseudonyms by name, in wire form
};

// Anonymises queries: addresses and names become pseudonyms, which follow only from a key. Times,
// ports, transaction IDs, types, flags and sizes stay as they are.
class Anonymiser
{
public:
    // `secret` may have any length. Addresses in the prefixes of `kept` stay as they are. Throws
    // SetupError.
    Anonymiser(std::span<const std::uint8_t> secret, std::vector<IpPrefix> kept);

    // Returns the query with pseudonyms, valid until the next call. Returns nothing for an answer,
    // because its records would show names and addresses. Returns nothing for a query that has
    // anything besides one question and at most one OPT record.
    //
    // The address in the EDNS option client subnet becomes a pseudonym. The octets of options that
    // are unknown or may identify somebody are replaced by others.
    [[nodiscard]] std::optional<CapturedMessage> pseudonym(const CapturedMessage &query);

private:
    using Octets = std::span<std::uint8_t>;

    [[nodiscard]] IpAddress address(const IpAddress &original);
    void replace_options(Octets options);
    void replace_subnet(Octets subnet);
    void replace_octets(Octets octets) const;

    hmac_sha256_ctx mac_{};
    AddressPseudonyms addresses_;
    NamePseudonyms names_;
    std::vector<IpPrefix> kept_;
    std::vector<std::uint8_t> message_;
};

// Returns what the file holds, a secret of at least 16 octets. Throws SetupError.
[[nodiscard]] std::vector<std::uint8_t> read_secret(const std::string &path);

// Returns a random secret. Throws SetupError.
[[nodiscard]] std::vector<std::uint8_t> random_secret();

} // namespace dnsgauge
