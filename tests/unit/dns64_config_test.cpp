// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// DNS64 servers, and resolvers.
#include "zones/resolver_config.h"

#include "dns/pref64_text.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <regex>
#include <string>

using namespace dnsgauge;
using Catch::Contains;
namespace fs = std::filesystem;

namespace
{

Dns64Spec server_in(const fs::path &directory)
{
    Dns64Spec spec;
    spec.directory = directory;
    spec.listen = {parse_ip_address("198.18.0.2"), parse_ip_address("2001:2::2")};
    spec.port = 5353;
    spec.zone = parse_zone_name("dns64perf.test");
    spec.authoritative = {parse_ip_address("198.18.2.1"), parse_ip_address("2001:2:0:2::1")};
    spec.authoritative_port = 5354;
    spec.prefix = parse_pref64("2001:db8:64::/96");
    return spec;
}

// Returns the specification of a resolver in `folder`, whose hints are there already.
ResolverSpec resolver_in(const fs::path &folder)
{
    ResolverSpec spec;
    spec.hints = folder / "hints";
    write_file(spec.hints, ". 3600 NS a.root.\na.root. 3600 A 198.18.0.1\n");
    spec.directory = folder / "resolver";
    spec.listen = {parse_ip_address("198.18.0.2")};
    spec.port = 5353;
    return spec;
}

// Checks that every path in a configuration is inside its folder.
void check_paths(const std::string &text, const fs::path &folder)
{
    const std::regex path{R"([ "=](/[a-z][^ "\n;]*))"};
    for (std::sregex_iterator it(text.begin(), text.end(), path), end; it != end; ++it)
        CHECK_THAT((*it)[1].str(), Catch::StartsWith(folder.string()));
}

} // namespace

TEST_CASE("a DNS64 server has all it is told of in its configuration", "[zones]")
{
    struct Case {
        Dns64Kind kind;
        const char *file;
        std::vector<std::string> parts;
    };
    const auto c =
        GENERATE(Case{Dns64Kind::unbound,
                      "unbound.conf",
                      {"interface: 2001:2::2\n", "port: 5353\n", "forward-addr: 198.18.2.1@5354\n",
                       "forward-addr: 2001:2:0:2::1@5354\n", "dns64-prefix: 2001:db8:64::/96\n",
                       "name: \"dns64perf.test.\"", "num-threads: 3\n"}},
                 Case{Dns64Kind::bind9,
                      "named.conf",
                      {"listen-on-v6 port 5353 { 2001:2::2; }",
                       "forwarders { 198.18.2.1 port 5354; 2001:2:0:2::1 port 5354; }",
                       "dns64 2001:db8:64::/96 ", "zone \"dns64perf.test.\""}},
                 Case{Dns64Kind::pdns_recursor,
                      "recursor.conf",
                      {"local-address=198.18.0.2, 2001:2::2\n", "local-port=5353\n",
                       "forward-zones=dns64perf.test=198.18.2.1:5354;[2001:2:0:2::1]:5354\n",
                       "dns64-prefix=2001:db8:64::/96\n", "threads=3\n"}});
    const ScratchDirectory folder;
    Dns64Spec spec = server_in(folder.path());
    spec.kind = c.kind;
    spec.workers = 3;
    write_dns64_server(spec);
    write_dns64_server(spec); // over the files that are there

    const std::string text = read_file(folder.path() / c.file);
    for (const std::string &part : c.parts)
        CHECK_THAT(text, Contains(part));
    check_paths(text, folder.path());
    CHECK((fs::status(folder.path() / "start").permissions() & fs::perms::owner_exec) !=
          fs::perms::none);
    if (c.kind == Dns64Kind::bind9)
        CHECK_THAT(read_file(folder.path() / "start"), Contains(" -n 3"));
}

TEST_CASE("what a DNS64 server cannot do is refused before anything is written", "[zones]")
{
    const ScratchDirectory folder;
    Dns64Spec spec = server_in(folder.path() / "server");

    SECTION("a prefix of another length than 96")
    {
        spec.kind = Dns64Kind::pdns_recursor, spec.prefix = parse_pref64("2001:db8:64::/64");
    }
    SECTION("an unknown user")
    {
        spec.user = "no-such-user";
    }
    SECTION("a path to be quoted")
    {
        spec.directory = folder.path() / "my server";
    }

    CHECK_THROWS_AS(write_dns64_server(spec), SetupError);
    CHECK(fs::is_empty(folder.path()));
}

TEST_CASE("a resolver has all it is told of in its configuration", "[zones]")
{
    struct Case {
        ResolverKind kind;
        const char *file;
        std::vector<std::string> parts;
        std::vector<std::string> validating;
    };
    const auto c = GENERATE(
        Case{ResolverKind::unbound,
             "unbound.conf",
             {"port: 5353\n", "do-ip6: no\n", "root-hints: ", "module-config: \"iterator\"\n",
              "qname-minimisation-strict: yes\n", "use-caps-for-id: yes\n", "num-threads: 3\n",
              "msg-cache-size: 10737418240\n", "rrset-cache-size: 21474836480\n"},
             {"module-config: \"validator iterator\"\n", "trust-anchor: \". DS 1 8 2 AB\"\n"}},
        Case{ResolverKind::bind9,
             "named.conf",
             {"listen-on port 5353 { 198.18.0.2; }", "dnssec-validation no;", "type hint; file ",
              "qname-minimization strict;", "max-cache-size 32212254720;"},
             {"dnssec-validation yes;", "trust-anchors { . static-ds 1 8 2 \"AB\"; };"}},
        Case{ResolverKind::knot_resolver,
             "kresd.conf",
             {"net.listen({ '198.18.0.2' }, 5353, ", "net.ipv6 = false\n", "hints.root_file('",
              "trust_anchors.remove('.')\n", "cache.size = 32212254720\n"},
             {"trust_anchors.add('. DS 1 8 2 AB')\n"}},
        Case{ResolverKind::pdns_recursor,
             "recursor.conf",
             {"local-port=5353\n", "query-local-address=0.0.0.0\n", "hint-file=", "dnssec=off\n",
              "qname-minimization=yes\n", "max-cache-entries=30\n", "threads=3\n"},
             {"dnssec=validate\n", "/anchors.lua\n"}});
    const ScratchDirectory folder;
    ResolverSpec spec = resolver_in(folder.path());
    spec.kind = c.kind;
    spec.workers = 3;
    spec.families = Families::ipv4;
    constexpr std::uint64_t thirty_gigabytes = std::uint64_t{30} << 30U;
    if (c.kind == ResolverKind::pdns_recursor)
        spec.cache_entries = 30;
    else
        spec.cache_size = thirty_gigabytes;
    write_resolver(spec);

    std::string text = read_file(spec.directory / c.file);
    for (const std::string &part : c.parts)
        CHECK_THAT(text, Contains(part));
    check_paths(text, folder.path());
    CHECK(read_file(spec.directory / "root.hints") == read_file(spec.hints));
    const std::string start = read_file(spec.directory / "start");
    if (c.kind == ResolverKind::bind9)
        CHECK_THAT(start, Contains(" -n 3 -4"));
    if (c.kind == ResolverKind::knot_resolver)
        CHECK_THAT(start, Contains("seq 3") && Contains("rm -f "));

    spec.trust_anchor = "1 8 2 AB";
    write_resolver(spec);
    text = read_file(spec.directory / c.file);
    for (const std::string &part : c.validating)
        CHECK_THAT(text, Contains(part));
}

TEST_CASE("resolvers answer over TLS and HTTPS where they can", "[zones]")
{
    const ScratchDirectory folder;
    ResolverSpec spec = resolver_in(folder.path());
    spec.tls.certificate = folder.file("certificate.pem");
    spec.tls.key = folder.file("key.pem");
    write_file(spec.tls.certificate, "");
    write_file(spec.tls.key, "");

    SECTION("unbound")
    {
        spec.kind = ResolverKind::unbound;
        write_resolver(spec);
        CHECK_THAT(read_file(spec.directory / "unbound.conf"),
                   Contains("interface: 198.18.0.2@853\n    tls-port: 853\n"
                            "    interface: 198.18.0.2@443\n    https-port: 443\n"));
    }
    SECTION("knot-resolver")
    {
        spec.kind = ResolverKind::knot_resolver;
        write_resolver(spec);
        CHECK_THAT(read_file(spec.directory / "kresd.conf"),
                   Contains("net.listen({ '198.18.0.2' }, 853, { kind = 'tls' })\n"
                            "net.listen({ '198.18.0.2' }, 443, { kind = 'doh2' })\n"));
    }
    SECTION("pdns-recursor")
    {
        spec.kind = ResolverKind::pdns_recursor;
        CHECK_THROWS_WITH(write_resolver(spec), Contains("does not answer over TLS"));
        CHECK_FALSE(fs::exists(spec.directory));
    }
}

TEST_CASE("what a resolver cannot do is refused before anything is written", "[zones]")
{
    const ScratchDirectory folder;
    ResolverSpec spec = resolver_in(folder.path());

    SECTION("no file of root hints")
    {
        spec.hints = folder.path() / "nothing";
    }
    SECTION("root hints that name no server")
    {
        write_file(spec.hints, "a.root. 3600 A 198.18.0.1\n");
    }
    SECTION("a cache in octets for one that counts records")
    {
        spec.kind = ResolverKind::pdns_recursor, spec.cache_size = 1U << 30U;
    }
    SECTION("a cache in records for one that counts octets")
    {
        spec.cache_entries = 1000;
    }
    SECTION("an address of the family that it does not use")
    {
        spec.families = Families::ipv6;
    }
    SECTION("a trust anchor without a digest")
    {
        spec.trust_anchor = "1 8 2";
    }
    SECTION("a trust anchor that ends the configuration's quotes")
    {
        spec.trust_anchor = "1 8 2 AB\"";
    }

    CHECK_THROWS_AS(write_resolver(spec), SetupError);
    CHECK_FALSE(fs::exists(spec.directory));
}
