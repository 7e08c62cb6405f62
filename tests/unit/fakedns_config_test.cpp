// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file that fakedns --config names: what it sets, and errors with file, line and key.
#include "fakedns/cli.h"

#include "support/scratch_directory.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <string>
#include <vector>

using namespace dnsgauge;

namespace
{

struct Config {
    explicit Config(const std::string &content) { std::ofstream(file) << content; }

    [[nodiscard]] CommandLine read(std::vector<std::string> words = {}) const
    {
        words.insert(words.begin(), {"fakedns", "--config", file});
        return read_command_line(words);
    }

    ScratchDirectory directory;
    std::string file = directory.file("fakedns.toml");
};

} // namespace

TEST_CASE("the file sets options, and the command line goes before it")
{
    const Config config("# what is served\ninterface = [\"d0\", \"d1\"]\nport = 5300\nttl = 7\n"
                        "zone = \"a.test,ttl=5\"\nverbose = true\naaaa-share = 40\n");
    const CommandLine line = config.read({"--port", "5301"});
    CHECK(line.server.setup.interfaces == std::vector<std::string>{"d0", "d1"});
    CHECK(line.server.setup.port == 5301);
    CHECK(line.verbose);
    REQUIRE(line.server.content.zones.count == 1);
    CHECK(line.server.content.zones.zone[0].ttl == 5);
    CHECK(line.server.content.zones.zone[0].aaaa_share == 40);
    CHECK(line.server.setup.config_file == config.file);
}

TEST_CASE("an error tells file, line and key")
{
    struct Case {
        std::string line;
        std::string said;
    };
    const Case wrong = GENERATE(
        Case{"tll = 5", ":2: tll: there is no such option: did you mean ttl?"},
        Case{"ttl = \"x\"", ":2: ttl x: must be"}, Case{"ttl = -1", ":2: ttl -1: must be"},
        Case{"aaaa-share = 101", ":2: aaaa-share 101: must be"},
        Case{"ttl = 1.5", ":2: ttl 1.5: must be"}, Case{"ttl = [1, 2]", ":2: ttl: takes one value"},
        Case{"zone = []", ":2: zone: the array is empty"}, Case{"[ttl]", ":2: ttl: must be"},
        Case{"config = \"x\"", ":2: config: there is"}, Case{"nonsense", ":2: \"nonsense\": "},
        Case{"interface = \"d1\"", ":2: "});
    const Config config("interface = \"d0\"\n" + wrong.line + "\n");
    CAPTURE(wrong.line);
    CHECK_THROWS_WITH(config.read(), Catch::StartsWith(config.file + wrong.said));
    CHECK_THROWS_AS(config.read(), SetupError);
}

TEST_CASE("a file that is not there is named")
{
    CHECK_THROWS_WITH(read_command_line({"fakedns", "--config", "/nowhere/fakedns.toml"}),
                      Catch::Contains("/nowhere/fakedns.toml") && Catch::Contains("No such file"));
}
