// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "internet/wire_name.h"

#include "common/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dnsgauge
{

namespace
{

[[noreturn]] void refuse(std::string_view text)
{
    throw SetupError(fmt::format("\"{}\" is no name: write it like www.example.com", text));
}

bool is_plain(std::uint8_t octet)
{
    return octet > ' ' && octet < 0x7f && octet != '.' && octet != '\\' && octet != '"' &&
           octet != ';' && octet != '(' && octet != ')' && octet != '@' && octet != '$';
}

} // namespace

WireName::WireName(NameOctets name) : length_(static_cast<std::uint8_t>(name.size()))
{
    std::ranges::transform(name, octets_.begin(),
                           [](std::uint8_t octet) { return dns_fold(octet); });
    find_labels();
}

WireName WireName::below(std::string_view label, NameOctets parent)
{
    WireName name;
    name.set(label, parent);
    return name;
}

void WireName::set(std::string_view label, NameOctets parent)
{
    octets_[0] = static_cast<std::uint8_t>(label.size());
    const auto behind = std::ranges::copy(label, octets_.begin() + 1).out;
    const auto end = std::ranges::copy(parent, behind).out;
    length_ = static_cast<std::uint8_t>(end - octets_.begin());
    find_labels();
}

WireName WireName::parse(std::string_view text)
{
    const std::string_view whole = text;
    std::array<std::uint8_t, DNS_NAME_MAX> octets{};
    std::size_t length = 0;
    if (text.ends_with('.'))
        text.remove_suffix(1);
    else if (text.empty())
        refuse(whole);
    while (!text.empty()) {
        const std::string_view label = text.substr(0, text.find('.'));
        if (label.empty() || label.size() > DNS_LABEL_MAX ||
            length + label.size() + 2 > octets.size() ||
            !std::ranges::all_of(label, [](char c) { return is_plain(static_cast<__u8>(c)); }))
            refuse(whole);
        octets[length++] = static_cast<std::uint8_t>(label.size());
        std::ranges::copy(label, octets.begin() + static_cast<std::ptrdiff_t>(length));
        length += label.size();
        if (label.size() + 1 == text.size())
            refuse(whole);
        text.remove_prefix(std::min(label.size() + 1, text.size()));
    }
    return WireName(NameOctets(octets.data(), length + 1));
}

void WireName::find_labels()
{
    depth_ = 0;
    for (std::size_t at = 0; octets_[at] != 0; at += 1 + std::size_t{octets_[at]})
        starts_[depth_++] = static_cast<std::uint8_t>(at);
}

std::string to_string(NameOctets name)
{
    if (name[0] == 0)
        return ".";
    std::string text;
    for (std::size_t at = 0; name[at] != 0; at += 1 + std::size_t{name[at]}) {
        for (const std::uint8_t octet : name.subspan(at + 1, name[at]))
            if (is_plain(octet))
                text += static_cast<char>(octet);
            else
                fmt::format_to(std::back_inserter(text), "\\{:03}", octet);
        text += '.';
    }
    return text;
}

} // namespace dnsgauge
