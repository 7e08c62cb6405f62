// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/query_list.h"

#include "userland/ip_address.h"
#include "userland/number_text.h"
#include "userland/query_type.h"
#include "userland/setup_error.h"

#include "wire/question.h"

#include <algorithm>
#include <array>

namespace dnsgauge
{

namespace
{

// Types whose data hold names, which servers may compress or write in other letters.
constexpr std::array<std::uint16_t, 25> with_names{
    2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 15, 17, 18, 21, 24, 26, 30, 33, 35, 36, 38, 39, 46, 47, 107};

std::vector<std::uint8_t> address_data(const std::string &text, bool is_ipv6)
{
    const IpAddress address = parse_ip_address(text);
    if (address.is_ipv6 != is_ipv6)
        throw SetupError("{} is of the other family", text);
    return {address.octets().begin(), address.octets().end()};
}

} // namespace

bool has_plain_data(std::uint16_t type)
{
    const bool is_set = type >= DNS_TYPE_IXFR && type <= DNS_TYPE_ANY;
    return !is_set && std::ranges::find(with_names, type) == with_names.end();
}

std::vector<std::uint8_t> parse_record_data(std::uint16_t type, std::string_view text)
{
    constexpr std::uint16_t a = 1;
    constexpr std::uint16_t aaaa = 28;
    if (type == a || type == aaaa)
        return address_data(std::string(text), type == aaaa);
    if (std::ranges::find(with_names, type) != with_names.end())
        throw SetupError("a server may write the names in the data of {} in several "
                         "ways: give answers= instead",
                         query_type_text(type));
    std::optional<std::vector<std::uint8_t>> octets = read_octets(text);
    if (!octets)
        throw SetupError("\"{}\" are no octets: write two hexadecimal digits for each", text);
    if (octets->size() > QUESTION_DATA_MAX)
        throw SetupError("the data have more than {} octets: give answers= instead",
                         QUESTION_DATA_MAX);
    return *octets;
}

} // namespace dnsgauge
