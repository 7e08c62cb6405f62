// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/zone_name.h"

#include "dns/name_text.h"
#include "system/setup_error.h"
#include "wire/answer.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

static_assert(std::tuple_size_v<decltype(ZoneName::wire)> == ANSWER_ZONE_MAX);

bool is_of_host_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

} // namespace

ZoneName parse_zone_name(std::string_view text)
{
    ZoneName name;
    name.text = text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
    std::ranges::transform(name.text, name.text.begin(), [](char c) {
        return static_cast<char>(dns_fold(static_cast<__u8>(c)));
    });
    // In wire form each label follows its length, and the root's length follows the last label.
    if (name.text.size() + 2 >= name.wire.size())
        throw SetupError("\"{}\" is no name for a zone: at most {} characters fit", text,
                         name.wire.size() - 3);
    NameOfText wire;
    if (name.text.empty() || !std::ranges::all_of(name.text, is_of_host_name) ||
        read_name(name.text, wire) != nullptr || name.text.ends_with('.'))
        throw SetupError("\"{}\" is no name for a zone: write it like dns64perf.test", text);
    std::ranges::copy(wire.wire(), name.wire.begin());
    name.length = static_cast<std::uint32_t>(wire.size);
    return name;
}

} // namespace dnsgauge
