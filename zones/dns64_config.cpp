// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/dns64_config.h"

#include "common/pref64_text.h"
#include "common/setup_error.h"
#include "zones/bind9_config.h"
#include "zones/server_directory.h"

#include <fmt/format.h>

namespace dnsgauge
{

namespace
{

// Unbound answers for test. itself (RFC 6761), unless a local zone below it is transparent.
ServerSetup unbound_setup(const Dns64Spec &spec, const Account &account)
{
    const std::string directory = spec.directory.string();
    const std::string listen = joined(
        spec.listen,
        [](const IpAddress &address) { return "    interface: " + to_string(address) + "\n"; }, "");
    const std::string authoritative = joined(
        spec.authoritative,
        [&](const IpAddress &address) {
            return fmt::format("    forward-addr: {}@{}\n", to_string(address),
                               spec.authoritative_port);
        },
        "");
    const std::string threads =
        spec.threads ? fmt::format("    num-threads: {}\n", *spec.threads) : std::string();
    return {"unbound",
            "-d -c " + directory + "/unbound.conf",
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
    module-config: "dns64 iterator"
    dns64-prefix: {5}
    local-zone: "{6}." transparent
forward-zone:
    name: "{6}."
{7})",
                                          directory, account.user, spec.port, listen, threads,
                                          to_string(spec.prefix), spec.zone.text, authoritative)}}};
}

ServerSetup bind9_setup(const Dns64Spec &spec, const Account &account)
{
    const std::string authoritative = joined(
        spec.authoritative,
        [&](const IpAddress &address) {
            return fmt::format("{} port {}; ", to_string(address), spec.authoritative_port);
        },
        "");
    return bind9_server(
        {spec.directory.string(), spec.listen, spec.port, spec.threads}, account,
        fmt::format("    allow-query {{ any; }};\n    allow-recursion {{ any; }};\n"
                    "    dns64 {} {{ clients {{ any; }}; }};\n",
                    to_string(spec.prefix)),
        fmt::format("zone \"{}.\" {{ type forward; forward only; forwarders {{ {}}}; }};",
                    spec.zone.text, authoritative));
}

// The configuration keeps pdns_recursor from asking its makers over the network whether this
// version is safe.
ServerSetup pdns_recursor_setup(const Dns64Spec &spec, const Account &account)
{
    const std::string directory = spec.directory.string();
    const std::string listen = joined(
        spec.listen, [](const IpAddress &address) { return to_string(address); }, ", ");
    const std::string authoritative = joined(
        spec.authoritative,
        [&](const IpAddress &address) {
            const std::string host =
                address.is_ipv6 ? "[" + to_string(address) + "]" : to_string(address);
            return fmt::format("{}:{}", host, spec.authoritative_port);
        },
        ";");
    const std::string threads =
        spec.threads ? fmt::format("threads={}\n", *spec.threads) : std::string();
    const std::string user =
        account.user.empty() ? std::string()
                             : fmt::format("setuid={}\nsetgid={}\n", account.user, account.group);
    return {
        "pdns_recursor",
        "--config-dir=" + directory,
        "pdns-recursor",
        {{"recursor.conf", fmt::format(R"(local-address={1}
local-port={2}
{3}{4}socket-dir={0}/run
daemon=no
disable-syslog=yes
security-poll-suffix=
dnssec=process-no-validate
allow-from=0.0.0.0/0, ::/0
forward-zones={5}={6}
dns64-prefix={7}
)",
                                       directory, listen, spec.port, threads, user, spec.zone.text,
                                       authoritative, to_string(spec.prefix))}}};
}

ServerSetup setup_of(const Dns64Spec &spec, const Account &account)
{
    switch (spec.kind) {
    case Dns64Kind::unbound:
        return unbound_setup(spec, account);
    case Dns64Kind::bind9:
        return bind9_setup(spec, account);
    case Dns64Kind::pdns_recursor:
        break;
    }
    return pdns_recursor_setup(spec, account);
}

void check_spec(const Dns64Spec &spec)
{
    check_listen(spec.listen);
    if (spec.authoritative.empty())
        throw SetupError("no authoritative server to ask: give its address with --forward");
    if (spec.kind == Dns64Kind::pdns_recursor && spec.prefix.length != 96)
        throw SetupError(fmt::format("pdns_recursor synthesizes with prefixes of length 96 alone, "
                                     "not {}: choose such a --pref64",
                                     to_string(spec.prefix)));
}

} // namespace

void write_dns64_server(const Dns64Spec &given)
{
    Dns64Spec spec = given;
    spec.directory = server_directory(given.directory);
    check_spec(spec);
    const Account account = account_of(spec.user);
    write_server_directory(spec.directory, setup_of(spec, account), account, nullptr);
}

} // namespace dnsgauge
