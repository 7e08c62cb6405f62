// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/resolver_config.h"

#include "dns/pref64_text.h"
#include "system/setup_error.h"
#include "zones/server_programs.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

namespace dnsgauge
{

namespace fs = std::filesystem;

namespace
{

constexpr const char *hints_name = "root.hints";

// named and unbound need at least this much. They do not obey a smaller size.
constexpr std::uint64_t cache_size_least = std::uint64_t{1} << 20U;

bool asks_by(const ResolverSpec &spec, Families family)
{
    return spec.families == Families::both || spec.families == family;
}

const char *yes_or_no(bool value)
{
    return value ? "yes" : "no";
}

std::string hints_of(const ResolverSpec &spec)
{
    return (spec.directory / hints_name).string();
}

// The message cache gets a third, as unbound.conf(5) advises.
std::string unbound_cache(const ResolverSpec &spec)
{
    if (!spec.cache_size)
        return {};
    return fmt::format("    msg-cache-size: {}\n    rrset-cache-size: {}\n", *spec.cache_size / 3,
                       *spec.cache_size - *spec.cache_size / 3);
}

ServerSetup unbound_setup(const ResolverSpec &spec, const Account &account)
{
    const std::string modules =
        spec.trust_anchor.empty()
            ? "    module-config: \"iterator\"\n"
            : fmt::format(
                  "    module-config: \"validator iterator\"\n    trust-anchor: \". DS {}\"\n",
                  spec.trust_anchor);
    return unbound_server(spec, account,
                          fmt::format(R"(    do-ip4: {}
    do-ip6: {}
    root-hints: "{}"
{}    qname-minimisation: yes
    qname-minimisation-strict: yes
    use-caps-for-id: yes
    aggressive-nsec: no
    unblock-lan-zones: yes
    insecure-lan-zones: yes
    local-zone: "test." nodefault
    local-zone: "invalid." nodefault
    local-zone: "onion." nodefault
    local-zone: "home.arpa." nodefault
    local-zone: "localhost." nodefault
    local-zone: "127.in-addr.arpa." nodefault
    local-zone: "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa." nodefault
{})",
                                      yes_or_no(asks_by(spec, Families::ipv4)),
                                      yes_or_no(asks_by(spec, Families::ipv6)), hints_of(spec),
                                      modules, unbound_cache(spec)),
                          "");
}

// named 9.18 cannot scramble letters.
ServerSetup bind9_setup(const ResolverSpec &spec, const Account &account)
{
    std::string validation = "no";
    std::string zones = fmt::format("zone \".\" {{ type hint; file \"{}\"; }};\n", hints_of(spec));
    if (!spec.trust_anchor.empty()) {
        std::istringstream anchor{spec.trust_anchor};
        std::string tag, algorithm, type, digest;
        anchor >> tag >> algorithm >> type >> digest;
        validation = "yes";
        zones += fmt::format("trust-anchors {{ . static-ds {} {} {} \"{}\"; }};\n", tag, algorithm,
                             type, digest);
    }
    ServerSetup setup =
        bind9_server(spec, account,
                     fmt::format(R"(    dnssec-validation {};
    recursion yes;
    allow-query {{ any; }};
    allow-recursion {{ any; }};
    qname-minimization strict;
    synth-from-dnssec no;
    empty-zones-enable no;
{})",
                                 validation, text_if(spec.cache_size, "    max-cache-size {};\n")),
                     zones);
    if (spec.families != Families::both)
        setup.arguments += spec.families == Families::ipv4 ? " -4" : " -6";
    return setup;
}

// kresd minimises names and scrambles letters by default. It has no strict minimisation. It has one
// thread; several processes share addresses and cache.
ServerSetup knot_resolver_setup(const ResolverSpec &spec, const Account &account)
{
    const std::string directory = spec.directory.string();
    const std::string addresses = joined(spec.listen, spec.port, "'{}'", ", ");
    const std::string tls =
        spec.tls ? fmt::format("net.tls('{1}', '{2}')\n"
                               "net.listen({{ {0} }}, {3}, {{ kind = 'tls' }})\n"
                               "net.listen({{ {0} }}, {4}, {{ kind = 'doh2' }})\n",
                               addresses, spec.tls.certificate.native(), spec.tls.key.native(),
                               spec.tls.port, spec.tls.https())
                 : std::string();
    const std::string anchor =
        spec.trust_anchor.empty()
            ? std::string()
            : fmt::format("trust_anchors.add('. DS {}')\n", spec.trust_anchor);
    ServerSetup setup{
        "kresd",
        fmt::format("-n -c {0}/kresd.conf {0}/data", directory),
        "knot-resolver",
        {{"kresd.conf", fmt::format(R"(net.ipv4 = {0}
net.ipv6 = {1}
net.listen({{ {2} }}, {3}, {{ kind = 'dns' }})
{8}modules = {{ 'hints > iterate' }}
hints.root_file('{4}')
policy.special_names = {{}}
trust_anchors.remove('.')
{5}{6}{7})",
                                    asks_by(spec, Families::ipv4), asks_by(spec, Families::ipv6),
                                    addresses, spec.port, hints_of(spec), anchor,
                                    text_if(spec.cache_size, "cache.size = {}\n"),
                                    account.text("user('{}', '{}')\n"), tls)}},
        {"data/control"}};
    setup.preparation = fmt::format("rm -f {0}/data/data.mdb {0}/data/lock.mdb", directory);
    setup.processes = spec.workers.value_or(1);
    return setup;
}

