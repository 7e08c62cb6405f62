// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/counters.h"

#include <fmt/format.h>

#include <iterator>

namespace dnsgauge
{

std::string_view counter_name(unsigned counter)
{
    switch (counter) {
    case ANSWER_IGNORED:
        return "ignored";
    case ANSWER_A:
        return "A";
    case ANSWER_AAAA:
        return "AAAA";
    case ANSWER_SOA:
        return "SOA";
    case ANSWER_NS:
        return "NS";
    case ANSWER_HINFO:
        return "HINFO";
    case ANSWER_NODATA:
        return "NODATA";
    case ANSWER_NXDOMAIN:
        return "NXDOMAIN";
    case ANSWER_REFUSED:
        return "REFUSED";
    case ANSWER_FORMERR:
        return "FORMERR";
    case ANSWER_NOTIMP:
        return "NOTIMP";
    case ANSWER_BADVERS:
        return "BADVERS";
    case FAKEDNS_PASSED:
        return "passed";
    case FAKEDNS_PASSED_FRAGMENT:
        return "passed-fragment";
    case FAKEDNS_PASSED_NO_ROOM:
        return "passed-no-room";
    case COUNTER_UNSENT:
        return "unsent";
    default:
        return "unknown";
    }
}

std::string counters_table(const ServerCounters &counters)
{
    std::string table;
    const auto row = std::back_inserter(table);

    fmt::format_to(row, "{:<16}{:>14}{:>14}{:>14}{:>14}\n", "kind", "xdp", "udp", "tcp", "total");
    for (unsigned i = 0; i < COUNTERS; i++) {
        const std::uint64_t xdp = counters.xdp.value[i];
        const std::uint64_t udp = counters.udp.value[i];
        const std::uint64_t tcp = counters.tcp.value[i];
        fmt::format_to(row, "{:<16}{:>14}{:>14}{:>14}{:>14}\n", counter_name(i), xdp, udp, tcp,
                       xdp + udp + tcp);
    }
    return table;
}

} // namespace dnsgauge
