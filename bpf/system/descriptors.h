// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Descriptors for connections, beside a program's own: without the latter a program could neither
// look at its interfaces nor read its configuration.
#pragma once

#include <cstddef>
#include <optional>

namespace dnsgauge
{

// Why a process cannot have as many descriptors as it needs.
struct DescriptorShortage {
    std::size_t needed = 0;
    std::size_t most = 0;            // that the process may have
    std::size_t for_connections = 0; // of these
};

// Lets this process open `connections` more descriptors, twice as many others as it has now
// (programs may replace others), and some to spare. Raises the limit of open files (RLIMIT_NOFILE)
// if need be. Returns what is in the way of that; then the limit stays as it was. Throws SetupError
// if the open files cannot be counted. Call this when the set-up is over.
[[nodiscard]] std::optional<DescriptorShortage> reserve_descriptors(std::size_t connections);

} // namespace dnsgauge
