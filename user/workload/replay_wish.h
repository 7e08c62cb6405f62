// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a user wants of captures that a trial plays.
#pragma once

#include "units/ip_prefix.h"
#include "units/rate.h"
#include "workload/edns_options.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct ReplayWish {
    std::vector<std::string> files;  // none: nothing is played
    std::uint16_t port = 53;         // of the servers in the captures
    std::optional<IpAddress> server; // only what it was asked; none: whatever server was asked
    // Each client gets an address of its own in it, from the second on; none: all queries leave
    // from the Tester's.
    std::optional<IpPrefix> clients;
    double speed = 1;
    // So many captures are played at once, all from their beginnings: of fewer files each is cut
    // into slices of equal length, and each slice's clients are others. 0: one for each file.
    std::uint32_t load_factor = 0;
    Nanoseconds skip{};         // of each capture's beginning
    EdnsOptions edns_options{}; // that queries have besides

    [[nodiscard]] bool is_wanted() const { return !files.empty(); }
};

} // namespace dnsgauge
