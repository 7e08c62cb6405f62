// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The file that fakedns --config names: what it sets, and errors with file, line and key.
#include "fakedns/cli.h"

#include "support/scratch_directory.h"
#include "userland/setup_error.h"

#include <catch2/catch.hpp>

#include <array>
#include <fstream>
#include <string>
#include <vector>

using namespace dnsgauge;

namespace
{

struct Config {
    explicit Config(const std::string &content) { std::ofstream(file) << content; }

    [[nodiscard]] CommandLine read(std::vector<const char *> words = {}) const
    {
        words.insert(words.begin(), {"fakedns", "--config", file.c_str()});
        return read_command_line(static_cast<int>(words.size()), words.data()).value();
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
        Case{"ttl = \"x\"", ":2: ttl: "}, Case{"ttl = -1", ":2: ttl: "},
        Case{"aaaa-share = 101", ":2: aaaa-share: "}, Case{"ttl = 1.5", ":2: ttl: must be"},
        Case{"ttl = [1, 2]", ":2: ttl: takes one value"},
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
    const std::array words{"fakedns", "--config", "/nowhere/fakedns.toml"};
    CHECK_THROWS_WITH(read_command_line(words.size(), words.data()),
                      Catch::Contains("/nowhere/fakedns.toml") && Catch::Contains("No such file"));
}
