// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/dns64_config.h"

#include "common/pref64_text.h"
#include "common/setup_error.h"
#include "support/scratch_directory.h"

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
    spec.threads = 3;
    write_dns64_server(spec);
    write_dns64_server(spec); // over the files that are there

    const std::string text = read_file(folder.path() / c.file);
    for (const std::string &part : c.parts)
        CHECK_THAT(text, Contains(part));
    const std::regex path{R"([ "=](/[a-z][^ "\n;]*))"};
    for (std::sregex_iterator it(text.begin(), text.end(), path), end; it != end; ++it)
        CHECK_THAT((*it)[1].str(), Catch::StartsWith(folder.path().string()));
    CHECK((fs::status(folder.path() / "start").permissions() & fs::perms::owner_exec) !=
          fs::perms::none);
    if (c.kind == Dns64Kind::bind9)
        CHECK_THAT(read_file(folder.path() / "start"), Contains(" -n 3"));
}

TEST_CASE("what a DNS64 server cannot do is refused before anything is written", "[zones]")
{
    const ScratchDirectory folder;
    Dns64Spec spec = server_in(folder.path() / "server");

    SECTION("nobody to ask")
    {
        spec.authoritative.clear();
    }
    SECTION("no address")
    {
        spec.listen.clear();
    }
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
