// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/pseudonyms.h"

#include "support/packet.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <set>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

// The key and the addresses of sample_trace_raw.dat and sample_trace_sanitized.dat, which come with
// the authors' Crypto-PAn 1.0.
constexpr std::array<std::uint8_t, 32> sample_key{
    21,  34,  23,  141, 51,  164, 207, 128, 19, 10, 91, 22, 73, 144, 125, 16,
    216, 152, 143, 131, 121, 121, 101, 39,  98, 87, 76, 45, 42, 132, 34,  2};

unsigned equal_bits(const IpAddress &a, const IpAddress &b)
{
    unsigned bits = 0;
    while (bits < 128 && ((a.bytes[bits / 8] ^ b.bytes[bits / 8]) & (0x80U >> bits % 8)) == 0)
        bits++;
    return bits;
}

std::string pseudonym(NamePseudonyms &names, Bytes name)
{
    names.replace(name);
    std::string text;
    for (std::size_t at = 0; name[at] != 0; at += 1 + std::size_t{name[at]})
        text += std::string(name.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                            name.begin() + static_cast<std::ptrdiff_t>(at) + 1 + name[at]) +
                '.';
    return text;
}

std::string pseudonym(NamePseudonyms &names, std::string_view name)
{
    return pseudonym(names, dns_name(name));
}

Bytes bytes_of(std::span<const std::uint8_t> octets)
{
    return {octets.begin(), octets.end()};
}

} // namespace

TEST_CASE("addresses get the pseudonyms of the authors' own program")
{
    AddressPseudonyms addresses(sample_key);
    const std::array<std::array<const char *, 2>, 6> sample{
        {{"128.11.68.132", "135.242.180.132"},
         {"129.118.74.4", "134.136.186.123"},
         {"130.132.252.244", "133.68.164.234"},
         {"141.223.7.43", "141.167.8.160"},
         {"141.233.145.108", "141.129.237.235"},
         {"152.163.225.39", "151.140.114.167"}}};
    for (const auto &[original, expected] : sample) {
        CHECK(to_string(addresses.of(parse_ip_address(original))) == expected);
        CHECK(to_string(addresses.of(parse_ip_address(original))) == expected);
    }
}

TEST_CASE("pseudonyms of addresses share as many bits as the addresses")
{
    AddressPseudonyms addresses(sample_key);
    for (const char *prefix : {"2001:db8::", "10.0.0.0"}) {
        const IpAddress first = parse_ip_address(prefix);
        for (unsigned bit = 0; bit < (first.is_ipv6 ? 128U : 32U); bit++) {
            IpAddress other = first;
            other.bytes[bit / 8] =
                static_cast<std::uint8_t>(other.bytes[bit / 8] ^ (0x80U >> bit % 8));
            CHECK(equal_bits(addresses.of(first), addresses.of(other)) == bit);
        }
    }
}

TEST_CASE("a name's pseudonym has its labels' lengths, and its public suffix")
{
    NamePseudonyms names(sample_key);
    for (const auto &[name, kept] : std::vector<std::pair<std::string, std::string>>{
             {"www.example.co.uk.", ".co.uk."},
             {"mail.example.org.", ".org."},
             {"a.very-long-label-of-many-letters.example.com.", ".com."},
             {"4.3.2.1.in-addr.arpa.", ".in-addr.arpa."}}) {
        const std::string found = pseudonym(names, name);
        CAPTURE(name, found);
        CHECK(found.size() == name.size());
        CHECK(found.ends_with(kept));
        CHECK(found != name);
        for (std::size_t i = 0; i < name.size(); i++)
            CHECK((found[i] == '.') == (name[i] == '.'));
    }
    CHECK(pseudonym(names, "CO.uk") == "co.uk.");
    CHECK(pseudonym(names, ".").empty());
    CHECK_FALSE(pseudonym(names, "printer.corp-secret").ends_with(".corp-secret."));
}

TEST_CASE("letters' case does not matter, parents do, and so does the key")
{
    NamePseudonyms names(sample_key);
    std::array<std::uint8_t, 32> other_key = sample_key;
    other_key[31] ^= 1;
    CHECK(pseudonym(names, "WWW.Example.ORG") == pseudonym(names, "www.example.org"));
    const std::string below = pseudonym(names, "example.org");
    CHECK(pseudonym(names, "www.example.org").ends_with("." + below));
    CHECK(pseudonym(names, "www.example.org").substr(0, 3) !=
          pseudonym(names, "www.example.net").substr(0, 3));
    NamePseudonyms others(other_key);
    CHECK(pseudonym(others, "example.org") != below);
}