// pdns_recursor 4.8 neither scrambles letters nor knows a strict minimisation.
ServerSetup pdns_recursor_setup(const ResolverSpec &spec, const Account &account)
{
    const std::string own = spec.families == Families::both   ? "0.0.0.0, ::"
                            : spec.families == Families::ipv4 ? "0.0.0.0"
                                                              : "::";
    std::string validation = "dnssec=off\n";
    if (!spec.trust_anchor.empty())
        validation = fmt::format("dnssec=validate\nlua-config-file={}/anchors.lua\n",
                                 spec.directory.string());
    ServerSetup setup =
        pdns_recursor_server(spec, account,
                             fmt::format(R"(query-local-address={}
hint-file={}
{}qname-minimization=yes
aggressive-nsec-cache-size=0
dont-query=
serve-rfc1918=no
{})",
                                         own, hints_of(spec), validation,
                                         text_if(spec.cache_entries, "max-cache-entries={}\n")));
    if (!spec.trust_anchor.empty())
        setup.files.push_back(
            {"anchors.lua", fmt::format("clearTA('.')\naddTA('.', '{}')\n", spec.trust_anchor)});
    return setup;
}

ServerSetup setup_of(const ResolverSpec &spec, const Account &account)
{
    // In the order of ResolverKind.
    static constexpr std::array<ServerSetup (*)(const ResolverSpec &, const Account &), 4> setups{
        unbound_setup, bind9_setup, knot_resolver_setup, pdns_recursor_setup};
    return setups.at(static_cast<std::size_t>(spec.kind))(spec, account);
}

void check_cache(const ResolverSpec &spec)
{
    const bool counts_entries = spec.kind == ResolverKind::pdns_recursor;
    if (spec.cache_size && counts_entries)
        throw SetupError("pdns_recursor limits its cache by records: give --cache-entries in place "
                         "of --cache-size");
    if (spec.cache_entries && !counts_entries)
        throw SetupError("only pdns_recursor limits its cache by records: give --cache-size in "
                         "place of --cache-entries");
    if (spec.cache_size && *spec.cache_size < cache_size_least)
        throw SetupError("--cache-size: give at least 1M");
}

void check_families(const ResolverSpec &spec)
{
    if (spec.families == Families::both)
        return;
    for (const IpAddress &address : spec.listen) {
        if (address.is_ipv6 != (spec.families == Families::ipv6))
            throw SetupError("the resolver cannot answer on {}: --family keeps it to "
                             "the other family",
                             to_string(address));
    }
}

// Throws SetupError unless the text is the data of a DS record: three numbers and a digest.
void check_anchor(const std::string &text)
{
    if (text.empty())
        return;
    std::istringstream words{text};
    unsigned tag = 0;
    unsigned algorithm = 0;
    unsigned type = 0;
    std::string digest;
    std::string rest;
    const bool is_hexadecimal =
        (words >> tag >> algorithm >> type >> digest) &&
        digest.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
    if (!is_hexadecimal || (words >> rest))
        throw SetupError("\"" + text +
                         "\" is no trust anchor: give the root's DS data, such as \"20326 8 2 "
                         "E06D44B8...\", the digest without spaces");
}

// Returns the text of the file of root hints.
std::string hints_text(const fs::path &path)
{
    std::ifstream file{path};
    std::string text{std::istreambuf_iterator<char>{file}, {}};
    if (!file || fs::is_directory(path))
        throw SetupError("cannot read the root hints in " + path.string() +
                         ": name a file in the form of a zone file");
    std::istringstream words{text};
    if (std::none_of(std::istream_iterator<std::string>{words}, {},
                     [](const std::string &word) { return strcasecmp(word.c_str(), "NS") == 0; }))
        throw SetupError("no NS record in " + path.string() +
                         ": root hints name the root's servers and their addresses");
    return text;
}

// Unbound answers for test. itself (RFC 6761), unless a local zone below it is transparent.
ServerSetup unbound_setup(const Dns64Spec &spec, const Account &account)
{
    const std::string authoritative =
        joined(spec.authoritative, spec.authoritative_port, "    forward-addr: {}@{}\n");
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
    const std::string authoritative =
        joined(spec.authoritative, spec.authoritative_port, "{} port {}; ");
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
    const std::string authoritative =
        joined(spec.authoritative, spec.authoritative_port, "{2}:{1}", ";");
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
    if (spec.kind == Dns64Kind::pdns_recursor && spec.prefix.length != 96)
        throw SetupError("pdns_recursor synthesizes with prefixes of length 96 alone, "
                         "not {}: choose such a --pref64",
                         to_string(spec.prefix));
}

} // namespace

void write_resolver(ResolverSpec spec)
{
    const Account account = prepare(spec);
    check_cache(spec);
    check_families(spec);
    check_anchor(spec.trust_anchor);
    ServerSetup setup = setup_of(spec, account);
    setup.files.push_back({hints_name, hints_text(spec.hints)});
    write_server_directory(spec.directory, setup, account, nullptr);
}

void write_dns64_server(Dns64Spec spec)
{
    const Account account = prepare(spec);
    check_spec(spec);
    write_server_directory(spec.directory, setup_of(spec, account), account, nullptr);
}

} // namespace dnsgauge
