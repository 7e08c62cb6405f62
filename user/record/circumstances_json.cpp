// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/circumstances_json.h"

#include "record/json_text.h"

#include <nlohmann/json.hpp>

#include <limits>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

template <class T>
void read(T &value, const Json &json)
{
    const std::uint64_t number = whole_number(json);
    if (number > std::numeric_limits<T>::max())
        throw Json::out_of_range::create(406, "too large: " + json.dump(), &json);
    value = static_cast<T>(number);
}

void read(int &value, const Json &json)
{
    if (!json.is_number_integer() || json < std::numeric_limits<int>::min() ||
        json > std::numeric_limits<int>::max())
        throw Json::type_error::create(302, "must be a small number, but is " + json.dump(), &json);
    value = json.get<int>();
}

void read(bool &value, const Json &json)
{
    value = json.get<bool>();
}

void read(std::string &value, const Json &json)
{
    value = plain_text(json);
}

template <class T>
void read(std::vector<T> &values, const Json &json)
{
    if (!json.is_array())
        throw Json::type_error::create(302, "must be a list, but is " + json.dump(), &json);
    for (const Json &element : json)
        read(values.emplace_back(), element);
}

// Reads null as 0, which means not known, or no limit.
template <class T>
void read_or_none(T &value, const Json &json)
{
    if (!json.is_null())
        read(value, json);
}

Json wall_clock_json(const WallClock &clock)
{
    return {{"synchronised", clock.is_synchronised ? Json(*clock.is_synchronised) : Json()},
            {"error_ns", static_cast<std::uint64_t>(clock.error_most.count())},
            {"programs", clock.programs}};
}

WallClock read_wall_clock(const Json &json)
{
    WallClock clock;
    if (const Json &synchronised = json.at("synchronised"); !synchronised.is_null())
        clock.is_synchronised = synchronised.get<bool>();
    std::uint64_t error = 0;
    read(error, json.at("error_ns"));
    clock.error_most = Nanoseconds(error);
    read(clock.programs, json.at("programs"));
    return clock;
}

} // namespace

nlohmann::ordered_json circumstances_json(const Circumstances &circumstances)
{
    Json json = {
        {"started", circumstances.started},
        {"version", circumstances.version},
        {"command", circumstances.command},
        {"kernel", circumstances.kernel},
        {"cpu_model", circumstances.cpu_model},
        {"cpus", circumstances.cpus},
        {"sender_cpus", circumstances.sender_cpus},
        {"sender_cpus_why", circumstances.sender_cpus_why},
        {"sender_nice", circumstances.sender_nice},
        {"interface", circumstances.interface},
        {"driver", circumstances.driver},
        {"mtu", circumstances.mtu},
        {"link_mbps", circumstances.link_mbps != 0 ? Json(circumstances.link_mbps) : Json()},
        {"queues", circumstances.queues},
        {"xdp_mode", circumstances.xdp_mode},
        {"af_xdp_mode", circumstances.af_xdp_mode},
        {"umem_pages", circumstances.umem_pages},
        {"busy_poll", circumstances.busy_poll},
        {"idle_cpus", circumstances.idle_cpus_poll ? "poll" : "sleep"},
        {"kick_budget", circumstances.kick_budget != 0 ? Json(circumstances.kick_budget) : Json()},
        {"timestamps",
         {{"receive", circumstances.receive_stamps},
          {"transmit", circumstances.transmit_stamps},
          {"contradictory", circumstances.contradictory_stamps}}},
        {"source_address", circumstances.source_address},
        {"next_hop_mac", circumstances.next_hop_mac},
        {"source_ports", circumstances.source_ports},
        {"first_source_port", circumstances.first_source_port}};
    if (circumstances.link_wait != Nanoseconds{})
        json["link_wait_ns"] = static_cast<std::uint64_t>(circumstances.link_wait.count());
    if (!circumstances.server_absences.empty())
        json["server_absences"] = circumstances.server_absences;
    if (circumstances.wall_clock)
        json["wall_clock"] = wall_clock_json(*circumstances.wall_clock);
    return json;
}

Circumstances read_circumstances(const Json &json)
{
    Circumstances with;
    read(with.started, json.at("started"));
    read(with.version, json.at("version"));
    read(with.command, json.at("command"));
    read(with.kernel, json.at("kernel"));
    read(with.cpu_model, json.at("cpu_model"));
    read(with.cpus, json.at("cpus"));
    read(with.sender_cpus, json.at("sender_cpus"));
    read(with.sender_cpus_why, json.at("sender_cpus_why"));
    read(with.sender_nice, json.at("sender_nice"));
    read(with.interface, json.at("interface"));
    read(with.driver, json.at("driver"));
    read(with.mtu, json.at("mtu"));
    read_or_none(with.link_mbps, json.at("link_mbps"));
    read(with.queues, json.at("queues"));
    read(with.xdp_mode, json.at("xdp_mode"));
    read(with.af_xdp_mode, json.at("af_xdp_mode"));
    read(with.umem_pages, json.at("umem_pages"));
    read(with.busy_poll, json.at("busy_poll"));
    with.idle_cpus_poll = json.at("idle_cpus") == "poll";
    read_or_none(with.kick_budget, json.at("kick_budget"));
    const Json &stamps = json.at("timestamps");
    read(with.receive_stamps, stamps.at("receive"));
    read(with.transmit_stamps, stamps.at("transmit"));
    read(with.contradictory_stamps, stamps.at("contradictory"));
    read(with.source_address, json.at("source_address"));
    read(with.next_hop_mac, json.at("next_hop_mac"));
    read(with.source_ports, json.at("source_ports"));
    read(with.first_source_port, json.at("first_source_port"));
    if (const auto wait = json.find("link_wait_ns"); wait != json.end()) {
        std::uint64_t nanoseconds = 0;
        read(nanoseconds, *wait);
        with.link_wait = Nanoseconds(nanoseconds);
    }
    if (const auto told = json.find("server_absences"); told != json.end())
        read(with.server_absences, *told);
    if (const auto clock = json.find("wall_clock"); clock != json.end())
        with.wall_clock = read_wall_clock(*clock);
    return with;
}

} // namespace dnsgauge