TEST_CASE("no two short labels get the same pseudonym")
{
    NamePseudonyms names(sample_key);
    const std::string letters = "abcdefghijklmnopqrstuvwxyz0123456789-";
    std::set<std::string> found;
    for (const char first : letters)
        found.insert(pseudonym(names, std::string{first} + ".example.org"));
    CHECK(found.size() == 37);
    found.clear();
    for (const char first : letters)
        for (const char second : letters)
            found.insert(pseudonym(names, std::string{first, second} + ".example.org"));
    CHECK(found.size() == 37 * 37);
    found.clear();
    for (int i = 0; i < 2000; i++)
        found.insert(pseudonym(names, "host-" + std::to_string(1'000'000 + i) + ".example.org"));
    CHECK(found.size() == 2000);
}

TEST_CASE("labels of any octets and the longest names get pseudonyms of letters and digits")
{
    NamePseudonyms names(sample_key);
    Bytes odd{4, 0, '.', 0xff, '_'};
    Bytes longest;
    for (int i = 0; i < 3; i++) {
        longest.push_back(63);
        longest.insert(longest.end(), 63, 'x');
    }
    longest.push_back(61);
    longest.insert(longest.end(), 61, '_');
    for (Bytes *name : {&odd, &longest}) {
        name->push_back(0);
        const std::string found = pseudonym(names, *name);
        CHECK(found.size() == name->size() - 1);
        CHECK(found.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") ==
              std::string::npos);
    }
}

TEST_CASE("what identifies a client in EDNS options is replaced")
{
    const std::array<std::uint8_t, 16> secret{};
    Anonymiser anonymiser(secret, {parse_ip_prefix("192.0.2.53")});
    const Bytes options{0, 8,  0, 7, 0, 1, 24, 0, 192, 0, 2,    // client subnet
                        0, 10, 0, 8, 1, 2, 3,  4, 5,   6, 7, 8, // cookie
                        0, 12, 0, 3, 0, 0, 0,                   // padding
                        0, 3,  0, 0};                           // NSID
    const Bytes message = DnsMessage{.questions = {{.name = dns_name("www.example.org")}},
                                     .additionals = {dns_opt(0x8000, options)}};
    const CapturedMessage query{.time_ns = 7,
                                .source = {parse_ip_address("192.0.2.1"), 4000},
                                .target = {parse_ip_address("192.0.2.53"), 53},
                                .message = message};
    const auto found = anonymiser.pseudonym(query);
    REQUIRE(found);
    const Bytes replaced = bytes_of(found->message);
    CHECK(replaced.size() == message.size());
    CHECK(found->time_ns == 7);
    CHECK(found->target == query.target);
    CHECK(found->source.port == 4000);
    CHECK_FALSE(found->source.address == query.source.address);

    const Bytes after(replaced.end() - static_cast<std::ptrdiff_t>(options.size()), replaced.end());
    CHECK(Bytes(after.begin(), after.begin() + 8) == Bytes(options.begin(), options.begin() + 8));
    // The subnet's first 24 bits are its client's.
    CHECK(std::equal(after.begin() + 8, after.begin() + 11, found->source.address.bytes.begin()));
    CHECK(Bytes(after.begin() + 11, after.begin() + 15) == Bytes{0, 10, 0, 8});
    CHECK(Bytes(after.begin() + 15, after.begin() + 23) != Bytes{1, 2, 3, 4, 5, 6, 7, 8});
    CHECK(Bytes(after.begin() + 23, after.end()) == Bytes(options.begin() + 23, options.end()));
}

TEST_CASE("answers and odd queries get no pseudonym")
{
    const std::array<std::uint8_t, 16> secret{};
    Anonymiser anonymiser(secret, {});
    const auto refused = [&](const Bytes &message) {
        const Endpoint end{parse_ip_address("192.0.2.1"), 53};
        return !anonymiser.pseudonym({.source = end, .target = end, .message = message});
    };
    const DnsQuestion question{.name = dns_name("www.example.org")};
    CHECK_FALSE(refused(DnsMessage{.questions = {question}}));
    CHECK(refused(DnsMessage{.flags = 0x8180, .questions = {question}}));
    CHECK(refused(DnsMessage{.flags = 0x2800, .questions = {question}})); // UPDATE
    CHECK(refused(DnsMessage{.questions = {question, question}}));
    CHECK(refused(DnsMessage{.questions = {question}, .authorities = {{}}}));
}
