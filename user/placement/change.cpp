// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "placement/change.h"

#include <net/if.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace dnsgauge
{

namespace
{

bool is_number(std::string_view text)
{
    return !text.empty() &&
           std::ranges::all_of(text, [](char octet) { return octet >= '0' && octet <= '9'; });
}

// Returns whether the text is `begin`, a number and `end`.
bool is_numbered(std::string_view text, std::string_view begin, std::string_view end)
{
    return text.size() > begin.size() + end.size() && text.starts_with(begin) &&
           text.ends_with(end) &&
           is_number(text.substr(begin.size(), text.size() - begin.size() - end.size()));
}

bool is_interface_name(std::string_view name)
{
    return !name.empty() && name.size() < IF_NAMESIZE && name != "." && name != ".." &&
           name.find('/') == std::string_view::npos;
}

std::optional<Scope> scope_of_file(const std::string &path, const std::string &interface)
{
    constexpr std::array sysctls = {"rmem_max", "rmem_default", "wmem_max", "wmem_default"};
    if (is_numbered(path, "/proc/irq/", "/smp_affinity_list"))
        return Scope::machine;
    if (std::ranges::any_of(sysctls, [&path](const char *one) {
            return path == std::string("/proc/sys/net/core/") + one;
        }))
        return Scope::network_namespace;
    const std::string folder = "/sys/class/net/" + interface;
    if (path == folder + "/threaded" || is_numbered(path, folder + "/queues/rx-", "/rps_cpus") ||
        is_numbered(path, folder + "/queues/tx-", "/xps_cpus"))
        return Scope::interface;
    return std::nullopt;
}

bool is_process(std::string_view where)
{
    const std::size_t blank = where.find(' ');
    return blank != std::string_view::npos && is_number(where.substr(0, blank)) &&
           is_number(where.substr(blank + 1));
}

} // namespace

std::optional<Scope> scope_of(Knob knob, const std::string &where, const std::string &interface)
{
    if (!is_interface_name(interface))
        return std::nullopt;
    switch (knob) {
    case Knob::file:
        return scope_of_file(where, interface);
    case Knob::channels:
    case Knob::hash_key:
    case Knob::hash_fields4:
    case Knob::hash_fields6:
        return where == interface ? std::optional(Scope::interface) : std::nullopt;
    case Knob::process:
        return is_process(where) ? std::optional(Scope::machine) : std::nullopt;
    case Knob::thread:
        return is_numbered(where, "napi/" + interface + "-", "") ? std::optional(Scope::machine)
                                                                 : std::nullopt;
    }
    return std::nullopt;
}

} // namespace dnsgauge
