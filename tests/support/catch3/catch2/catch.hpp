// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
//
// Catch2 3, which Debian 13 has, under the names of Catch2 2.13, which Debian 12 has. CMakeLists.txt adds this
// directory to the include directories if it finds Catch2 3.
#pragma once

#include <catch2/catch_all.hpp>

namespace Catch
{
using namespace Matchers;
using TestEventListenerBase = EventListenerBase;

// Returns a matcher of texts. Catch2 3 keeps the name Contains for ranges.
inline auto Contains(const std::string &text, CaseSensitive sensitive = CaseSensitive::Yes)
{
    return Matchers::ContainsSubstring(text, sensitive);
}
} // namespace Catch

using Catch::Approx;
