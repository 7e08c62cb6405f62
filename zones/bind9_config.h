// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The files with which named runs from a directory, for any kind of zone.
#pragma once

#include "common/ip_address.h"
#include "zones/server_directory.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct Bind9Spec {
    std::string directory;
    std::vector<IpAddress> listen;
    std::uint16_t port = 53;
    std::optional<unsigned> threads; // absent: named's own default
};

// Returns the set-up of named. `options` are the lines of the options block that differ between
// uses; `zone` is the statement of the one zone.
[[nodiscard]] ServerSetup bind9_server(const Bind9Spec &spec, const Account &account,
                                       const std::string &options, const std::string &zone);

} // namespace dnsgauge
