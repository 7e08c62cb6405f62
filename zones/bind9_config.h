// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What named needs to run from a directory, whatever it is to serve.
#pragma once

#include "zones/host_address.h"
#include "zones/server_directory.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct Bind9Spec {
    std::string directory;
    std::vector<HostAddress> listen;
    std::uint16_t port = 53;
    std::optional<unsigned> threads; // absent: its own default
};

// `options` are the lines of its block of that name that are not the same for all; `zone` is its
// statement of the one zone.
[[nodiscard]] ServerSetup bind9_server(const Bind9Spec &spec, const Account &account,
                                       const std::string &options, const std::string &zone);

} // namespace dnsgauge
