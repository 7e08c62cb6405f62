// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/resolver_programs.h"

#include <fmt/format.h>

namespace dnsgauge
{

ServerSetup unbound_server(const ServerPlace &place, const Account &account,
                           const std::string &lines, const std::string &clauses)
{
    const std::string listen = joined(
        place.listen,
        [](const IpAddress &address) { return "    interface: " + to_string(address) + "\n"; }, "");
    const std::string threads =
        place.threads ? fmt::format("    num-threads: {}\n", *place.threads) : std::string();
    return {"unbound",
            "-d -c " + place.directory + "/unbound.conf",
            "unbound",
            {{"unbound.conf", fmt::format(R"(server:
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
                                          place.directory, account.user, place.port, listen,
                                          threads, lines, clauses)}}};
}

// The configuration keeps pdns_recursor from asking its makers over the network whether this
// version is safe.
ServerSetup pdns_recursor_server(const ServerPlace &place, const Account &account,
                                 const std::string &lines)
{
    const std::string listen = joined(
        place.listen, [](const IpAddress &address) { return to_string(address); }, ", ");
    const std::string threads =
        place.threads ? fmt::format("threads={}\n", *place.threads) : std::string();
    const std::string user =
        account.user.empty() ? std::string()
                             : fmt::format("setuid={}\nsetgid={}\n", account.user, account.group);
    return {"pdns_recursor",
            "--config-dir=" + place.directory,
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
                          place.directory, listen, place.port, threads, user, lines)}}};
}

} // namespace dnsgauge
