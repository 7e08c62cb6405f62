// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names as text in lists, files of fates and messages. A text has the escapes of RFC 1035 section
// 5.1: "\." or "\046" for a dot within a label.
#pragma once

#include "wire/dns.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dnsgauge
{

// A name in wire form, root included.
struct NameOfText {
    std::array<std::uint8_t, DNS_NAME_MAX> octets{};
    std::size_t size = 0;

    [[nodiscard]] std::span<const std::uint8_t> wire() const { return {octets.data(), size}; }
};

// Reads an absolute name, with or without the last dot, into the empty `name`; "." and "" are the
// root. Letters stay as they are. Returns what is wrong, or null.
[[nodiscard]] const char *read_name(std::string_view text, NameOfText &name);

// Returns the name with its last dot. read_name() reads the text; the text has no blanks, commas,
// semicolons, number signs or quotation marks.
[[nodiscard]] std::string name_text(std::span<const std::uint8_t> wire);

// Writes the name of the test namespace that `address` has in `zone`, without a last dot. Returns
// the text's end.
char *put_test_name(char *end, std::uint32_t address, std::string_view zone);

} // namespace dnsgauge
