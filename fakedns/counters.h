// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the server counts, by kind and by the way the query came: the kernel's kinds
// (fakedns_abi.h) first, so that a kind has one number and one name everywhere.
#pragma once

#include "fakedns_abi.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace dnsgauge
{

enum SocketCounter : unsigned {
    COUNTER_UNSENT = FAKEDNS_COUNTERS, // answered and counted so, but the stack did not take it
    COUNTERS
};

struct Counters {
    std::array<std::uint64_t, COUNTERS> value{};

    void add(unsigned counter) { value[counter]++; }
};

struct ServerCounters {
    Counters xdp;
    Counters udp;
    Counters tcp;
};

// The name under which `counter` (an answer_kind, fakedns_counter or SocketCounter) is shown.
[[nodiscard]] std::string_view counter_name(unsigned counter);

// A table: a row for each counter, columns xdp, udp, tcp and total; every line ends in '\n'.
[[nodiscard]] std::string counters_table(const ServerCounters &counters);

} // namespace dnsgauge
