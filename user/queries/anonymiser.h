// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Anonymises queries: addresses and names become pseudonyms, which follow from a key alone. Times,
// ports, transaction IDs, types, flags and sizes stay.
#pragma once

#include "capture/captured_message.h"
#include "queries/pseudonyms.h"
#include "userland/ip_prefix.h"

#include <nettle/hmac.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

class Anonymiser
{
public:
    // `secret` is of any length. Addresses in the prefixes of `kept` stay as they are. Throws
    // SetupError.
    Anonymiser(std::span<const std::uint8_t> secret, std::vector<IpPrefix> kept);

    // Returns the query with pseudonyms, valid until the next call. Returns nothing for answers,
    // whose records would show names and addresses, and for queries with anything but one question
    // and at most one OPT record.
    //
    // The address in the EDNS option client subnet becomes a pseudonym. Options that are unknown,
    // or may identify somebody, get as many other octets.
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
