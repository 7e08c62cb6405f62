// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "server/stream_options.h"

#include "wire/dns.h"

#include <algorithm>

namespace dnsgauge
{

StreamOptions::Wish StreamOptions::wish_of(std::span<const std::uint8_t> query) const
{
    Wish wish;
    dns_query read{};
    // The reader writes nothing. The kernel's programs have no pointers to constant octets.
    auto *const begin = const_cast<std::uint8_t *>(query.data());
    if ((keepalive == 0 && !pads) ||
        dns_read_query({begin, begin + query.size()}, 0, &read) != DNS_QUERY_GOOD ||
        read.has_edns == 0)
        return wish;
    std::span<const std::uint8_t> options = query.subspan(
        DNS_HEADER_SIZE + std::size_t{read.name_length} + DNS_QUESTION_TAIL + DNS_OPT_SIZE);
    while (options.size() >= DNS_OPTION_HEAD) {
        const unsigned code = wire_get16(options.data());
        const std::size_t size = DNS_OPTION_HEAD + wire_get16(options.data() + 2);
        wish.keepalive = wish.keepalive || (code == DNS_OPTION_KEEPALIVE && keepalive != 0);
        wish.padding = wish.padding || (code == DNS_OPTION_PADDING && pads);
        options = options.subspan(std::min(size, options.size()));
    }
    return wish;
}

std::size_t StreamOptions::add(const Wish &wish, std::span<std::uint8_t> buffer,
                               std::size_t length) const
{
    if ((!wish.keepalive && !wish.padding) || length < DNS_HEADER_SIZE + DNS_OPT_SIZE)
        return length;
    std::uint8_t *const opt = &buffer[length - DNS_OPT_SIZE];
    if (opt[0] != 0 || wire_get16(opt + 1) != DNS_TYPE_OPT || wire_get16(opt + 9) != 0)
        return length;
    std::size_t end = length;
    const auto put = [&](std::size_t number) {
        wire_put16(&buffer[end], static_cast<std::uint16_t>(number));
        end += 2;
    };
    if (wish.keepalive) {
        put(DNS_OPTION_KEEPALIVE);
        put(2);
        put(keepalive);
    }
    if (wish.padding) {
        const std::size_t over = (end + DNS_OPTION_HEAD) % block;
        const std::size_t padding = over == 0 ? 0 : block - over;
        put(DNS_OPTION_PADDING);
        put(padding);
        std::ranges::fill(buffer.subspan(end, padding), std::uint8_t{0});
        end += padding;
    }
    wire_put16(opt + 9, static_cast<std::uint16_t>(end - length));
    return end;
}

} // namespace dnsgauge
