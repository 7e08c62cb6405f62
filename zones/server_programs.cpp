// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/server_programs.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

// named compares these with the addresses of interfaces, so it needs "any" for a wildcard address.
std::string listen_list(const std::vector<IpAddress> &addresses, bool is_ipv6)
{
    std::string list;
    for (const IpAddress &address : addresses) {
        if (address.is_ipv6 == is_ipv6)
            list += (address.is_any() ? "any" : to_string(address)) + "; ";
    }
    return list.empty() ? "none; " : list;
}

// `transport` is the text between the port and the addresses.
std::string listen_statements(const ServerPlace &place, std::uint16_t port,
                              std::string_view transport = "")
{
    return fmt::format("    listen-on port {0}{1} {{ {2}}};\n"
                       "    listen-on-v6 port {0}{1} {{ {3}}};\n",
                       port, transport, listen_list(place.listen, false),
                       listen_list(place.listen, true));
}

} // namespace

ServerSetup unbound_server(const ServerPlace &place, const Account &account,
                           const std::string &lines, const std::string &clauses)
{
    std::string listen = joined(place.listen, place.port, "    interface: {}\n");
    if (place.tls)
        listen += fmt::format(
            "{0}    tls-port: {1}\n{2}    https-port: {3}\n"
            "    tls-service-key: \"{4}\"\n    tls-service-pem: \"{5}\"\n",
            joined(place.listen, place.tls.port, "    interface: {}@{}\n"), place.tls.port,
            joined(place.listen, place.tls.https(), "    interface: {}@{}\n"), place.tls.https(),
            place.tls.key.native(), place.tls.certificate.native());
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
    refuse_tls(place, "pdns-recursor");
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
    std::string listen = listen_statements(place, place.port);
    std::string tls;
    if (place.tls) {
        listen += listen_statements(place, place.tls.port, " tls service");
        listen += listen_statements(place, place.tls.https(), " tls service http default");
        tls = fmt::format("tls service {{ key-file \"{}\"; cert-file \"{}\"; }};\n",
                          place.tls.key.native(), place.tls.certificate.native());
    }
    return {"named",
            fmt::format("-f -L {0}/run/named.log -c {0}/named.conf{1}{2}", directory,
                        text_if(place.workers, " -n {}"), account.text(" -u {}")),
            "bind9",
            {{"named.conf", fmt::format(R"(options {{
    directory "{0}/data";
    pid-file "{0}/run/named.pid";
    session-keyfile "{0}/run/session.key";
    lock-file none;
{1}{2}}};
controls {{ }};
{3}{4}
)",
                                        directory, listen, options, tls, zone)}}};
}

} // namespace dnsgauge
