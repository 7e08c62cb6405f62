// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The instances of NAPI that receive an interface's packets.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace dnsgauge
{

// Returns the numbers of the interface's NAPI instances; nothing if the kernel does not tell them
// (before Linux 6.8). A thread of an instance is called "napi/INTERFACE-NUMBER"; interfaces of
// other network namespaces may have threads of the same name with other numbers. Throws SetupError
// if this process cannot talk to the kernel.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> napi_numbers(unsigned interface_index);

} // namespace dnsgauge
