// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/edns_options.h"

#include "dns/ip_prefix.h"
#include "system/listed.h"
#include "system/number_text.h"
#include "system/random.h"
#include "system/setup_error.h"
#include "workload/query.h"
#include "workload/query_message.h"

#include "wire/dns.h"

#include <set>

namespace dnsgauge
{

namespace
{

constexpr std::uint16_t nsid_code = 3;       // RFC 5001
constexpr std::uint16_t subnet_code = 8;     // RFC 7871
constexpr std::uint16_t cookie_code = 10;    // RFC 7873
constexpr std::uint16_t usual_padding = 128; // RFC 8467 section 4.1
constexpr std::size_t cookie_size = 8;

std::vector<std::uint8_t> octets_of(std::string_view word, std::string_view hex)
{
    if (const auto octets = read_octets(hex))
        return *octets;
    throw SetupError("\"{}\": write octets as two hexadecimal digits each", word);
}

void put_option(std::vector<std::uint8_t> &octets, std::uint16_t code,
                std::span<const std::uint8_t> data)
{
    OctetWriter writer(octets);
    writer.put16(code);
    writer.put16(data.size());
    writer.put(data);
}

std::vector<std::uint8_t> random_cookie()
{
    std::vector<std::uint8_t> cookie(cookie_size);
    fill_randomly(std::as_writable_bytes(std::span(cookie)));
    return cookie;
}

// A prefix without the octets after it (RFC 7871 section 6).
std::vector<std::uint8_t> subnet_data(const IpPrefix &prefix)
{
    const std::uint8_t family = prefix.first.is_ipv6 ? 2 : 1;
    std::vector<std::uint8_t> data = {0, family, static_cast<std::uint8_t>(prefix.length), 0};
    data.insert(data.end(), prefix.first.bytes.begin(),
                prefix.first.bytes.begin() + (prefix.length + 7) / 8);
    return data;
}

constexpr std::string_view client_word = "client";

EdnsOptions::ClientSubnet read_client_subnet(std::string_view word, std::string_view bits)
{
    EdnsOptions::ClientSubnet subnet;
    if (bits.empty())
        return subnet;
    const std::size_t second = bits.find('/', 1);
    const std::optional<unsigned> ipv4 =
        bits[0] == '/' ? read_number(bits.substr(1, second - 1), 32) : std::nullopt;
    const std::optional<unsigned> ipv6 =
        second != std::string_view::npos ? read_number(bits.substr(second + 1), 128) : std::nullopt;
    if (!ipv4 || !ipv6)
        throw SetupError("\"{}\": write subnet=client, or with the bits of IPv4 and "
                         "of IPv6 addresses that are sent: subnet=client/24/56",
                         word);
    return {.ipv4 = *ipv4, .ipv6 = *ipv6};
}

// Returns the subnet of the client, whose other bits are zero.
IpPrefix subnet_of(const IpAddress &client, const EdnsOptions::ClientSubnet &lengths)
{
    return masked({.first = client, .length = client.is_ipv6 ? lengths.ipv6 : lengths.ipv4});
}

// Appends the options of an OPT record's data to `octets`, but not the options with codes that are
// there already. Returns false if the data are no options.
bool keep_others(std::span<const std::uint8_t> data, bool without_padding,
                 std::vector<std::uint8_t> &octets)
{
    std::set<unsigned> codes;
    if (without_padding)
        codes.insert(DNS_OPTION_PADDING);
    for (std::size_t at = 0; at < octets.size();
         at += DNS_OPTION_HEAD + wire_get16(&octets[at + 2]))
        codes.insert(wire_get16(&octets[at]));
    for (std::size_t at = 0; at < data.size();) {
        if (data.size() - at < DNS_OPTION_HEAD)
            return false;
        const std::size_t size = DNS_OPTION_HEAD + wire_get16(&data[at + 2]);
        if (data.size() - at < size)
            return false;
        if (!codes.contains(wire_get16(&data[at])))
            octets.insert(octets.end(), &data[at], &data[at] + size);
        at += size;
    }
    return true;
}

void read_option(std::string_view word, EdnsOptions &options)
{
    const std::size_t sign = word.find_first_of("=:");
    const bool has_value = sign != std::string_view::npos;
    const std::string_view name = word.substr(0, sign);
    const std::string_view value = has_value ? word.substr(sign + 1) : std::string_view();
    if (word == "nsid") {
        put_option(options.octets, nsid_code, {});
    } else if (word == "keepalive") {
        put_option(options.octets, DNS_OPTION_KEEPALIVE, {});
        options.keepalive = true;
    } else if (name == "cookie" && (!has_value || word[sign] == '=')) {
        const std::vector<std::uint8_t> cookie =
            has_value ? octets_of(word, value) : random_cookie();
        if (cookie.size() != cookie_size)
            throw SetupError("\"{}\": a client's cookie has 8 octets", word);
        put_option(options.octets, cookie_code, cookie);
    } else if (name == "padding" && (!has_value || word[sign] == '=')) {
        const std::optional<unsigned> block =
            has_value ? read_number(value, longest_query) : usual_padding;
        if (!block || *block == 0)
            throw SetupError("\"{}\": a block has 1 to {} octets", word, longest_query);
        options.padding_block = static_cast<std::uint16_t>(*block);
    } else if (name == "subnet" && has_value && word[sign] == '=') {
        if (value.starts_with(client_word))
            options.client_subnet = read_client_subnet(word, value.substr(client_word.size()));
        else
            put_option(options.octets, subnet_code, subnet_data(parse_ip_prefix(value)));
    } else if (const auto code = read_number(name, 0xffff);
               code && has_value && word[sign] == ':') {
        put_option(options.octets, static_cast<std::uint16_t>(*code), octets_of(word, value));
    } else {
        throw SetupError("\"{}\" is no option: write nsid, cookie, cookie=HEX, keepalive, padding, "
                         "padding=BLOCK, subnet=PREFIX, subnet=client or CODE:HEX",
                         word);
    }
}

} // namespace

void put_options(const EdnsOptions &options, std::vector<std::uint8_t> &message)
{
    const std::size_t begin = message.size();
    OctetWriter(message).put(options.octets);
    if (options.padding_block != 0) {
        const std::size_t over = (message.size() + DNS_OPTION_HEAD) % options.padding_block;
        put_option(message, DNS_OPTION_PADDING,
                   std::vector<std::uint8_t>(over == 0 ? 0 : options.padding_block - over));
    }
    wire_put16(&message[begin - 2], static_cast<std::uint16_t>(message.size() - begin));
}

EdnsOptions parse_edns_options(std::string_view text)
{
    EdnsOptions options{.text = std::string(text)};
    for (const std::string_view option : split(text))
        read_option(option, options);
    // The padding comes last, at the message's end.
    if (options.octets.size() + DNS_OPTION_HEAD + options.padding_block > longest_query / 2)
        throw SetupError("the options take more than {} octets", longest_query / 2);
    return options;
}

std::optional<std::vector<std::uint8_t>> with_options(std::span<const std::uint8_t> query,
                                                      const EdnsOptions &options,
                                                      const IpAddress &client)
{
    std::size_t end = DNS_HEADER_SIZE; // of the question
    while (query[end] != 0)
        end += 1U + query[end];
    end += 1 + DNS_QUESTION_TAIL;
    const std::uint8_t *const counts = query.data() + 6; // of answers, authorities, additionals
    if (wire_get16(counts) != 0 || wire_get16(counts + 2) != 0 || wire_get16(counts + 4) > 1)
        return std::nullopt;

    EdnsOptions mine = options;
    if (options.client_subnet)
        put_option(mine.octets, subnet_code,
                   subnet_data(subnet_of(client, *options.client_subnet)));
    std::vector<std::uint8_t> made(query.begin(), query.begin() + static_cast<long>(end));
    if (wire_get16(counts + 4) == 0) {
        OctetWriter writer(made);
        writer.put8(0);
        writer.put16(DNS_TYPE_OPT);
        writer.put16(DNS_UDP_SIZE);
        writer.put_zeros(6);
    } else {
        const std::span<const std::uint8_t> opt = query.subspan(end);
        constexpr std::size_t length_at = DNS_OPT_SIZE - 2;
        if (opt.size() < DNS_OPT_SIZE || opt[0] != 0 || wire_get16(&opt[1]) != DNS_TYPE_OPT ||
            opt.size() != std::size_t{DNS_OPT_SIZE} + wire_get16(&opt[length_at]) ||
            !keep_others(opt.subspan(DNS_OPT_SIZE), options.padding_block != 0, mine.octets))
            return std::nullopt;
        made.insert(made.end(), opt.begin(), opt.begin() + DNS_OPT_SIZE);
    }
    put_options(mine, made);
    wire_put16(&made[10], 1); // additional records
    return made;
}

std::string to_string(const EdnsOptions &options)
{
    return options.text;
}

} // namespace dnsgauge
