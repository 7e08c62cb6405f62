// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/server_config.h"

#include "host/setup_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <grp.h>
#include <net/if.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace dnsgauge
{

namespace fs = std::filesystem;

namespace
{

// The longest name of a socket in run/ must fit sockaddr_un::sun_path with the directory.
constexpr std::size_t directory_length_max = 80;

// Half of what yadifad's cpu-count-override takes.
constexpr unsigned yadifa_workers_max = 128;

// Whom the server runs as; empty names: whoever starts it.
struct Account {
    std::string user;
    std::string group;
    uid_t user_id = 0;
    gid_t group_id = 0;
};

struct TextFile {
    std::string name;
    std::string text;
};

struct ServerSetup {
    std::string program;
    std::string arguments;
    std::string package; // that the program comes in
    std::vector<TextFile> files;
    std::vector<std::string> folders{}; // besides run/ and data/
};

// "FORMAT" of every address, joined.
template <class Format>
std::string each_address(const std::vector<HostAddress> &addresses, Format format,
                         std::string_view separator)
{
    std::vector<std::string> parts;
    std::ranges::transform(addresses, std::back_inserter(parts), format);
    return fmt::format("{}", fmt::join(parts, separator));
}

// named matches these against the addresses of interfaces, so that the wildcards are called "any".
std::string bind9_listen(const std::vector<HostAddress> &addresses, bool is_ipv6)
{
    std::string list;
    for (const HostAddress &address : addresses) {
        if (address.is_ipv6 == is_ipv6)
            list += (address.is_any() ? "any" : address.text) + "; ";
    }
    return list.empty() ? "none; " : list;
}

ServerSetup bind9_setup(const ServerSpec &spec, const Account &account, const ZoneSpec &zone)
{
    const std::string directory = spec.directory.string();
    std::string arguments = fmt::format("-f -L {0}/run/named.log -c {0}/named.conf", directory);
    if (spec.workers)
        arguments += fmt::format(" -n {}", *spec.workers);
    if (!account.user.empty())
        arguments += " -u " + account.user;
    return {"named",
            arguments,
            "bind9",
            {{"named.conf", fmt::format(R"(options {{
    directory "{0}/data";
    pid-file "{0}/run/named.pid";
    session-keyfile "{0}/run/session.key";
    lock-file none;
    listen-on port {1} {{ {2}}};
    listen-on-v6 port {1} {{ {3}}};
    recursion no;
    dnssec-validation no;
    notify no;
}};
controls {{ }};
zone "{4}." {{ type primary; file "{0}/zone"; }};
)",
                                        directory, spec.port, bind9_listen(spec.listen, false),
                                        bind9_listen(spec.listen, true), zone.zone.text)}}};
}

// Debian builds nsd with its limit of answers for one network switched on (200 a second).
ServerSetup nsd_setup(const ServerSpec &spec, const Account &account, const ZoneSpec &zone)
{
    const std::string directory = spec.directory.string();
    const std::string listen = each_address(
        spec.listen,
        [&](const HostAddress &address) {
            return fmt::format("    ip-address: {}@{}\n", address.text, spec.port);
        },
        "");
    const std::string workers =
        spec.workers ? fmt::format("    server-count: {}\n    reuseport: yes\n", *spec.workers)
                     : std::string();
    return {"nsd",
            "-d -c " + directory + "/nsd.conf",
            "nsd",
            {{"nsd.conf", fmt::format(R"(server:
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
zone:
    name: {4}.
    zonefile: "{0}/zone"
)",
                                      directory, listen, workers, account.user, zone.zone.text)}}};
}

ServerSetup knot_setup(const ServerSpec &spec, const Account &account, const ZoneSpec &zone)
{
    const std::string directory = spec.directory.string();
    const std::string listen = each_address(
        spec.listen,
        [&](const HostAddress &address) {
            return fmt::format("\"{}@{}\"", address.text, spec.port);
        },
        ", ");
    const std::string workers =
        spec.workers ? fmt::format("    udp-workers: {}\n", *spec.workers) : std::string();
    const std::string user = account.user.empty()
                                 ? std::string()
                                 : fmt::format("    user: {}:{}\n", account.user, account.group);
    const std::string xdp =
        spec.xdp_interface.empty()
            ? std::string()
            : fmt::format("xdp:\n    listen: \"{}@{}\"\n", spec.xdp_interface, spec.port);
    return {"knotd",
            "-c " + directory + "/knot.conf",
            "knot",
            {{"knot.conf", fmt::format(R"(server:
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
zone:
  - domain: "{5}."
    storage: "{0}/data"
    file: "{0}/zone"
    journal-content: none
    zonefile-sync: -1
)",
                                       directory, listen, workers, user, xdp, zone.zone.text)}}};
}

