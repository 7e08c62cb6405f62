// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes any bytes to a file, for targets that read a file by its name.
#pragma once

#include "support/scratch_directory.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace dnsgauge::testing
{

inline std::string_view text_of(std::span<const std::uint8_t> bytes)
{
    return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

// Returns the path of a file of this name that holds `content`, until the next call with that name.
inline std::string file_of(std::string_view name, std::string_view content)
{
    static const ScratchDirectory scratch;
    write_file(scratch.file(name), content);
    return scratch.file(name);
}

} // namespace dnsgauge::testing
