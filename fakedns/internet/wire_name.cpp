// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "internet/wire_name.h"

#include "userland/name_text.h"
#include "userland/setup_error.h"

#include <algorithm>

namespace dnsgauge
{

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
    NameOfText name;
    const char *wrong = text.empty() ? "it is empty" : read_name(text, name);
    if (wrong != nullptr)
        throw SetupError("\"{}\" is no name: {}", text, wrong);
    return WireName(name.wire());
}

void WireName::find_labels()
{
    depth_ = 0;
    for (std::size_t at = 0; octets_[at] != 0; at += 1 + std::size_t{octets_[at]})
        starts_[depth_++] = static_cast<std::uint8_t>(at);
}

} // namespace dnsgauge
