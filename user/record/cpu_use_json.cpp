// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/cpu_use_json.h"

#include "common/words.h"

#include <nlohmann/json.hpp>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr auto sides = words<CpuGuest::Side>({{CpuGuest::Side::own, "own"},
                                              {CpuGuest::Side::kernel, "kernel"},
                                              {CpuGuest::Side::server, "server"},
                                              {CpuGuest::Side::other, "other"},
                                              {CpuGuest::Side::unknown, "unknown"}});

Json guests_json(const std::vector<CpuGuest> &guests)
{
    Json all = Json::array();
    for (const CpuGuest &guest : guests)
        all.push_back({{"process", guest.process},
                       {"name", guest.name},
                       {"side", sides.text_of(guest.side)},
                       {"ran_ns", guest.ran.count()},
                       {"waited_ns", guest.waited.count()}});
    return all;
}

} // namespace

Json cpus_json(const std::vector<CpuUse> &cpus)
{
    Json all = Json::array();
    for (const CpuUse &use : cpus)
        all.push_back({{"cpu", use.cpu},
                       {"sends", use.sends},
                       {"receives", use.receives},
                       {"elapsed_ns", use.elapsed.count()},
                       {"sender_waited_ns", use.sender_waited.count()},
                       {"server_ran_ns", use.server_ran.count()},
                       {"server_waited_ns", use.server_waited.count()},
                       {"others_ns", use.others.count()},
                       {"unseen_ns", use.unseen.count()},
                       {"steal_ns", use.steal.count()},
                       {"softirq_ns", use.softirq.count()},
                       {"guests", guests_json(use.guests)}});
    return all;
}

} // namespace dnsgauge
