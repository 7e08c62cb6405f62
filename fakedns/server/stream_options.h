// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// EDNS options of answers over connections, for queries that have the same options:
// edns-tcp-keepalive (RFC 7828), and padding inside TLS (RFC 7830).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dnsgauge
{

struct StreamOptions {
    std::uint16_t keepalive = 0; // tenths of a second until an idle connection is closed; 0: none
    bool pads = false;

    static constexpr std::size_t block = 468; // RFC 8467 section 4.1
    // Returns how many octets the options take at most.
    [[nodiscard]] std::size_t most() const
    {
        constexpr std::size_t keepalive_size = 6;
        constexpr std::size_t padding_size = 4 + block;
        return keepalive_size + (pads ? padding_size : 0);
    }

    // The options that a query has, and its answer gets.
    struct Wish {
        bool keepalive = false;
        bool padding = false;
    };
    [[nodiscard]] Wish wish_of(std::span<const std::uint8_t> query) const;

    // Adds options to the answer in the first `length` octets of `buffer`, which has room for
    // most() more, if the answer ends with an OPT record without any. Returns the new length.
    [[nodiscard]] std::size_t add(const Wish &wish, std::span<std::uint8_t> buffer,
                                  std::size_t length) const;
};

} // namespace dnsgauge
