// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/server_config.h"

#include "system/setup_error.h"
#include "zones/server_programs.h"

#include <fmt/format.h>

#include <net/if.h>
#include <unistd.h>

#include <array>

namespace dnsgauge
{

namespace
{

// Half of the greatest value of yadifad's cpu-count-override.
constexpr unsigned yadifa_workers_max = 128;

// Returns `format` of the name and the file of every zone.
std::string of_each(const std::vector<ServedZone> &zones,
                    fmt::format_string<std::string, std::string> format)
{
    std::string text;
    for (const ServedZone &zone : zones)
        text += fmt::vformat(format, fmt::make_format_args(zone.name, zone.file.native()));
    return text;
}

ServerSetup bind9_setup(const ServerSpec &spec, const Account &account,
                        const std::vector<ServedZone> &zones)
{
    return bind9_server(spec, account,
                        "    dnssec-validation no;\n    recursion no;\n    notify no;\n",
                        of_each(zones, "zone \"{}\" {{ type primary; file \"{}\"; }};\n"));
}

// By default Debian's nsd limits the answers to a network (200 a second), so the configuration
// lifts the limit.
ServerSetup nsd_setup(const ServerSpec &spec, const Account &account,
                      const std::vector<ServedZone> &zones)
{
    const std::string directory = spec.directory.string();
    std::string listen = joined(spec.listen, spec.port, "    ip-address: {}@{}\n");
    if (spec.tls.https_port)
        throw SetupError("nsd does not answer over HTTPS: leave --https-port out, or choose bind9");
    if (spec.tls)
        listen += fmt::format("{0}    tls-port: {1}\n    tls-service-key: \"{2}\"\n"
                              "    tls-service-pem: \"{3}\"\n",
                              joined(spec.listen, spec.tls.port, "    ip-address: {}@{}\n"),
                              spec.tls.port, spec.tls.key.native(), spec.tls.certificate.native());
    return {"nsd",
            "-d -c " + directory + "/nsd.conf",
            "nsd",
            {{"nsd.conf",
              fmt::format(R"(server:
{1}{2}    username: "{3}"
    chroot: ""
    zonesdir: "{0}/data"
    database: ""
    zonelistfile: "{0}/run/zone.list"
    xfrdfile: "{0}/run/xfrd.state"
    xfrdir: "{0}/run"
    pidfile: "{0}/run/nsd.pid"
    logfile: "{0}/run/nsd.log"
    cookie-secret-file: "{0}/run/cookiesecrets.txt"
    rrl-ratelimit: 0
    rrl-whitelist-ratelimit: 0
remote-control:
    control-enable: no
{4})",
                          directory, listen,
                          text_if(spec.workers, "    server-count: {}\n    reuseport: yes\n"),
                          account.user,
                          of_each(zones, "zone:\n    name: {}\n    zonefile: \"{}\"\n"))}}};
}

ServerSetup knot_setup(const ServerSpec &spec, const Account &account,
                       const std::vector<ServedZone> &zones)
{
    refuse_tls(spec, "knot");
    const std::string directory = spec.directory.string();
    const std::string listen = joined(spec.listen, spec.port, "\"{}@{}\"", ", ");
    const std::string xdp =
        spec.xdp_interface.empty()
            ? std::string()
            : fmt::format("xdp:\n    listen: \"{}@{}\"\n", spec.xdp_interface, spec.port);
    return {"knotd",
            "-c " + directory + "/knot.conf",
            "knot",
            {{"knot.conf",
              fmt::format(R"(server:
    rundir: "{0}/run"
    pidfile: "{0}/run/knot.pid"
    listen: [ {1} ]
{2}{3}{4}control:
    listen: "{0}/run/knot.sock"
database:
    storage: "{0}/data"
log:
  - target: "{0}/run/knot.log"
    any: info
  - target: stderr
    any: error
template:
  - id: default
    storage: "{0}/data"
    journal-content: none
    zonefile-sync: -1
zone:
{5})",
                          directory, listen, text_if(spec.workers, "    udp-workers: {}\n"),
                          account.text("    user: {}:{}\n"), xdp,
                          of_each(zones, "  - domain: \"{}\"\n    file: \"{}\"\n"))}}};
}

