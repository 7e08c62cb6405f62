// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/server_programs.h"

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

ServerSetup unbound_server(const ServerPlace &place, const Account &account,
                           const std::string &lines, const std::string &clauses)
{
    const std::string listen = joined(place.listen, place.port, "    interface: {}\n");
    const std::string directory = place.directory.string();
    return {"unbound",
            "-d -c " + directory + "/unbound.conf",
            "unbound",
            {{"unbound.conf",
              fmt::format(R"(server:
    directory: "{0}/data"
    chroot: ""
    username: "{1}"
    pidfile: "{0}/run/unbound.pid"
    logfile: "{0}/run/unbound.log"
    use-syslog: no
    port: {2}
{3}{4}    access-control: 0.0.0.0/0 allow
    access-control: ::/0 allow
    do-not-query-localhost: no
{5}{6})",
                          directory, account.user, place.port, listen,
                          text_if(place.workers, "    num-threads: {}\n"), lines, clauses)}}};
}

// The configuration keeps pdns_recursor from asking its makers over the network whether this
// version is safe.
ServerSetup pdns_recursor_server(const ServerPlace &place, const Account &account,
                                 const std::string &lines)
{
    const std::string listen = joined(place.listen, place.port, "{}", ", ");
    const std::string directory = place.directory.string();
    return {"pdns_recursor",
            "--config-dir=" + directory,
            "pdns-recursor",
            {{"recursor.conf",
              fmt::format(R"(local-address={1}
local-port={2}
{3}{4}socket-dir={0}/run
daemon=no
disable-syslog=yes
security-poll-suffix=
allow-from=0.0.0.0/0, ::/0
{5})",
                          directory, listen, place.port, text_if(place.workers, "threads={}\n"),
                          account.text("setuid={}\nsetgid={}\n"), lines)}}};
}

ServerSetup bind9_server(const ServerPlace &place, const Account &account,
                         const std::string &options, const std::string &zone)
{
    const std::string directory = place.directory.string();
    return {"named",
            fmt::format("-f -L {0}/run/named.log -c {0}/named.conf{1}{2}", directory,
                        text_if(place.workers, " -n {}"), account.text(" -u {}")),
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
                                        directory, place.port, listen_list(place.listen, false),
                                        listen_list(place.listen, true), options, zone)}}};
}

} // namespace dnsgauge
