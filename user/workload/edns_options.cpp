// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/edns_options.h"

#include "common/random.h"
#include "common/setup_error.h"
#include "units/ip_prefix.h"
#include "workload/query.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <span>

namespace dnsgauge
{

namespace
{

constexpr std::uint16_t nsid_code = 3;       // RFC 5001
constexpr std::uint16_t subnet_code = 8;     // RFC 7871
constexpr std::uint16_t cookie_code = 10;    // RFC 7873
constexpr std::uint16_t padding_code = 12;   // RFC 7830
constexpr std::uint16_t usual_padding = 128; // RFC 8467 section 4.1
constexpr std::size_t cookie_size = 8;
constexpr std::size_t option_head = 4; // code and length

std::optional<unsigned> whole_number(std::string_view text, unsigned most)
{
    unsigned number = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
    if (error != std::errc() || end != text.end() || number > most)
        return std::nullopt;
    return number;
}

std::vector<std::uint8_t> octets_of(std::string_view word, std::string_view hex)
{
    std::vector<std::uint8_t> octets;
    bool is_right = hex.size() % 2 == 0;
    for (std::size_t i = 0; is_right && i < hex.size(); i += 2) {
        std::uint8_t octet = 0;
        const auto [end, error] = std::from_chars(hex.data() + i, hex.data() + i + 2, octet, 16);
        is_right = error == std::errc() && end == hex.data() + i + 2;
        octets.push_back(octet);
    }
    if (!is_right)
        throw SetupError(fmt::format("\"{}\": write octets as two hexadecimal digits each", word));
    return octets;
}

void put_option(EdnsOptions &options, std::uint16_t code, std::span<const std::uint8_t> data)
{
    for (const std::size_t number : {std::size_t{code}, data.size()}) {
        options.octets.push_back(static_cast<std::uint8_t>(number >> 8U));
        options.octets.push_back(static_cast<std::uint8_t>(number));
    }
    options.octets.insert(options.octets.end(), data.begin(), data.end());
}

std::vector<std::uint8_t> random_cookie()
{
    std::vector<std::uint8_t> cookie(cookie_size);
    fill_randomly(std::as_writable_bytes(std::span(cookie)));
    return cookie;
}

// A prefix without the octets behind it (RFC 7871 section 6).
std::vector<std::uint8_t> subnet_data(const IpPrefix &prefix)
{
    const std::uint8_t family = prefix.first.is_ipv6 ? 2 : 1;
    std::vector<std::uint8_t> data = {0, family, static_cast<std::uint8_t>(prefix.length), 0};
    data.insert(data.end(), prefix.first.bytes.begin(),
                prefix.first.bytes.begin() + (prefix.length + 7) / 8);
    return data;
}

void read_option(std::string_view word, EdnsOptions &options)
{
    const std::size_t sign = word.find_first_of("=:");
    const bool has_value = sign != std::string_view::npos;
    const std::string_view name = word.substr(0, sign);
    const std::string_view value = has_value ? word.substr(sign + 1) : std::string_view();
    if (word == "nsid") {
        put_option(options, nsid_code, {});
    } else if (name == "cookie" && (!has_value || word[sign] == '=')) {
        const std::vector<std::uint8_t> cookie =
            has_value ? octets_of(word, value) : random_cookie();
        if (cookie.size() != cookie_size)
            throw SetupError(fmt::format("\"{}\": a client's cookie has 8 octets", word));
        put_option(options, cookie_code, cookie);
    } else if (name == "padding" && (!has_value || word[sign] == '=')) {
        const std::optional<unsigned> block =
            has_value ? whole_number(value, longest_query) : usual_padding;
        if (!block || *block == 0)
            throw SetupError(
                fmt::format("\"{}\": a block has 1 to {} octets", word, longest_query));
        options.padding_block = static_cast<std::uint16_t>(*block);
    } else if (name == "subnet" && has_value && word[sign] == '=') {
        put_option(options, subnet_code, subnet_data(parse_ip_prefix(value)));
    } else if (const auto code = whole_number(name, 0xffff);
               code && has_value && word[sign] == ':') {
        put_option(options, static_cast<std::uint16_t>(*code), octets_of(word, value));
    } else {
        throw SetupError(
            fmt::format("\"{}\" is no option: write nsid, cookie, cookie=HEX, padding, "
                        "padding=BLOCK, subnet=PREFIX or CODE:HEX",
                        word));
    }
}

} // namespace

std::size_t EdnsOptions::size_in(std::size_t size) const
{
    const std::size_t whole = octets.size() + (padding_block == 0 ? 0 : option_head);
    if (padding_block == 0)
        return whole;
    const std::size_t over = (size + whole) % padding_block;
    return whole + (over == 0 ? 0 : padding_block - over);
}

EdnsOptions parse_edns_options(std::string_view text)
{
    EdnsOptions options{.text = std::string(text)};
    while (true) {
        const std::size_t comma = text.find(',');
        read_option(text.substr(0, comma), options);
        if (comma == std::string_view::npos)
            break;
        text.remove_prefix(comma + 1);
    }
    // The padding is behind all others, where the message ends.
    if (options.octets.size() + option_head + options.padding_block > longest_query / 2)
        throw SetupError(fmt::format("the options take more than {} octets", longest_query / 2));
    return options;
}

std::string to_string(const EdnsOptions &options)
{
    return options.text;
}

} // namespace dnsgauge
