// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "zones/server_config.h"

#include "dns/pref64_text.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>

using namespace dnsgauge;
using Catch::Contains;
namespace fs = std::filesystem;

namespace
{

ZoneSpec small_zone()
{
    ZoneSpec zone;
    zone.zone = parse_zone_name("dns64perf.test");
    zone.names = parse_name_range("10.0.0.0/28");
    zone.aaaa_prefix = parse_pref64("2001:db8::/96");
    return zone;
}

ServerSpec server_in(const fs::path &directory)
{
    ServerSpec spec;
    spec.directory = directory;
    spec.listen = {parse_ip_address("198.18.0.2"), parse_ip_address("2001:2::2")};
    spec.port = 5353;
    return spec;
}

} // namespace

TEST_CASE("every path of a configuration is inside its directory", "[zones]")
{
    for (const ServerKind kind : {ServerKind::bind9, ServerKind::nsd, ServerKind::knot,
                                  ServerKind::yadifa, ServerKind::pdns}) {
        const ScratchDirectory folder;
        ServerSpec spec = server_in(folder.path());
        spec.kind = kind;
        write_server(spec, small_zone());
        write_server(spec, small_zone()); // over the files that are there

        int paths = 0;
        for (const fs::path &file : fs::directory_iterator(folder.path())) {
            if (file.extension() != ".conf")
                continue;
            const std::string text = read_file(file);
            const std::regex path{R"([ "=](/[a-z][^ "\n;]*))"};
            for (std::sregex_iterator it(text.begin(), text.end(), path), end; it != end; ++it) {
                CHECK_THAT((*it)[1].str(), Catch::StartsWith(folder.path().string()));
                paths++;
            }
        }
        CHECK(paths >= 3);
        CHECK((fs::status(folder.path() / "start").permissions() & fs::perms::owner_exec) !=
              fs::perms::none);
    }
}

TEST_CASE("servers answer over TLS and HTTPS where they can", "[zones]")
{
    const ScratchDirectory folder;
    ServerSpec spec = server_in(folder.path() / "server");
    spec.tls.certificate = folder.file("certificate.pem");
    spec.tls.key = folder.file("key.pem");
    CHECK_THROWS_WITH(write_server(spec, small_zone()), Contains("--tls-certificate: there is no"));
    write_file(spec.tls.certificate, "");
    write_file(spec.tls.key, "");
    spec.tls.port = 8853;

    SECTION("bind9")
    {
        spec.kind = ServerKind::bind9;
        spec.tls.https_port = 8443;
        write_server(spec, small_zone());
        const std::string text = read_file(spec.directory / "named.conf");
        CHECK_THAT(text, Contains("listen-on port 8853 tls service { 198.18.0.2; };"));
        CHECK_THAT(text, Contains("listen-on-v6 port 8443 tls service http default { 2001:2::2; "));
        CHECK_THAT(text, Contains("key-file \"" + spec.tls.key.string() + "\""));
    }
    SECTION("nsd")
    {
        spec.kind = ServerKind::nsd;
        write_server(spec, small_zone());
        const std::string text = read_file(spec.directory / "nsd.conf");
        CHECK_THAT(text, Contains("ip-address: 2001:2::2@8853\n    tls-port: 8853\n"));
        spec.tls.https_port = 443;
        CHECK_THROWS_WITH(write_server(spec, small_zone()), Contains("leave --https-port out"));
    }
    SECTION("others")
    {
        spec.kind = GENERATE(ServerKind::knot, ServerKind::yadifa, ServerKind::pdns);
        CHECK_THROWS_WITH(write_server(spec, small_zone()), Contains("does not answer over TLS"));
        CHECK_FALSE(fs::exists(spec.directory));
    }
}

TEST_CASE("a server's directory is its own", "[zones]")
{
    const ScratchDirectory folder;
    std::ofstream{folder.path() / "letter.txt"} << "mine";
    CHECK_THROWS_WITH(write_server(server_in(folder.path()), small_zone()), Contains("letter.txt"));
    CHECK_FALSE(fs::exists(folder.path() / "run"));
}

TEST_CASE("a configuration that somebody else wrote is not replaced", "[zones]")
{
    const ScratchDirectory folder;
    ServerSpec spec = server_in(folder.path());
    spec.kind = ServerKind::knot;
    write_file(folder.file("knot.conf"), "theirs");
    CHECK_THROWS_WITH(write_server(spec, small_zone()), Contains("knot.conf"));
    CHECK(read_file(folder.file("knot.conf")) == "theirs");
}

TEST_CASE("a link in a server's directory gives away nothing", "[zones]")
{
    const ScratchDirectory folder;
    const ScratchDirectory elsewhere;
    ServerSpec spec = server_in(folder.path() / "yadifa");
    spec.kind = ServerKind::yadifa;
    if (geteuid() == 0)
        spec.user = "nobody";
    write_server(spec, small_zone());
    const fs::path keys = folder.path() / "yadifa/run/keys";
    fs::remove(keys);
    fs::create_directory_symlink(elsewhere.path(), keys);
    CHECK_THROWS_WITH(write_server(spec, small_zone()), Contains("run/keys"));
    struct stat status {
    };
    REQUIRE(stat(elsewhere.path().c_str(), &status) == 0);
    CHECK(status.st_uid == geteuid());

    fs::remove_all(folder.path() / "yadifa/data");
    fs::create_directory_symlink(elsewhere.path(), folder.path() / "yadifa/data");
    CHECK_THROWS_WITH(write_server(spec, small_zone()), Contains("a link in") && Contains("data"));
}

TEST_CASE("what a server cannot do is refused before anything is written", "[zones]")
{
    const ScratchDirectory folder;
    ServerSpec spec = server_in(folder.path() / "server");

    SECTION("XDP")
    {
        spec.kind = ServerKind::nsd, spec.xdp_interface = "eth0";
    }
    SECTION("an interface's name")
    {
        spec.xdp_interface = "eth0 up";
    }
    SECTION("an address twice")
    {
        spec.listen.push_back(spec.listen.front());
    }
    SECTION("too many workers")
    {
        spec.kind = ServerKind::yadifa, spec.workers = 129;
    }
    SECTION("an unknown user")
    {
        spec.user = "no-such-user";
    }
    SECTION("a path to be quoted")
    {
        spec.directory = folder.path() / "my server";
    }
    SECTION("a path too long for sockets")
    {
        spec.directory /= std::string(80, 'x');
    }

    CHECK_THROWS_AS(write_server(spec, small_zone()), SetupError);
    CHECK(fs::is_empty(folder.path()));
}