// yadifad takes half of the processors for hyperthreads and cuts the number of threads down to the
// other half, unless it is told of more. Without a user it gives its log to root, or fails.
ServerSetup yadifa_setup(const ServerSpec &spec, const Account &account, const ZoneSpec &zone)
{
    const std::string directory = spec.directory.string();
    const std::string listen = each_address(
        spec.listen,
        [&](const HostAddress &address) {
            return fmt::format("{} port {}", address.text, spec.port);
        },
        ", ");
    const std::string workers =
        spec.workers ? fmt::format("    cpu-count-override {}\n    thread-count-by-address {}\n",
                                   2 * *spec.workers, *spec.workers)
                     : std::string();
    const std::string user = account.user.empty() ? std::to_string(geteuid()) : account.user;
    const std::string group = account.user.empty() ? std::to_string(getegid()) : account.group;
    return {
        "yadifad",
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
<zone>
    type primary
    domain {5}
    file "{0}/zone"
</zone>
)",
                                      directory, listen, workers, user, group, zone.zone.text)}},
        {"run/keys", "run/xfr"}};
}

// Left to itself pdns asks its makers over the network whether this version is safe.
ServerSetup pdns_setup(const ServerSpec &spec, const Account &account, const ZoneSpec &zone)
{
    const std::string directory = spec.directory.string();
    const std::string listen = each_address(
        spec.listen, [](const HostAddress &address) { return address.text; }, ", ");
    const std::string workers =
        spec.workers ? fmt::format("receiver-threads={}\nreuseport=yes\n", *spec.workers)
                     : std::string();
    const std::string user =
        account.user.empty() ? std::string()
                             : fmt::format("setuid={}\nsetgid={}\n", account.user, account.group);
    return {"pdns_server",
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
                                       directory, listen, spec.port, workers, user)},
             {"bind.conf", fmt::format(R"(zone "{1}" {{ type master; file "{0}/zone"; }};
)",
                                       directory, zone.zone.text)}}};
}

ServerSetup setup_of(const ServerSpec &spec, const Account &account, const ZoneSpec &zone)
{
    switch (spec.kind) {
    case ServerKind::bind9:
        return bind9_setup(spec, account, zone);
    case ServerKind::nsd:
        return nsd_setup(spec, account, zone);
    case ServerKind::knot:
        return knot_setup(spec, account, zone);
    case ServerKind::yadifa:
        return yadifa_setup(spec, account, zone);
    case ServerKind::pdns:
        break;
    }
    return pdns_setup(spec, account, zone);
}

std::string start_script(const ServerSetup &setup)
{
    return fmt::format(R"(#!/bin/sh
# Becomes {0}, in the foreground, with the configuration and the zone of this directory.
PATH=$PATH:/usr/local/sbin:/usr/sbin
command -v {0} >/dev/null || {{
    echo "start: no {0} on this machine: install {2}" >&2
    exit 2
}}
exec {0} {1}
)",
                       setup.program, setup.arguments, setup.package);
}

// Configuration files and shells have one way of quoting each: names that need none suit them all.
bool is_plain(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("/._+-").find(c) != std::string_view::npos;
    });
}

void check_directory(const fs::path &directory)
{
    const std::string text = directory.string();
    if (!is_plain(text))
        throw SetupError("cannot configure a server in " + text +
                         ": its path may have only letters, digits and /._+-");
    if (text.size() > directory_length_max)
        throw SetupError(fmt::format("cannot configure a server in {}: its path has {} characters, "
                                     "and at most {} leave room for the names of sockets",
                                     text, text.size(), directory_length_max));
}

