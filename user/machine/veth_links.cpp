// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/veth_links.h"

#include "host/netlink.h"
#include "system/interface_number.h"
#include "system/unique_fd.h"

#include <fcntl.h>
#include <linux/net_namespace.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <set>
#include <system_error>

namespace dnsgauge
{

namespace
{

using Path = std::filesystem::path;

// The number by which this process' namespace knows another one; none for its own.
using SpaceId = std::optional<std::int32_t>;

struct FoundEnd {
    VethEnd end;
    SpaceId peer; // none if both ends are in one namespace
};

bool is_pair(const nlmsghdr &message)
{
    const auto info = attribute<ifinfomsg>(message, IFLA_LINKINFO);
    bool is_veth = false;
    const auto visit = [](const nlattr *attribute, void *found) {
        if (mnl_attr_get_type(attribute) == IFLA_INFO_KIND)
            *static_cast<bool *>(found) = std::string(mnl_attr_get_str(attribute)) == "veth";
        return MNL_CB_OK;
    };
    mnl_attr_parse_payload(info.data(), info.size(), visit, &is_veth);
    return is_veth;
}

std::optional<FoundEnd> read_end(const nlmsghdr &message)
{
    if (!is_pair(message))
        return std::nullopt;
    const auto &head = *static_cast<const ifinfomsg *>(mnl_nlmsg_get_payload(&message));
    return FoundEnd{.end = {.name = attribute_text<ifinfomsg>(message, IFLA_IFNAME),
                            .index = static_cast<unsigned>(head.ifi_index),
                            .peer_index = attribute_u32<ifinfomsg>(message, IFLA_LINK).value_or(0)},
                    .peer = attribute_number<ifinfomsg, std::int32_t>(message, IFLA_LINK_NETNSID)};
}

// Returns the ends of pairs in a namespace; nothing if this process may not see them.
std::optional<std::vector<FoundEnd>> ends_in(SpaceId space)
{
    NetlinkRequest<ifinfomsg> request(RTM_GETLINK, NLM_F_DUMP);
    if (space)
        request.add(IFLA_TARGET_NETNSID, static_cast<std::uint32_t>(*space));
    std::vector<FoundEnd> ends;
    const int error = Netlink{}.exchange(request.message(), [&](const nlmsghdr &reply) {
        if (auto end = read_end(reply))
            ends.push_back(*std::move(end));
    });
    return error == 0 ? std::optional(std::move(ends)) : std::nullopt;
}

// Returns the interface, if it is an end of a pair.
std::optional<FoundEnd> own_end(unsigned index)
{
    NetlinkRequest<ifinfomsg> request(RTM_GETLINK, 0);
    request.head().ifi_index = static_cast<int>(index);
    std::optional<FoundEnd> found;
    const int error = Netlink{}.exchange(request.message(),
                                         [&](const nlmsghdr &reply) { found = read_end(reply); });
    return error == 0 ? found : std::nullopt;
}

// Returns the ID of the namespace that a file stands for; nothing if no link of this namespace
// leads there.
SpaceId id_of(const Path &file)
{
    const UniqueFd space(open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!space)
        return std::nullopt;
    NetlinkRequest<rtgenmsg> request(RTM_GETNSID, 0);
    request.add(NETNSA_FD, static_cast<std::uint32_t>(space.get()));
    SpaceId id;
    const int error = Netlink{}.exchange(request.message(), [&](const nlmsghdr &reply) {
        id = attribute_number<rtgenmsg, std::int32_t>(reply, NETNSA_NSID);
    });
    return error == 0 && id && *id >= 0 ? id : std::nullopt;
}

} // namespace

VethLinks veth_links(const std::string &interface, const NamespaceProcesses &processes,
                     const Path &proc)
{
    VethLinks links{.own = network_namespace_of(proc / "self"),
                    .index = interface_number(interface)};
    const std::optional<FoundEnd> own = links.index == 0 ? std::nullopt : own_end(links.index);
    if (!own)
        return links;
    std::map<SpaceId, std::vector<FoundEnd>> ends;
    if (auto found = ends_in(own->peer))
        ends[own->peer] = *std::move(found);
    std::set<SpaceId> further;
    for (const auto &[space, found] : ends)
        for (const FoundEnd &one : found)
            if (one.peer)
                further.insert(one.peer);
    for (const SpaceId &space : further)
        if (auto found = ends_in(space))
            ends[space] = *std::move(found);
    // The kernel gave namespaces their IDs while it listed the links.
    std::map<SpaceId, std::uint64_t> numbers{{std::nullopt, links.own}};
    for (const auto &[number, ids] : processes.seen)
        if (const SpaceId id = id_of(proc / std::to_string(*ids.begin()) / "ns/net"))
            numbers[id] = number;
    const auto number = [&numbers](const SpaceId &space) {
        const auto found = numbers.find(space);
        return found == numbers.end() ? 0 : found->second;
    };
    links.peer = number(own->peer);
    for (const auto &[space, found] : ends) {
        if (number(space) == 0)
            continue;
        std::vector<VethEnd> &those = links.ends[number(space)];
        those.clear();
        for (const FoundEnd &one : found) {
            those.push_back(one.end);
            those.back().peer_namespace = number(one.peer ? one.peer : space);
        }
    }
    return links;
}

std::optional<NamedEnd> named_far_end(const std::string &interface)
{
    const unsigned index = interface_number(interface);
    const std::optional<FoundEnd> own = index == 0 ? std::nullopt : own_end(index);
    if (!own || !own->peer)
        return std::nullopt;
    const auto ends = ends_in(own->peer);
    if (!ends)
        return std::nullopt;
    const auto peer = std::ranges::find(*ends, own->end.peer_index,
                                        [](const FoundEnd &one) { return one.end.index; });
    std::error_code none; // no namespace may have a name
    for (const auto &entry : std::filesystem::directory_iterator("/run/netns", none))
        if (peer != ends->end() && id_of(entry.path()) == own->peer)
            return NamedEnd{.netns = entry.path().filename(), .interface = peer->end.name};
    return std::nullopt;
}

} // namespace dnsgauge
