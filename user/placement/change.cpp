// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "placement/change.h"

#include "machine/text_files.h"

#include <net/if.h>

#include <string_view>

namespace dnsgauge
{

namespace
{

bool is_interface_name(std::string_view name)
{
    return !name.empty() && name.size() < IF_NAMESIZE && name != "." && name != ".." &&
           name.find('/') == std::string_view::npos;
}

std::optional<Scope> scope_of_file(const std::string &path, const std::string &interface)
{
    if (is_like(path, "/proc/irq/[0-9]{1,9}/smp_affinity_list"))
        return Scope::machine;
    if (is_like(path, "/proc/sys/net/core/[rw]mem_(max|default)"))
        return Scope::network_namespace;
    if (const std::string folder = "/sys/class/net/" + interface;
        path.starts_with(folder) &&
        is_like(path.substr(folder.size()),
                "/(threaded|queues/(rx-[0-9]{1,9}/rps_cpus|tx-[0-9]{1,9}/xps_cpus))"))
        return Scope::interface;
    return std::nullopt;
}

} // namespace

std::optional<Scope> scope_of(Knob knob, const std::string &where, const std::string &interface)
{
    if (!is_interface_name(interface))
        return std::nullopt;
    const std::string threads = "napi/" + interface + "-";
    switch (knob) {
    case Knob::file:
        return scope_of_file(where, interface);
    case Knob::channels:
    case Knob::hash_key:
    case Knob::hash_fields4:
    case Knob::hash_fields6:
        return where == interface ? std::optional(Scope::interface) : std::nullopt;
    case Knob::process:
        return is_like(where, "[0-9]{1,20} [0-9]{1,20}") ? std::optional(Scope::machine)
                                                         : std::nullopt;
    case Knob::thread:
        return where.starts_with(threads) && is_like(where.substr(threads.size()), "[0-9]{1,10}")
                   ? std::optional(Scope::machine)
                   : std::nullopt;
    }
    return std::nullopt;
}

} // namespace dnsgauge
