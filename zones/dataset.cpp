// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/dataset.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace dnsgauge
{

namespace
{

constexpr std::string_view consonants = "bcdfghjklmnpqrstvwxz";
constexpr std::string_view vowels = "aeiou";
constexpr std::uint64_t syllables = consonants.size() * vowels.size();
constexpr unsigned root_servers = 13;
constexpr const char *serial = "2026010100";

// What a random number is drawn for. The draws for the same index are independent of each other.
enum class Draw : std::uint64_t {
    length,
    servers,
    has_ds,
    ds_count,
    ds_data,
    has_glue,
    address,
    has_aaaa,
    has_alias,
    hoster,
    query_kind,
    query_name,
    query_type,
    query_do,
};

// Returns a number that follows from the seed, the index and what it is drawn for, and looks random
// (the finaliser of SplitMix64).
std::uint64_t draw(std::uint64_t seed, Draw what, std::uint64_t index)
{
    std::uint64_t value = seed * 0x9e3779b97f4a7c15U + index * 0xd1b54a32d192ed03U +
                          static_cast<std::uint64_t>(what) * 0xeb44accab455d165U;
    for (int round = 0; round < 2; round++) {
        value = (value ^ value >> 30U) * 0xbf58476d1ce4e5b9U;
        value = (value ^ value >> 27U) * 0x94d049bb133111ebU;
        value ^= value >> 31U;
    }
    return value;
}

bool is_drawn(std::uint64_t seed, Draw what, std::uint64_t index, unsigned percent)
{
    return draw(seed, what, index) % 100 < percent;
}

void add_syllable(std::string &text, std::uint64_t number)
{
    text += consonants[number / vowels.size() % consonants.size()];
    text += vowels[number % vowels.size()];
}

// A delegation, and what the parent zone says about it.
struct Delegation {
    std::string name; // relative to the zone
    unsigned servers = 2;
    unsigned ds = 0;
    bool has_glue = true;
};

Delegation delegation(const DatasetSpec &spec, std::uint64_t index)
{
    const bool is_root = spec.kind == DatasetKind::root;
    Delegation found;
    found.name = dataset_label(index, spec.names);
    found.servers =
        (is_root ? 4U : 2U) +
        static_cast<unsigned>(draw(spec.seed, Draw::servers, index) % (is_root ? 3 : 2));
    if (is_drawn(spec.seed, Draw::has_ds, index, spec.ds_share))
        found.ds = is_drawn(spec.seed, Draw::ds_count, index, 10) ? 2 : 1;
    found.has_glue = is_root || is_drawn(spec.seed, Draw::has_glue, index, 50);
    return found;
}

// Addresses in the ranges for documentation and benchmarks, which nobody uses.
std::string ipv4(std::uint64_t number)
{
    return fmt::format("198.{}.{}.{}", 18 + number % 2, number >> 8U & 255U, number >> 16U & 255U);
}

std::string ipv6(std::uint64_t number)
{
    return fmt::format("2001:db8:{:x}:{:x}::{:x}", number & 0xffffU, number >> 16U & 0xffffU,
                       number >> 32U & 0xffffU);
}

std::string ds_data(const DatasetSpec &spec, std::uint64_t index, unsigned which)
{
    const auto part = [&](std::uint64_t at) {
        return draw(spec.seed, Draw::ds_data, (index * 2 + which) * 8 + at);
    };
    return fmt::format("{} {} 2 {:016X}{:016X}{:016X}{:016X}", part(4) % 65536,
                       part(5) % 2 == 0 ? 8 : 13, part(0), part(1), part(2), part(3));
}

void put_delegation(const DatasetSpec &spec, std::uint64_t index, const TextSink &sink)
{
    const Delegation of = delegation(spec, index);
    std::string text;
    for (unsigned i = 1; i <= of.servers; i++) {
        const std::string server = of.has_glue
                                       ? fmt::format("ns{}.nic.{}", i, of.name)
                                       : fmt::format("ns{}.hoster{}.example.", i,
                                                     draw(spec.seed, Draw::hoster, index) % 100);
        text += fmt::format("{} NS {}\n", of.name, server);
        if (!of.has_glue)
            continue;
        const std::uint64_t address = draw(spec.seed, Draw::address, index * 16 + i);
        text += fmt::format("{0} A {1}\n{0} AAAA {2}\n", server, ipv4(address), ipv6(address));
    }
    for (unsigned i = 0; i < of.ds; i++)
        text += fmt::format("{} 86400 DS {}\n", of.name, ds_data(spec, index, i));
    sink(text);
}

char letter(unsigned number)
{
    return static_cast<char>('a' + number);
}

void put_root_apex(const TextSink &sink)
{
    std::string text = fmt::format("$ORIGIN .\n$TTL 172800\n"
                                   "@ 86400 SOA a.root-servers.test. nstld.root-servers.test. "
                                   "{} 1800 900 604800 86400\n",
                                   serial);
    for (unsigned i = 0; i < root_servers; i++)
        text += fmt::format("@ NS {0}.root-servers.test.\n"
                            "{0}.root-servers.test. A 198.18.0.{1}\n"
                            "{0}.root-servers.test. AAAA 2001:db8::{1}\n",
                            letter(i), i + 1);
    sink(text);
}

void put_tld_apex(const DatasetSpec &spec, const TextSink &sink)
{
    std::string text = fmt::format("$ORIGIN {}\n$TTL 3600\n"
                                   "@ SOA ns1 hostmaster {} 1800 900 604800 900\n",
                                   zone_name_of(spec, 0), serial);
    for (unsigned i = 1; i <= 2; i++)
        text += fmt::format("@ NS ns{0}\nns{0} A 198.18.0.{0}\nns{0} AAAA 2001:db8::{0}\n", i);
    sink(text);
}

// What a hosted zone has besides the records that all hosted zones have.
struct Site {
    bool has_aaaa = false;
    bool www_is_alias = false; // otherwise it has its own A record
};

Site site(const DatasetSpec &spec, std::uint64_t zone)
{
    return {.has_aaaa = is_drawn(spec.seed, Draw::has_aaaa, zone, 40),
            .www_is_alias = is_drawn(spec.seed, Draw::has_alias, zone, 50)};
}

void put_site(const DatasetSpec &spec, std::uint64_t zone, const TextSink &sink)
{
    const Site with = site(spec, zone);
    const std::uint64_t address = draw(spec.seed, Draw::address, zone);
    const std::uint64_t hoster = draw(spec.seed, Draw::hoster, zone) % 100;
    std::string text = fmt::format("$ORIGIN {0}\n$TTL 3600\n"
                                   "@ SOA ns1.hoster{1}.example. hostmaster {2} 10800 3600 604800 "
                                   "3600\n"
                                   "@ NS ns1.hoster{1}.example.\n@ NS ns2.hoster{1}.example.\n"
                                   "@ A {3}\n@ MX 10 mail\nmail A {3}\n"
                                   "@ TXT \"v=spf1 mx include:hoster{1}.example -all\"\n",
                                   zone_name_of(spec, zone), hoster, serial, ipv4(address));
    if (with.has_aaaa)
        text += fmt::format("@ AAAA {}\n", ipv6(address));
    // YADIFA 2.6 cannot read "CNAME @".
    if (with.www_is_alias)
        text += fmt::format("www CNAME {}\n", zone_name_of(spec, zone));
    else
        text += fmt::format("www A {}\n", ipv4(address));
    sink(text);
}

// What a query asks, and what the reply must have.
struct Asked {
    std::string name;
    const char *type = "A";
    bool exists = true;       // the RCODE is NOERROR
    bool is_referral = false; // the answer is not authoritative, and its answer section empty
    unsigned records = 0;     // in the answer section, without signatures
    unsigned sets = 0;        // RRsets in the answer section; in a signed zone each has a signature
    bool has_opt = false;     // has an OPT record without DO, because the answer is long
};

Asked referral(const DatasetSpec &spec, std::uint64_t query, const std::string &name)
{
    static constexpr std::array types{"A", "A", "A", "AAAA", "AAAA", "MX"};
    const std::uint64_t type = draw(spec.seed, Draw::query_type, query);
    return {.name = (type >> 32U) % 2 == 0 ? name : "www." + name,
            .type = types.at(type % types.size()),
            .is_referral = true};
}

// A query of the root or of a top-level domain, for a name that exists.
Asked ask_parent(const DatasetSpec &spec, std::uint64_t query, std::uint64_t kind)
{
    const std::string zone = zone_name_of(spec, 0);
    const bool is_root = spec.kind == DatasetKind::root;
    const std::uint64_t index = draw(spec.seed, Draw::query_name, query) % spec.names;
    const Delegation of = delegation(spec, index);
    const std::string name = of.name + "." + (is_root ? "" : zone);
    constexpr std::uint64_t referrals = 80; // percent
    constexpr std::uint64_t ds = 12;
    constexpr std::uint64_t ns = 4;
    if (kind < referrals)
        return referral(spec, query, name);
    if (kind < referrals + ds)
        return {.name = name, .type = "DS", .records = of.ds, .sets = of.ds == 0 ? 0U : 1U};
    if (kind < referrals + ds + ns)
        return {.name = name, .type = "NS", .is_referral = true};
    if (kind % 2 == 0)
        return {.name = zone, .type = "SOA", .records = 1, .sets = 1};
    return {.name = zone,
            .type = "NS",
            .records = is_root ? root_servers : 2,
            .sets = 1,
            .has_opt = is_root};
}

// A query of a hosted zone, for a name that exists.
Asked ask_site(const DatasetSpec &spec, std::uint64_t query, std::uint64_t kind)
{
    const std::uint64_t zone = draw(spec.seed, Draw::query_name, query) % spec.names;
    const Site with = site(spec, zone);
    const std::string name = zone_name_of(spec, zone);
    const auto has = [](bool is_there) { return is_there ? 1U : 0U; };
    if (kind < 35)
        return {.name = name, .type = "A", .records = 1, .sets = 1};
    if (kind < 55)
        return {.name = name,
                .type = "AAAA",
                .records = has(with.has_aaaa),
                .sets = has(with.has_aaaa)};
    if (kind < 80) {
        const unsigned records = with.www_is_alias ? 2 : 1;
        return {.name = "www." + name, .type = "A", .records = records, .sets = records};
    }
    if (kind < 90)
        return {.name = name, .type = "MX", .records = 1, .sets = 1};
    if (kind < 95)
        return {.name = name, .type = "TXT", .records = 1, .sets = 1};
    return {.name = name, .type = "NS", .records = 2, .sets = 1};
}

// Every label begins with a consonant: a name that begins with a vowel does not exist.
Asked ask_nothing(const DatasetSpec &spec, std::uint64_t query)
{
    const std::uint64_t name = draw(spec.seed, Draw::query_name, query);
    const std::string label = "a" + dataset_label(name % spec.names, spec.names);
    const std::string zone =
        zone_name_of(spec, spec.kind == DatasetKind::hosting ? (name >> 32U) % spec.names : 0);
    return {.name = label + "." + (zone == "." ? "" : zone),
            .type = draw(spec.seed, Draw::query_type, query) % 3 == 0 ? "AAAA" : "A",
            .exists = false};
}

Asked ask(const DatasetSpec &spec, std::uint64_t query)
{
    const std::uint64_t kind = draw(spec.seed, Draw::query_kind, query);
    if (kind % 100 < spec.nxdomain_share)
        return ask_nothing(spec, query);
    const std::uint64_t of_existing = (kind >> 32U) % 100;
    return spec.kind == DatasetKind::hosting ? ask_site(spec, query, of_existing)
                                             : ask_parent(spec, query, of_existing);
}

} // namespace

// The syllables encode the index. The index is scattered first, so that neighbours have nothing in
// common. Up to three more syllables give labels different lengths.
std::string dataset_label(std::uint64_t index, std::uint64_t names)
{
    std::uint64_t labels = syllables * syllables;
    while (labels < names)
        labels *= syllables;
    constexpr std::uint64_t scatter = 7'368'787; // has no factor in common with any power of ten
    __extension__ using wide = unsigned __int128;
    auto rest = static_cast<std::uint64_t>((wide{index} * scatter + 4'711) % labels);
    std::string label;
    for (std::uint64_t left = labels; left > 1; left /= syllables) {
        add_syllable(label, rest % syllables);
        rest /= syllables;
    }
    std::uint64_t more = draw(0, Draw::length, index);
    for (std::uint64_t count = more % 4; count > 0; count--) {
        more /= syllables;
        add_syllable(label, more % syllables);
    }
    return label;
}

std::uint64_t zones_of(const DatasetSpec &spec)
{
    return spec.kind == DatasetKind::hosting ? spec.names : 1;
}

std::string zone_name_of(const DatasetSpec &spec, std::uint64_t zone)
{
    switch (spec.kind) {
    case DatasetKind::hosting:
        return dataset_label(zone, spec.names) + "." + spec.parent.text + ".";
    case DatasetKind::tld:
        return spec.parent.text + ".";
    case DatasetKind::root:
        break;
    }
    return ".";
}

void put_zone(const DatasetSpec &spec, std::uint64_t zone, const TextSink &sink)
{
    switch (spec.kind) {
    case DatasetKind::hosting:
        put_site(spec, zone, sink);
        return;
    case DatasetKind::tld:
        put_tld_apex(spec, sink);
        break;
    case DatasetKind::root:
        put_root_apex(sink);
        break;
    }
    for (std::uint64_t index = 0; index < spec.names; index++)
        put_delegation(spec, index, sink);
}

void put_queries(const DatasetSpec &spec, const TextSink &sink)
{
    for (std::uint64_t query = 0; query < spec.queries; query++) {
        const Asked asked = ask(spec, query);
        const bool wants_signatures =
            is_drawn(spec.seed, Draw::query_do, query, spec.dnssec_ok_share);
        const unsigned signatures = wants_signatures && spec.is_signed ? asked.sets : 0;
        sink(fmt::format("{} {}{} rcode={} answers={}{}\n", asked.name, asked.type,
                         wants_signatures ? " D"
                         : asked.has_opt  ? " E"
                                          : "",
                         asked.exists ? "NOERROR" : "NXDOMAIN", asked.records + signatures,
                         asked.is_referral ? "" : " aa"));
    }
}

} // namespace dnsgauge
