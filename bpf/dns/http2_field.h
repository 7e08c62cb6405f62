// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Header fields of DNS over HTTPS (RFC 8484), for nghttp2.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <string_view>

namespace dnsgauge
{

inline constexpr std::string_view dns_message_type = "application/dns-message";

// Returns a header field for nghttp2. nghttp2 neither copies nor changes the texts, which must
// outlive the request or the response.
inline nghttp2_nv http2_field(std::string_view name, std::string_view value)
{
    const auto octets = [](std::string_view text) {
        return const_cast<std::uint8_t *>(reinterpret_cast<const std::uint8_t *>(text.data()));
    };
    return {.name = octets(name),
            .value = octets(value),
            .namelen = name.size(),
            .valuelen = value.size(),
            .flags = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

} // namespace dnsgauge
