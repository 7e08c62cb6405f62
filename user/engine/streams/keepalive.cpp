// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "streams/keepalive.h"

#include "wire/dns.h"

#include <chrono>
#include <cstddef>

namespace dnsgauge
{

namespace
{

constexpr std::chrono::milliseconds unit{100};
constexpr unsigned pointer = DNS_POINTER >> 8U; // begins a name's last two octets

using Octets = std::span<const std::uint8_t>;

// Each of these takes the first octets out. Each returns false if there are too few.
bool step(Octets &octets, std::size_t size)
{
    if (octets.size() < size)
        return false;
    octets = octets.subspan(size);
    return true;
}

bool step_over_name(Octets &octets)
{
    while (!octets.empty()) {
        const unsigned first = octets[0];
        if (first == 0 || first >= pointer)
            return step(octets, dns_name_end(first));
        if (!step(octets, 1 + first))
            return false;
    }
    return false;
}

std::optional<Nanoseconds> keepalive_among(Octets options)
{
    while (options.size() >= DNS_OPTION_HEAD) {
        const unsigned code = wire_get16(options.data());
        const std::size_t size = wire_get16(options.data() + 2);
        options = options.subspan(DNS_OPTION_HEAD);
        if (code == DNS_OPTION_KEEPALIVE && size == 2 && options.size() >= size)
            return wire_get16(options.data()) * unit;
        if (!step(options, size))
            break;
    }
    return std::nullopt;
}

} // namespace

std::optional<Nanoseconds> keepalive_of(std::span<const std::uint8_t> message)
{
    if (message.size() < DNS_HEADER_SIZE)
        return std::nullopt;
    const std::uint8_t *const counts = message.data() + 4;
    const unsigned questions = wire_get16(counts);
    const unsigned records =
        wire_get16(counts + 2) + wire_get16(counts + 4) + wire_get16(counts + 6);
    Octets rest = message.subspan(DNS_HEADER_SIZE);
    for (unsigned i = 0; i < questions; i++)
        if (!step_over_name(rest) || !step(rest, DNS_QUESTION_TAIL))
            return std::nullopt;
    for (unsigned i = 0; i < records; i++) {
        if (!step_over_name(rest) || rest.size() < DNS_RECORD_TAIL)
            return std::nullopt;
        const unsigned type = wire_get16(rest.data());
        const std::size_t size = wire_get16(rest.data() + DNS_RECORD_TAIL - 2);
        rest = rest.subspan(DNS_RECORD_TAIL);
        if (rest.size() < size)
            return std::nullopt;
        if (type == DNS_TYPE_OPT)
            return keepalive_among(rest.first(size));
        rest = rest.subspan(size);
    }
    return std::nullopt;
}

} // namespace dnsgauge
