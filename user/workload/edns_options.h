// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The options of the OPT record that a list's queries have (RFC 6891 section 6.1.2).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dnsgauge
{

struct EdnsOptions {
    std::string text{};                 // as it was given
    std::vector<std::uint8_t> octets{}; // the options as they are sent, without the padding
    std::uint16_t padding_block =
        0; // queries are padded to a multiple of this size; 0: they are not

    [[nodiscard]] bool empty() const { return text.empty(); }
    // Returns how many octets the options take in a message of `size` octets without them.
    [[nodiscard]] std::size_t size_in(std::size_t size) const;
};

// Reads options with commas between them: nsid, cookie (8 random octets), cookie=HEX (8 octets),
// padding (to 128 octets), padding=BLOCK, subnet=PREFIX, CODE:HEX. Throws SetupError.
[[nodiscard]] EdnsOptions parse_edns_options(std::string_view text);

[[nodiscard]] std::string to_string(const EdnsOptions &options);

} // namespace dnsgauge