// yadifad counts half of the processors as hyperthreads, and starts at most one thread for each of
// the others. cpu-count-override makes it count more processors. Without a user it gives its log to
// root, or fails.
ServerSetup yadifa_setup(const ServerSpec &spec, const Account &account,
                         const std::vector<ServedZone> &zones)
{
    refuse_tls(spec, "yadifa");
    const std::string directory = spec.directory.string();
    const std::string listen = joined(spec.listen, spec.port, "{} port {}", ", ");
    const std::string workers =
        spec.workers ? fmt::format("    cpu-count-override {}\n    thread-count-by-address {}\n",
                                   2 * *spec.workers, *spec.workers)
                     : std::string();
    const std::string user = account.user.empty() ? std::to_string(geteuid()) : account.user;
    const std::string group = account.user.empty() ? std::to_string(getegid()) : account.group;
    return {"yadifad",
            "-c " + directory + "/yadifad.conf",
            "yadifa",
            {{"yadifad.conf", fmt::format(R"(<main>
    daemon off
    datapath "{0}/data"
    keyspath "{0}/run/keys"
    logpath "{0}/run"
    xfrpath "{0}/run/xfr"
    pidfile "{0}/run/yadifad.pid"
    listen {1}
{2}    uid {3}
    gid {4}
</main>
<channels>
    log yadifad.log 0644
</channels>
<loggers>
    database prod log
    server prod log
    stats prod log
    system prod log
</loggers>
{5})",
                                          directory, listen, workers, user, group,
                                          of_each(zones, "<zone>\n    type primary\n"
                                                         "    domain {}\n    file \"{}\"\n"
                                                         "    notify-auto no\n"
                                                         "</zone>\n"))}},
            {"run/keys", "run/xfr"}};
}

// The configuration keeps pdns from asking its makers over the network whether this version is
// safe.
ServerSetup pdns_setup(const ServerSpec &spec, const Account &account,
                       const std::vector<ServedZone> &zones)
{
    refuse_tls(spec, "pdns");
    const std::string directory = spec.directory.string();
    const std::string listen = joined(spec.listen, spec.port, "{}", ", ");
    return {
        "pdns_server",
        "--config-dir=" + directory,
        "pdns-server and pdns-backend-bind",
        {{"pdns.conf", fmt::format(R"(launch=bind
bind-config={0}/bind.conf
local-address={1}
local-port={2}
{3}{4}socket-dir={0}/run
daemon=no
guardian=no
disable-syslog=yes
security-poll-suffix=
)",
                                   directory, listen, spec.port,
                                   text_if(spec.workers, "receiver-threads={}\nreuseport=yes\n"),
                                   account.text("setuid={}\nsetgid={}\n"))},
         {"bind.conf", of_each(zones, "zone \"{}\" {{ type master; file \"{}\"; }};\n")}}};
}

ServerSetup setup_of(const ServerSpec &spec, const Account &account,
                     const std::vector<ServedZone> &zones)
{
    // In the order of ServerKind.
    using Setup = ServerSetup(const ServerSpec &, const Account &, const std::vector<ServedZone> &);
    static constexpr std::array<Setup *, 5> setups{bind9_setup, nsd_setup, knot_setup, yadifa_setup,
                                                   pdns_setup};
    return setups.at(static_cast<std::size_t>(spec.kind))(spec, account, zones);
}

void check_spec(const ServerSpec &spec)
{
    if (spec.kind == ServerKind::yadifa && spec.workers > yadifa_workers_max)
        throw SetupError("yadifad starts at most {} workers: ask for fewer", yadifa_workers_max);
    if (spec.xdp_interface.empty())
        return;
    if (spec.kind != ServerKind::knot)
        throw SetupError("only knot can use XDP: leave --xdp out");
    if (!is_plain(spec.xdp_interface) || spec.xdp_interface.size() >= IFNAMSIZ)
        throw SetupError("\"" + spec.xdp_interface + "\" is no name of an interface: see ip link");
}

} // namespace

void write_server(ServerSpec spec, const ZoneSpec &zone)
{
    const Account account = prepare(spec);
    check_spec(spec);
    const ServerSetup setup =
        setup_of(spec, account, {{zone.zone.text + ".", spec.directory / "zone"}});
    write_server_directory(spec.directory, setup, account, &zone);
}

void write_server(ServerSpec spec, const std::vector<ServedZone> &zones)
{
    const Account account = prepare(spec);
    check_spec(spec);
    if (spec.kind == ServerKind::pdns && zones.front().is_signed)
        throw SetupError("pdns with its bind backend leaves out signatures that it has not made: "
                         "choose another server for signed zones");
    write_server_directory(spec.directory, setup_of(spec, account, zones), account, nullptr);
}

} // namespace dnsgauge
