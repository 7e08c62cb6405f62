// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/dns64_config.h"

#include "userland/pref64_text.h"
#include "userland/setup_error.h"
#include "zones/server_programs.h"

#include <fmt/format.h>

#include <array>

namespace dnsgauge
{

namespace
{

// Unbound answers for test. itself (RFC 6761), unless a local zone below it is transparent.
ServerSetup unbound_setup(const Dns64Spec &spec, const Account &account)
{
    const std::string authoritative = joined(
        spec.authoritative,
        [&](const IpAddress &address) {
            return fmt::format("    forward-addr: {}@{}\n", to_string(address),
                               spec.authoritative_port);
        },
        "");
    return unbound_server(
        spec, account,
        fmt::format("    module-config: \"dns64 iterator\"\n"
                    "    dns64-prefix: {}\n"
                    "    local-zone: \"{}.\" transparent\n",
                    to_string(spec.prefix), spec.zone.text),
        fmt::format("forward-zone:\n    name: \"{}.\"\n{}", spec.zone.text, authoritative));
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
        spec, account,
        fmt::format("    dnssec-validation no;\n"
                    "    allow-query {{ any; }};\n    allow-recursion {{ any; }};\n"
                    "    dns64 {} {{ clients {{ any; }}; }};\n",
                    to_string(spec.prefix)),
        fmt::format("zone \"{}.\" {{ type forward; forward only; forwarders {{ {}}}; }};",
                    spec.zone.text, authoritative));
}

ServerSetup pdns_recursor_setup(const Dns64Spec &spec, const Account &account)
{
    const std::string authoritative = joined(
        spec.authoritative,
        [&](const IpAddress &address) {
            const std::string host =
                address.is_ipv6 ? "[" + to_string(address) + "]" : to_string(address);
            return fmt::format("{}:{}", host, spec.authoritative_port);
        },
        ";");
    return pdns_recursor_server(spec, account,
                                fmt::format("dnssec=process-no-validate\n"
                                            "forward-zones={}={}\n"
                                            "dns64-prefix={}\n",
                                            spec.zone.text, authoritative, to_string(spec.prefix)));
}

ServerSetup setup_of(const Dns64Spec &spec, const Account &account)
{
    // In the order of Dns64Kind.
    static constexpr std::array<ServerSetup (*)(const Dns64Spec &, const Account &), 3> setups{
        unbound_setup, bind9_setup, pdns_recursor_setup};
    return setups.at(static_cast<std::size_t>(spec.kind))(spec, account);
}

void check_spec(const Dns64Spec &spec)
{
    if (spec.authoritative.empty())
        throw SetupError("no authoritative server to ask: give its address with --forward");
    if (spec.kind == Dns64Kind::pdns_recursor && spec.prefix.length != 96)
        throw SetupError("pdns_recursor synthesizes with prefixes of length 96 alone, "
                         "not {}: choose such a --pref64",
                         to_string(spec.prefix));
}

} // namespace

void write_dns64_server(Dns64Spec spec)
{
    const Account account = prepare(spec);
    check_spec(spec);
    write_server_directory(spec.directory, setup_of(spec, account), account, nullptr);
}

} // namespace dnsgauge
