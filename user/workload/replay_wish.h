// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a user wants of captures that a trial plays.
#pragma once

#include "units/rate.h"
#include "userland/ip_prefix.h"
#include "workload/edns_options.h"
#include "workload/letter_case.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

struct ReplayWish {
    std::vector<std::string> files;  // none: nothing is played
    std::uint16_t port = 53;         // of the servers in the captures
    std::optional<IpAddress> server; // only its queries are played; any server's if unset
    // The prefix in which each client gets an address of its own, from the second address on. If
    // unset, all queries leave from the Tester's address.
    std::optional<IpPrefix> clients;
    double speed = 1;
    // The number of captures that are played at once, all from their beginnings. Fewer files are
    // cut into as many slices of equal length, and each slice has clients of its own. 0 plays the
    // files as they are.
    std::uint32_t load_factor = 0;
    // The captures are cut into so many slices, as for a load factor of that number. `load_factor`
    // of them are played, from `first_slice` (from 0) on; the first slice follows the last. A slice
    // has the same clients, whichever others are played. 0 plays all slices.
    std::uint32_t slices = 0;
    std::uint32_t first_slice = 0;
    Nanoseconds skip{};         // of each capture's beginning
    EdnsOptions edns_options{}; // that queries have besides
    CaseWish letters{};         // of the queries' names
    bool without_data = false;  // replies may have other data than the capture's own answers

    [[nodiscard]] bool is_wanted() const { return !files.empty(); }
};

} // namespace dnsgauge
