// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/anonymiser.h"

#include "userland/random.h"
#include "userland/setup_error.h"
#include "userland/unique_fd.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace dnsgauge
{

namespace
{

constexpr std::size_t secret_least = 16;
constexpr std::size_t secret_most = 4096;
constexpr unsigned option_subnet = 8;  // RFC 7871
constexpr std::size_t subnet_head = 4; // family, prefix lengths
constexpr unsigned family_ipv4 = 1;
constexpr unsigned family_ipv6 = 2;

// NSID, DAU, DHU, N3U, EXPIRE, TCP keepalive, padding: they say nothing about the client.
constexpr std::array<unsigned, 7> harmless_options{3, 5, 6, 7, 9, 11, 12};

using Key = std::array<std::uint8_t, SHA256_DIGEST_SIZE>;

// Returns one of several keys that follow from the secret.
Key key_of(std::span<const std::uint8_t> secret, std::string_view use)
{
    hmac_sha256_ctx mac{};
    hmac_sha256_set_key(&mac, secret.size(), secret.data());
    hmac_sha256_update(&mac, use.size(), reinterpret_cast<const std::uint8_t *>(use.data()));
    Key key{};
    hmac_sha256_digest(&mac, key.size(), key.data());
    return key;
}

} // namespace

Anonymiser::Anonymiser(std::span<const std::uint8_t> secret, std::vector<IpPrefix> kept)
    : addresses_(key_of(secret, "addresses")), names_(key_of(secret, "names")),
      kept_(std::move(kept))
{
    const Key key = key_of(secret, "options");
    hmac_sha256_set_key(&mac_, key.size(), key.data());
}

IpAddress Anonymiser::address(const IpAddress &original)
{
    if (std::ranges::any_of(kept_,
                            [&](const IpPrefix &prefix) { return prefix.contains(original); }))
        return original;
    return addresses_.of(original);
}

std::optional<CapturedMessage> Anonymiser::pseudonym(const CapturedMessage &query)
{
    dns_query read{};
    if (dns_read_query(reading_cursor(query.message), 0, &read) != DNS_QUERY_GOOD)
        return {};
    message_.assign(query.message.begin(), query.message.end());
    const Octets whole = message_;
    names_.replace(whole.subspan(DNS_HEADER_SIZE, read.name_length));
    const std::size_t behind = DNS_HEADER_SIZE + std::size_t{read.name_length} + DNS_QUESTION_TAIL;
    if (read.has_edns != 0)
        replace_options(whole.subspan(behind + DNS_OPT_SIZE));
    CapturedMessage pseudonym = query;
    pseudonym.source.address = address(query.source.address);
    pseudonym.target.address = address(query.target.address);
    pseudonym.message = message_;
    return pseudonym;
}

void Anonymiser::replace_options(Octets options)
{
    while (options.size() >= DNS_OPTION_HEAD) {
        const unsigned code = wire_get16(options.data());
        const std::size_t size = wire_get16(options.data() + 2);
        options = options.subspan(DNS_OPTION_HEAD);
        const Octets option = options.first(std::min(size, options.size()));
        if (code == option_subnet && option.size() == size)
            replace_subnet(option);
        else if (std::ranges::find(harmless_options, code) == harmless_options.end())
            replace_octets(option);
        options = options.subspan(option.size());
    }
    replace_octets(options); // the rest is no whole option
}

void Anonymiser::replace_subnet(Octets subnet)
{
    const unsigned family = subnet.size() >= subnet_head ? wire_get16(subnet.data()) : 0;
    const std::size_t most = family == family_ipv6 ? 16 : family == family_ipv4 ? 4 : 0;
    const std::size_t size = subnet.size() - std::min(subnet.size(), subnet_head);
    const std::size_t bits = subnet.size() >= subnet_head ? subnet[2] : 0;
    if (size > most || size != (bits + 7) / 8) {
        replace_octets(subnet);
        return;
    }
    IpAddress original{.bytes = {}, .is_ipv6 = family == family_ipv6};
    const Octets octets = subnet.subspan(subnet_head);
    std::ranges::copy(octets, original.bytes.begin());
    const IpAddress replaced = address(original);
    std::copy_n(replaced.bytes.begin(), octets.size(), octets.begin());
    if (bits % 8 != 0)
        octets.back() = static_cast<std::uint8_t>(octets.back() & (0xff00U >> (bits % 8)));
}

void Anonymiser::replace_octets(Octets octets) const
{
    hmac_sha256_ctx with_octets = mac_;
    hmac_sha256_update(&with_octets, octets.size(), octets.data());
    Key block{};
    hmac_sha256_digest(&with_octets, block.size(), block.data());
    for (std::size_t i = 0; i < octets.size(); i++) {
        if (i != 0 && i % block.size() == 0) {
            hmac_sha256_ctx with_block = mac_;
            hmac_sha256_update(&with_block, block.size(), block.data());
            hmac_sha256_digest(&with_block, block.size(), block.data());
        }
        octets[i] = block[i % block.size()];
    }
}

std::vector<std::uint8_t> read_secret(const std::string &path)
{
    const UniqueFd file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    std::vector<std::uint8_t> secret(secret_most);
    const ssize_t got = file ? read(file.get(), secret.data(), secret.size()) : -1;
    if (got < 0)
        throw SetupError("cannot read --key {}: {}", path, std::strerror(errno));
    secret.resize(static_cast<std::size_t>(got));
    if (secret.size() < secret_least)
        throw SetupError("--key {} holds {} octets: a secret has at least {}, as "
                         "\"head -c 32 /dev/urandom >{}\" makes one",
                         path, secret.size(), secret_least, path);
    return secret;
}

std::vector<std::uint8_t> random_secret()
{
    std::vector<std::uint8_t> secret(32);
    fill_randomly(std::as_writable_bytes(std::span(secret)));
    return secret;
}

} // namespace dnsgauge