void check_spec(const ServerSpec &spec)
{
    check_directory(spec.directory);
    if (spec.listen.empty())
        throw SetupError("no address to listen on: give one with --listen");
    for (auto address = spec.listen.begin(); address != spec.listen.end(); ++address) {
        if (std::find(spec.listen.begin(), address, *address) != address)
            throw SetupError("the address " + address->text + " is given twice");
    }
    if (spec.kind == ServerKind::yadifa && spec.workers > yadifa_workers_max)
        throw SetupError(
            fmt::format("yadifad starts at most {} workers: ask for fewer", yadifa_workers_max));
    if (spec.xdp_interface.empty())
        return;
    if (spec.kind != ServerKind::knot)
        throw SetupError("of these servers only knot can use XDP: leave --xdp out");
    if (!is_plain(spec.xdp_interface) || spec.xdp_interface.size() >= IFNAMSIZ)
        throw SetupError("\"" + spec.xdp_interface + "\" is no name of an interface: see ip link");
}

Account account_of(const std::string &user)
{
    if (user.empty())
        return {};
    if (geteuid() != 0)
        throw SetupError("only root can prepare a server for the user " + user +
                         ": leave --user out, or run as root");
    const passwd *account = is_plain(user) ? getpwnam(user.c_str()) : nullptr;
    if (account == nullptr)
        throw SetupError("no user " + user + " on this machine: see getent passwd");
    const group *primary = getgrgid(account->pw_gid);
    if (primary == nullptr)
        throw SetupError("the group of the user " + user + " has no name: see getent group");
    return {user, primary->gr_name, account->pw_uid, account->pw_gid};
}

// Is this what write_server() puts into its directory, or was stopped while writing?
bool is_ours(const fs::path &entry)
{
    const fs::path name = entry.extension() == ".tmp" ? entry.stem() : entry.filename();
    return name == "zone" || name == "start" || name == "run" || name == "data" ||
           name.extension() == ".conf";
}

// Files are replaced and folders may be given away: never those of somebody else.
void check_is_free(const fs::path &directory)
{
    std::error_code error;
    for (const fs::path &entry : fs::directory_iterator(directory, error)) {
        if (!is_ours(entry))
            throw SetupError("there is more in " + directory.string() + " than a server's files (" +
                             entry.filename().string() + "): name a directory of its own");
    }
}

void make_folder(const fs::path &path)
{
    std::error_code error;
    fs::create_directories(path, error);
    if (error)
        throw SetupError("cannot make the directory " + path.string() + ": " + error.message());
}

void write_file(const fs::path &path, std::string_view text, mode_t mode)
{
    OutputFile output{path};
    output.write(text);
    output.commit();
    if (chmod(path.c_str(), mode) != 0)
        throw SetupError("cannot set the mode of " + path.string() + ": " + std::strerror(errno));
}

void give_to(const Account &account, const fs::path &path)
{
    if (chown(path.c_str(), account.user_id, account.group_id) != 0)
        throw SetupError("cannot give " + path.string() + " to the user " + account.user + ": " +
                         std::strerror(errno));
}

} // namespace

void write_server(const ServerSpec &given, const ZoneSpec &zone)
{
    if (given.directory.empty())
        throw SetupError("no directory for the server: name one, it is made if it is not there");
    ServerSpec spec = given;
    spec.directory = fs::absolute(given.directory).lexically_normal();
    if (!spec.directory.has_filename())
        spec.directory = spec.directory.parent_path();
    check_spec(spec);
    const Account account = account_of(spec.user);
    const ServerSetup setup = setup_of(spec, account, zone);

    check_is_free(spec.directory);
    std::vector<fs::path> folders{spec.directory / "run", spec.directory / "data"};
    for (const std::string &folder : setup.folders)
        folders.push_back(spec.directory / folder);
    for (const fs::path &folder : folders)
        make_folder(folder);

    OutputFile zone_file{spec.directory / "zone"};
    write_zone(zone, zone_file);
    zone_file.commit();
    for (const TextFile &file : setup.files)
        write_file(spec.directory / file.name, file.text, 0644);
    write_file(spec.directory / "start", start_script(setup), 0755);
    if (account.user.empty())
        return;
    for (const fs::path &folder : folders)
        give_to(account, folder);
}

} // namespace dnsgauge
