// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/cpu_use_json.h"

#include "userland/words.h"

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

Nanoseconds read_time(const Json &json)
{
    return Nanoseconds(json.get<std::int64_t>());
}

Json absence_json(const std::optional<CpuAbsence> &absence)
{
    if (!absence)
        return {};
    return {{"longest_ns", absence->longest.count()},
            {"process", absence->process},
            {"name", absence->name}};
}

std::optional<CpuAbsence> read_absence(const Json &json)
{
    if (json.is_null())
        return std::nullopt;
    return CpuAbsence{.longest = read_time(json.at("longest_ns")),
                      .process = json.at("process").get<int>(),
                      .name = json.at("name").get<std::string>()};
}

CpuGuest read_guest(const Json &json, unsigned cpu)
{
    const auto side = sides.value_of(json.at("side").get<std::string>());
    if (!side)
        throw Json::out_of_range::create(406, "no side: " + json.at("side").dump(), &json);
    return {.cpu = cpu,
            .process = json.at("process").get<int>(),
            .name = json.at("name").get<std::string>(),
            .side = *side,
            .ran = read_time(json.at("ran_ns")),
            .waited = read_time(json.at("waited_ns"))};
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
                       {"absence", absence_json(use.absence)},
                       {"others_ns", use.others.count()},
                       {"unseen_ns", use.unseen.count()},
                       {"steal_ns", use.steal.count()},
                       {"softirq_ns", use.softirq.count()},
                       {"guests", guests_json(use.guests)}});
    return all;
}

std::vector<CpuUse> read_cpus(const Json &json)
{
    std::vector<CpuUse> cpus;
    for (const Json &row : json) {
        CpuUse use{.cpu = row.at("cpu").get<unsigned>(),
                   .sends = row.at("sends").get<bool>(),
                   .receives = row.at("receives").get<bool>(),
                   .elapsed = read_time(row.at("elapsed_ns")),
                   .sender_waited = read_time(row.at("sender_waited_ns")),
                   .server_ran = read_time(row.at("server_ran_ns")),
                   .server_waited = read_time(row.at("server_waited_ns")),
                   .absence = read_absence(row.at("absence")),
                   .others = read_time(row.at("others_ns")),
                   .unseen = read_time(row.at("unseen_ns")),
                   .steal = read_time(row.at("steal_ns")),
                   .softirq = read_time(row.at("softirq_ns"))};
        for (const Json &guest : row.at("guests"))
            use.guests.push_back(read_guest(guest, use.cpu));
        cpus.push_back(std::move(use));
    }
    return cpus;
}

} // namespace dnsgauge
