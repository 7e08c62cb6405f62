// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/bind9_config.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

// named compares these with the addresses of interfaces, so a wildcard address must be written as
// "any".
std::string listen_list(const std::vector<IpAddress> &addresses, bool is_ipv6)
{
    std::string list;
    for (const IpAddress &address : addresses) {
        if (address.is_ipv6 == is_ipv6)
            list += (address.is_any() ? "any" : to_string(address)) + "; ";
    }
    return list.empty() ? "none; " : list;
}

} // namespace

ServerSetup bind9_server(const ServerPlace &place, const Account &account,
                         const std::string &options, const std::string &zone)
{
    std::string arguments =
        fmt::format("-f -L {0}/run/named.log -c {0}/named.conf", place.directory);
    if (place.threads)
        arguments += fmt::format(" -n {}", *place.threads);
    if (!account.user.empty())
        arguments += " -u " + account.user;
    return {
        "named",
        arguments,
        "bind9",
        {{"named.conf", fmt::format(R"(options {{
    directory "{0}/data";
    pid-file "{0}/run/named.pid";
    session-keyfile "{0}/run/session.key";
    lock-file none;
    listen-on port {1} {{ {2}}};
    listen-on-v6 port {1} {{ {3}}};
{4}}};
controls {{ }};
{5}
)",
                                    place.directory, place.port, listen_list(place.listen, false),
                                    listen_list(place.listen, true), options, zone)}}};
}

} // namespace dnsgauge
