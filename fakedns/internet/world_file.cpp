// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "internet/world_options.h"

#include "internet/names.h"

#include "base/config_file.h"
#include "dns/fault_text.h"
#include "dns/ip_prefix.h"
#include "dns/query_type.h"
#include "system/listed.h"
#include "system/number_text.h"
#include "system/setup_error.h"
#include "system/words.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace dnsgauge
{

namespace
{

constexpr auto characters = words<ServerCharacter>({{ServerCharacter::sound, "sound"},
                                                    {ServerCharacter::lame, "lame"},
                                                    {ServerCharacter::servfail, "servfail"},
                                                    {ServerCharacter::refused, "refused"},
                                                    {ServerCharacter::silent, "silent"},
                                                    {ServerCharacter::slow, "slow"},
                                                    {ServerCharacter::no_edns, "no-edns"},
                                                    {ServerCharacter::truncating, "truncating"},
                                                    {ServerCharacter::drops_large, "drops-large"}});
static_assert(characters.end() - characters.begin() == server_characters);

constexpr unsigned places_in_all = NameHash::places;
constexpr std::uint32_t text_octets_max = 4000;
constexpr std::uint32_t records_max = 32;

std::uint32_t number(const ConfigEntry &entry, std::string_view text, std::uint32_t least,
                     std::uint32_t most)
{
    const auto value = read_number(text, most);
    if (!value || *value < least)
        throw SetupError("{}: \"{}\" is no number from {} to {}", entry.place, text, least, most);
    return *value;
}

const std::string &one(const ConfigEntry &entry)
{
    if (entry.values.size() != 1)
        throw SetupError(entry.place + ": takes one value, not an array");
    return entry.values.front();
}

// Returns the word and the share in a text such as "A 95%".
std::pair<std::string_view, std::uint16_t> word_and_share(const ConfigEntry &entry,
                                                          std::string_view text)
{
    const std::size_t space = text.find(' ');
    if (space == std::string_view::npos)
        throw SetupError("{}: \"{}\" has no share: write it like \"{} 10%\"", entry.place, text,
                         text);
    return {text.substr(0, space), parse_thousandths(entry.place, text.substr(space + 1))};
}

WeightedValues weighted_values(const ConfigEntry &entry, std::uint32_t least, std::uint32_t most)
{
    WeightedValues values;
    unsigned end = 0;
    for (const std::string &text : entry.values) {
        const auto [word, share] = word_and_share(entry, text);
        end += share;
        values.push_back({number(entry, word, least, most),
                          static_cast<std::uint16_t>(std::min(end, places_in_all))});
        if (end > places_in_all)
            break;
    }
    if (end != places_in_all)
        throw SetupError(entry.place + ": all shares together must be 100%");
    return values;
}

std::vector<TypeOdds> type_odds(const ConfigEntry &entry)
{
    std::vector<TypeOdds> odds;
    for (const std::string &text : entry.values) {
        const auto [word, share] = word_and_share(entry, text);
        const std::uint16_t type = parse_type(entry.place, word);
        if (type != DNS_TYPE_A && type != DNS_TYPE_AAAA && type != type_mx && type != type_txt &&
            type != type_https && type != type_caa)
            throw SetupError("{}: names have no {} records here: only A, AAAA, MX, TXT, HTTPS, CAA",
                             entry.place, word);
        if (std::ranges::find(odds, type, &TypeOdds::type) != odds.end())
            throw SetupError("{}: {} is given twice", entry.place, word);
        odds.push_back({type, share});
    }
    return odds;
}

IpPrefix prefix(const ConfigEntry &entry, bool is_ipv6)
{
    const std::string &text = one(entry);
    if (is_ipv6 && text.empty())
        return {};
    const unsigned least = is_ipv6 ? 32 : 8;
    const unsigned most = is_ipv6 ? 118 : 22;
    const std::optional<IpPrefix> prefix = read_ip_prefix(text);
    if (!prefix || prefix->first.is_ipv6 != is_ipv6 || prefix->length < least ||
        prefix->length > most)
        throw SetupError(
            "{}: \"{}\" is no prefix of {} with a length from {} to {}: write it like {}",
            entry.place, text, is_ipv6 ? "IPv6" : "IPv4", least, most,
            is_ipv6 ? "2001:2:0:80::/64" : "198.18.128.0/17");
    if (masked(*prefix) != *prefix)
        throw SetupError("{}: \"{}\" has bits set after the prefix", entry.place, text);
    return *prefix;
}

void set_characters(const ConfigEntry &entry, WorldOptions &options)
{
    options.characters = {};
    unsigned sum = 0;
    for (const std::string &text : entry.values) {
        const auto [word, share] = word_and_share(entry, text);
        const auto character = characters.value_of(word);
        if (!character || *character == ServerCharacter::sound)
            throw SetupError("{}: \"{}\" is none of lame, servfail, refused, silent, "
                             "slow, no-edns, truncating, drops-large",
                             entry.place, word);
        if (options.characters[static_cast<unsigned>(*character)] != 0)
            throw SetupError("{}: {} is given twice", entry.place, word);
        options.characters[static_cast<unsigned>(*character)] = share;
        sum += share;
    }
    if (sum > places_in_all)
        throw SetupError(entry.place + ": all shares together are above 100%");
}

using Setter = std::function<void(const ConfigEntry &, WorldOptions &)>;

Setter share(std::uint16_t WorldOptions::*member)
{
    return [member](const ConfigEntry &entry, WorldOptions &options) {
        options.*member = parse_thousandths(entry.place, one(entry));
    };
}

Setter count(std::uint32_t WorldOptions::*member, std::uint32_t least, std::uint32_t most)
{
    return [member, least, most](const ConfigEntry &entry, WorldOptions &options) {
        options.*member = number(entry, one(entry), least, most);
    };
}

Setter weights(WeightedValues WorldOptions::*member, std::uint32_t least, std::uint32_t most)
{
    return [member, least, most](const ConfigEntry &entry, WorldOptions &options) {
        options.*member = weighted_values(entry, least, most);
    };
}

Setter delays(LatencyQuantiles WorldOptions::*member)
{
    return [member](const ConfigEntry &entry, WorldOptions &options) {
        parse_delays(entry.place, one(entry), options.*member);
    };
}

const std::map<std::string, Setter> &setters()
{
    using Options = WorldOptions;
    static const std::map<std::string, Setter> all{
        {"seed", [](const ConfigEntry &entry, Options &options) { options.seed = one(entry); }},
        {"servers-ipv4",
         [](const ConfigEntry &entry, Options &options) { options.ipv4 = prefix(entry, false); }},
        {"servers-ipv6",
         [](const ConfigEntry &entry, Options &options) { options.ipv6 = prefix(entry, true); }},
        {"root-servers", count(&Options::root_servers, 1, 13)},
        {"hosters", count(&Options::hosters, 1, 1000)},
        {"cdns", count(&Options::cdns, 1, 1000)},
        {"servers-with-ipv6", share(&Options::servers_with_ipv6)},
        {"name-servers", weights(&Options::name_servers, 1, 4)},
        {"registered", share(&Options::registered)},
        {"suffix-zones", share(&Options::suffix_zones)},
        {"in-bailiwick", share(&Options::in_bailiwick)},
        {"absent", share(&Options::absent)},
        {"alias", share(&Options::alias)},
        {"empty", share(&Options::empty)},
        {"subzones", share(&Options::subzones)},
        {"wildcards", share(&Options::wildcards)},
        {"subzones-shared", share(&Options::subzones_shared)},
        {"alias-chain", count(&Options::alias_chain, 1, 9)},
        {"dangling", share(&Options::dangling)},
        {"types",
         [](const ConfigEntry &entry, Options &options) { options.types = type_odds(entry); }},
        {"apex-types",
         [](const ConfigEntry &entry, Options &options) { options.apex_types = type_odds(entry); }},
        {"addresses", weights(&Options::addresses, 1, records_max)},
        {"text-octets", weights(&Options::text_octets, 1, text_octets_max)},
        {"ttl", weights(&Options::ttl, 0, ttl_max)},
        {"delegation-ttl", count(&Options::delegation_ttl, 0, ttl_max)},
        {"negative-ttl", count(&Options::negative_ttl, 0, ttl_max)},
        {"latency", delays(&Options::latency)},
        {"registry-latency", delays(&Options::registry_latency)},
        {"slow-latency", delays(&Options::slow_latency)},
        {"loss", share(&Options::loss)},
        {"characters", set_characters},
    };
    return all;
}

} // namespace

WorldOptions::WorldOptions()
    : ipv4{parse_ip_address("198.18.128.0"), 17}, ipv6{parse_ip_address("2001:2:0:80::"), 64}
{
    parse_delays("latency", "lognormal:20ms:1.16", latency);
    parse_delays("registry-latency", "lognormal:10ms:0.7", registry_latency);
    parse_delays("slow-latency", "uniform:2s:4s", slow_latency);
}

WorldOptions read_world_file(const std::string &file)
{
    WorldOptions options;
    for (const ConfigEntry &entry : read_config_file(file, "--internet")) {
        const auto setter = setters().find(entry.option);
        if (setter == setters().end()) {
            std::vector<std::string> names;
            for (const auto &[name, unused] : setters())
                names.push_back(name);
            throw SetupError(
                entry.place + ": there is no such key: " +
                suggestion(entry.option, names, "the guide \"A whole Internet\" lists them"));
        }
        setter->second(entry, options);
    }
    if (options.absent + options.alias + options.empty + options.subzones > places_in_all)
        throw SetupError(file + ": absent, alias, empty and subzones together are above 100%");
    return options;
}

std::string_view to_string(ServerCharacter character)
{
    return characters.text_of(character);
}

std::uint16_t parse_type(std::string_view place, std::string_view text)
{
    if (const std::optional<std::uint16_t> type = parse_query_type(text))
        return *type;
    throw SetupError("{}: \"{}\" is no type: write a mnemonic, or TYPE123", place, text);
}

} // namespace dnsgauge
