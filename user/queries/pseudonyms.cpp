// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/pseudonyms.h"

#include "queries/message_filter.h"
#include "system/random.h"
#include "system/setup_error.h"
#include "system/unique_fd.h"
#include "wire/dns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace dnsgauge
{

namespace
{

constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz0123456789-";
constexpr std::size_t permuted_most = 12; // 37^12 < 2^63
constexpr unsigned rounds = 10;

// The uses of digests.
constexpr std::string_view use_cipher("\0", 1);
constexpr std::string_view use_tweak = "\1";
constexpr std::string_view use_label = "\2";

// Reads the label as a number whose digits are the characters of the alphabet. Returns nothing if a
// character is not in the alphabet.
std::optional<std::uint64_t> number_of(std::span<const std::uint8_t> label)
{
    std::uint64_t number = 0;
    for (const std::uint8_t octet : label) {
        const std::size_t digit = alphabet.find(static_cast<char>(octet));
        if (digit == std::string_view::npos)
            return {};
        number = number * alphabet.size() + digit;
    }
    return number;
}

std::uint64_t numbers_of_size(std::size_t size)
{
    std::uint64_t numbers = 1;
    for (std::size_t i = 0; i < size; i++)
        numbers *= alphabet.size();
    return numbers;
}

constexpr std::size_t secret_least = 16;
constexpr std::size_t secret_most = 4096;
constexpr unsigned option_subnet = 8;  // RFC 7871
constexpr std::size_t subnet_head = 4; // family, prefix lengths
constexpr unsigned family_ipv4 = 1;
constexpr unsigned family_ipv6 = 2;

// NSID, DAU, DHU, N3U, EXPIRE, TCP keepalive, padding: they tell nothing about the client.
constexpr std::array<unsigned, 7> harmless_options{3, 5, 6, 7, 9, 11, 12};

using Digest = std::array<std::uint8_t, SHA256_DIGEST_SIZE>;

std::string_view text_of(std::span<const std::uint8_t> octets)
{
    return {reinterpret_cast<const char *>(octets.data()), octets.size()};
}

// Returns the digest of the texts, joined. `mac` has the key.
Digest digest(hmac_sha256_ctx mac, std::initializer_list<std::string_view> texts)
{
    for (const std::string_view text : texts)
        hmac_sha256_update(&mac, text.size(), reinterpret_cast<const std::uint8_t *>(text.data()));
    Digest digest{};
    hmac_sha256_digest(&mac, digest.size(), digest.data());
    return digest;
}

// Returns one of several keys that follow from the secret.
Digest key_of(std::span<const std::uint8_t> secret, std::string_view use)
{
    hmac_sha256_ctx mac{};
    hmac_sha256_set_key(&mac, secret.size(), secret.data());
    return digest(mac, {use});
}

// Returns the remembered value of `key`. If there is none, calls `compute` and remembers its value.
template <class Value>
const Value &remembered(std::unordered_map<std::string, Value> &values, const std::string &key,
                        const std::function<Value()> &compute)
{
    constexpr std::size_t most = 1'000'000;
    const auto found = values.find(key);
    if (found != values.end())
        return found->second;
    if (values.size() == most)
        values.clear();
    return values.emplace(key, compute()).first->second;
}

} // namespace

AddressPseudonyms::AddressPseudonyms(std::span<const std::uint8_t, key_size> key)
{
    aes128_set_encrypt_key(&cipher_, key.data());
    aes128_encrypt(&cipher_, pad_.size(), pad_.data(), key.data() + AES128_KEY_SIZE);
}

IpAddress AddressPseudonyms::compute(const IpAddress &address) const
{
    IpAddress pseudonym = address;
    std::array<std::uint8_t, AES_BLOCK_SIZE> block = pad_;
    std::array<std::uint8_t, AES_BLOCK_SIZE> output{};
    // The preceding bits, followed by the pad, decide whether a bit is flipped.
    for (std::size_t bit = 0; bit < address.octets().size() * 8; bit++) {
        aes128_encrypt(&cipher_, block.size(), output.data(), block.data());
        const std::size_t octet = bit / 8;
        const unsigned mask = 0x80U >> (bit % 8);
        if ((output[0] & 0x80U) != 0)
            pseudonym.bytes[octet] = static_cast<std::uint8_t>(pseudonym.bytes[octet] ^ mask);
        block[octet] =
            static_cast<std::uint8_t>((block[octet] & ~mask) | (address.bytes[octet] & mask));
    }
    return pseudonym;
}

IpAddress AddressPseudonyms::of(const IpAddress &address)
{
    const std::string octets(address.octets().begin(), address.octets().end());
    return remembered<IpAddress>(remembered_, octets, [&] { return compute(address); });
}

NamePseudonyms::NamePseudonyms(std::span<const std::uint8_t, key_size> key)
{
    hmac_sha256_set_key(&mac_, key.size(), key.data());
    aes128_set_encrypt_key(&cipher_, digest(mac_, {use_cipher, "cipher"}).data());
}

// A Feistel network over an even number of bits, at most 64.
std::uint64_t NamePseudonyms::permute_number(std::uint64_t number, unsigned bits,
                                             std::uint64_t tweak) const
{
    const unsigned half = bits / 2;
    const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
    std::uint64_t left = number >> half;
    std::uint64_t right = number & mask;
    for (unsigned round = 0; round < rounds; round++) {
        std::array<std::uint8_t, AES_BLOCK_SIZE> block{};
        wire_put64(block.data(), tweak);
        wire_put32(block.data() + 8, static_cast<std::uint32_t>(right));
        wire_put16(block.data() + 12, static_cast<std::uint16_t>(round));
        wire_put16(block.data() + 14, static_cast<std::uint16_t>(bits));
        aes128_encrypt(&cipher_, block.size(), block.data(), block.data());
        const std::uint64_t next = left ^ (wire_get64(block.data()) & mask);
        left = right;
        right = next;
    }
    return left << half | right;
}

void NamePseudonyms::permute(Octets label, std::string_view parent) const
{
    const std::uint64_t numbers = numbers_of_size(label.size());
    const auto needed = static_cast<unsigned>(std::bit_width(numbers - 1));
    const unsigned bits = needed + needed % 2;
    const std::uint64_t tweak = wire_get64(digest(mac_, {use_tweak, parent}).data()) + label.size();
    std::uint64_t number = *number_of(label);
    // If the number is too large for the label, permutes it again. So the whole stays a
    // permutation.
    do
        number = permute_number(number, bits, tweak);
    while (number >= numbers);
    for (std::size_t i = label.size(); i > 0; i--, number /= alphabet.size())
        label[i - 1] = static_cast<std::uint8_t>(alphabet[number % alphabet.size()]);
}

void NamePseudonyms::hash(Octets label, std::string_view parent) const
{
    std::string octets(1, '\0'); // the number of the digest; label and parent follow
    octets.append(label.begin(), label.end());
    octets.append(parent);
    Digest now{};
    for (std::size_t i = 0; i < label.size(); i++) {
        if (i % now.size() == 0) {
            octets[0] = static_cast<char>(i / now.size());
            now = digest(mac_, {use_label, octets});
        }
        // Uses no hyphen: few labels begin with one.
        label[i] = static_cast<std::uint8_t>(alphabet[now[i % now.size()] % 36]);
    }
}

std::string NamePseudonyms::compute(const std::string &small) const
{
    std::string pseudonym = small;
    const Octets name(reinterpret_cast<std::uint8_t *>(pseudonym.data()), pseudonym.size());
    for (std::size_t at = 0; name[at] != 0; at += 1 + std::size_t{name[at]}) {
        const std::span<const std::uint8_t> rest(
            reinterpret_cast<const std::uint8_t *>(small.data()) + at, small.size() - at);
        if (suffixes_.has(rest, PublicSuffixes::Section::all))
            break;
        const Octets label = name.subspan(at + 1, name[at]);
        const std::string_view parent = std::string_view(small).substr(at + 1 + label.size());
        if (label.size() <= permuted_most && number_of(label))
            permute(label, parent);
        else
            hash(label, parent);
    }
    return pseudonym;
}

void NamePseudonyms::replace(std::span<std::uint8_t> name)
{
    const std::string small = folded(name);
    std::ranges::copy(remembered<std::string>(remembered_, small, [&] { return compute(small); }),
                      name.begin());
}

Anonymiser::Anonymiser(std::span<const std::uint8_t> secret, std::vector<IpPrefix> kept)
    : addresses_(key_of(secret, "addresses")), names_(key_of(secret, "names")),
      kept_(std::move(kept))
{
    const Digest key = key_of(secret, "options");
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
    replace_octets(options); // the rest is not a whole option
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
    Digest block = digest(mac_, {text_of(octets)});
    for (std::size_t i = 0; i < octets.size(); i++) {
        if (i != 0 && i % block.size() == 0)
            block = digest(mac_, {text_of(block)});
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
