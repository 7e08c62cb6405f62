// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/name_text.h"

#include "system/number_text.h"
#include "wire/test_name.h"

#include <fmt/format.h>

#include <algorithm>

namespace dnsgauge
{

namespace
{

// Takes the octet at the beginning of `text`: a character, or an escape, \. or \046. Returns what
// is wrong, or nothing.
const char *take_octet(std::string_view &text, std::uint8_t &octet)
{
    octet = static_cast<std::uint8_t>(text[0]);
    if (text[0] != '\\') {
        text.remove_prefix(1);
        return octet > ' ' && octet < 0x7f ? nullptr
                                           : "write other characters as \\DDD, three digits";
    }
    if (text.size() < 2)
        return "nothing follows the last backslash";
    octet = static_cast<std::uint8_t>(text[1]);
    if (!is_digit(text[1])) {
        text.remove_prefix(2);
        return nullptr;
    }
    if (text.size() < 4 || !is_digit(text[2]) || !is_digit(text[3]))
        return "three digits follow a backslash, \\000 to \\255";
    const int value = (text[1] - '0') * 100 + (text[2] - '0') * 10 + (text[3] - '0');
    if (value > 255)
        return "three digits follow a backslash, \\000 to \\255";
    octet = static_cast<std::uint8_t>(value);
    text.remove_prefix(4);
    return nullptr;
}

} // namespace

const char *read_name(std::string_view text, NameOfText &name)
{
    if (text == ".")
        text = {};
    while (!text.empty()) {
        const std::size_t length_at = name.size++;
        std::size_t length = 0;
        while (!text.empty() && text[0] != '.') {
            std::uint8_t octet = 0;
            if (const char *wrong = take_octet(text, octet))
                return wrong;
            if (++length > DNS_LABEL_MAX)
                return "a label has at most 63 octets";
            // The root takes one more.
            if (name.size + 1 >= name.octets.size())
                return "a name has at most 255 octets";
            name.octets[name.size++] = octet;
        }
        if (length == 0)
            return "a label is empty";
        name.octets[length_at] = static_cast<std::uint8_t>(length);
        if (!text.empty())
            text.remove_prefix(1);
        if (!text.empty() && name.size + 2 >= name.octets.size())
            return "a name has at most 255 octets";
    }
    name.octets[name.size++] = 0;
    return nullptr;
}

std::string name_text(std::span<const std::uint8_t> wire)
{
    // In lists of names and in zone files ';' begins a comment, in lists '#' does, too. '"' quotes
    // strings of zone files and columns of CSV, which ',' separates.
    constexpr std::string_view never_plain = ";\",#";
    std::string text;
    for (std::size_t at = 0; wire[at] != 0; at += 1 + std::size_t{wire[at]}) {
        for (const std::uint8_t octet : wire.subspan(at + 1, wire[at])) {
            const char c = static_cast<char>(octet);
            if (c == '.' || c == '\\')
                text += {'\\', c};
            else if (octet <= ' ' || octet >= 0x7f || never_plain.find(c) != std::string_view::npos)
                text += fmt::format("\\{:03}", octet);
            else
                text += c;
        }
        text += '.';
    }
    return text.empty() ? "." : text;
}

char *put_test_name(char *end, std::uint32_t address, std::string_view zone)
{
    test_name_write(reinterpret_cast<std::uint8_t *>(end), address);
    end += TEST_NAME_LABEL;
    *end++ = '.';
    return std::ranges::copy(zone, end).out;
}

} // namespace dnsgauge
