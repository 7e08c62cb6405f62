// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/cells.h"
#include "experiment/keys.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"
#include "system/shell_text.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;
using Catch::Contains;
using Catch::EndsWith;

namespace
{

const std::set<std::string> options = {"names", "timeout", "max-rate", "fresh-names", "accept"};

struct Files {
    ScratchDirectory scratch;

    std::string write(const std::string &name, const std::string &text) const
    {
        write_file(scratch.file(name), text);
        return scratch.file(name);
    }
    [[nodiscard]] Experiment read(const std::string &text) const
    {
        return read_experiment(read_config("the experiment", write("experiment.toml", text)),
                               options);
    }
    [[nodiscard]] std::vector<Cell> cells(const std::string &text) const
    {
        const Experiment experiment = read(text);
        return cells_of(experiment, "/results", {{"bin", "/usr/bin"}});
    }
    // Returns the message about `text`, without the file's name.
    [[nodiscard]] std::string refusal(const std::string &text) const
    {
        try {
            static_cast<void>(cells(text));
        } catch (const SetupError &error) {
            const std::string said = error.what();
            CHECK_THAT(said, Catch::StartsWith(scratch.file("experiment.toml") + ":"));
            return said.substr(scratch.file("experiment.toml").size() + 1);
        }
        return "nothing";
    }
};

const std::string head = "title = \"T\"\n[matrix]\n";

std::vector<std::string> names_of(const std::vector<Cell> &cells)
{
    std::vector<std::string> names;
    for (const Cell &cell : cells)
        names.push_back(cell.name);
    return names;
}

} // namespace

TEST_CASE("a matrix is every combination, its first key slowest, then the extras")
{
    const Files files;
    const std::vector<Cell> cells = files.cells(R"(
title = "T"
[search]
names = "10.0.0.0/8"
timeout = 0.25
fresh-names = true
[matrix]
server = ["b", "a"]
cores = [1, 2]
[[extra]]
server = "a"
cores = 2
timeout = 0.1
[[rule]]
when = { cores = [2], server = "a" }
max-rate = 7
[servers.a]
start = ["taskset", "-c", "${cpuset}", "${bin}/a", "$${cores} ${names}", "${directory}/x"]
[servers.b]
[dut]
cpu-method = "cpuset"
cpu-list = [3, 5]
)");
    CHECK(names_of(cells) ==
          std::vector<std::string>{"b-1-0.25", "b-2-0.25", "a-1-0.25", "a-2-0.25", "a-2-0.1"});
    CHECK(cells[2].value("max-rate").empty());
    CHECK(cells[4].value("max-rate") == "7");
    CHECK(cells[4].search_words("j") == std::vector<std::string>{"--fresh-names", "--max-rate=7",
                                                                 "--names=10.0.0.0/8",
                                                                 "--timeout=0.1", "--journal=j"});
    CHECK(cells[3].servers.back().start ==
          std::vector<std::string>{"taskset", "-c", "3,5", "/usr/bin/a", "${cores} 10.0.0.0/8",
                                   "/results/servers/a/x"});
    CHECK(cells[2].servers.back().start[2] == "3");
}

TEST_CASE("an extra does without a key to which it gives an empty value")
{
    const Files files;
    const std::vector<Cell> cells = files.cells(R"(
title = "T"
[search]
names = "10.0.0.0/8"
[matrix]
accept = 100
timeout = [1, 2]
[[extra]]
accept = 99
timeout = ""
)");
    CHECK(names_of(cells) == std::vector<std::string>{"100-1", "100-2", "99"});
    CHECK(cells[2].search_words("j") ==
          std::vector<std::string>{"--accept=99", "--names=10.0.0.0/8", "--journal=j"});
}

TEST_CASE("a file goes over the one that it extends, and a site over both")
{
    const Files files;
    (void)files.write("base.toml", "title = \"base\"\n[search]\nnames = \"10.0.0.0/8\"\n"
                                   "timeout = 1\n[matrix]\naccept = [100]\n");
    ConfigValue config = read_config(
        "the experiment", files.write("top.toml", "extends = \"base.toml\"\ntitle = \"top\"\n"
                                                  "[search]\ntimeout = 0.5\n"));
    merge(config,
          read_config("the experiment", files.write("site.toml", "[search]\nmax-rate = 9\n")));
    const Experiment experiment = read_experiment(config, options);
    CHECK(experiment.title == "top");
    CHECK(experiment.search.at("names").value == "10.0.0.0/8");
    CHECK(experiment.search.at("names").place.file == files.scratch.file("base.toml"));
    CHECK(experiment.search.at("names").place.line == 3);
    CHECK(experiment.search.at("timeout").value == "0.5");
    CHECK(experiment.search.at("timeout").place.line == 4);
    CHECK(experiment.search.at("max-rate").value == "9");
    CHECK_THROWS_WITH(
        read_config("the experiment", files.write("self.toml", "extends = \"self.toml\"\n")),
        Contains("self.toml:1: extends: more than"));
    CHECK_THROWS_WITH(read_config("the experiment", files.scratch.file("none.toml")),
                      Contains("no such file"));
}

TEST_CASE("what cannot be is refused with its line and key")
{
    const Files files;
    CHECK_THAT(files.refusal("title = \"T\"\ntitel = \"T\"\n"),
               Contains("2: unknown key \"titel\""));
    CHECK_THAT(files.refusal("title = \"T\n"), Catch::StartsWith("1: "));
    CHECK_THAT(files.refusal("title = 7\n"), Contains("1: must be a text"));
    CHECK_THAT(files.refusal("[search]\nnames = \"x\"\npaws = 1\n"),
               Contains("3: unknown key \"paws\""));
    CHECK_THAT(files.refusal("[search]\nserver = \"198.18.0.2\"\n"),
               Contains("2: key \"server\": give the address as \"address\""));
    CHECK_THAT(files.refusal("[servers.a]\nstrat = [\"a\"]\n"),
               Contains("2: unknown key \"strat\" in [servers.a]"));
    CHECK_THAT(files.refusal("[servers.a]\nstart = \"a b\"\n"),
               Contains("2: must be a command as an array of words"));
    for (const std::string name : {"", "..", "a/b", "../b", "a b"})
        CHECK_THAT(files.refusal("[servers.\"" + name + "\"]\nstart = [\"a\"]\n"),
                   Contains("1: server \"" + name + "\": its files get that name"));
    CHECK_THAT(files.refusal("title = \"T\"\n"), Contains("needs a [matrix]"));
    CHECK_THAT(files.refusal(head + "accept = []\n"), Contains("3: accept: there is no value"));
    CHECK_THAT(files.refusal(head + "accept = [1, 2,\n1]\n"),
               Contains("4: accept: 1 stands there twice"));
    CHECK_THAT(files.refusal(head + "server = [\"a\"]\n"), Contains("3: there is no server \"a\""));
    CHECK_THAT(files.refusal(head + "cores = 2\n"), Contains("3: cores: [dut] must say"));
    const std::string dut = "[dut]\ncpu-method = \"cpuset\"\ncpu-list = [0]\n";
    CHECK_THAT(files.refusal(head + "cores = 2\n" + dut),
               Contains("3: cores 2: cpu-list of [dut] has 1 CPU"));
    CHECK_THAT(files.refusal(head + "accept = 1\n[dut]\ncpu-method = \"maxcpus\"\n"),
               Contains("4: cpu-method maxcpus needs power-cycle"));
    CHECK_THAT(files.refusal(head + "accept = 1\n[[rule]]\nwhen = { accept = 2 }\ntimeout = 1\n"),
               Contains("this rule fits no cell"));
    CHECK_THAT(
        files.refusal(head + "accept = [1, 2]\n[[rule]]\nwhen = { accept = 2 }\naccept = 1\n"),
        Contains("6: a rule cannot set accept, which varies"));
    CHECK_THAT(files.refusal(head + "accept = [1, 2]\n[[extra]]\ntimeout = 3\n"),
               Contains("5: an extra must say its accept"));
    CHECK_THAT(files.refusal(head + "accept = [1, 2]\n[[extra]]\naccept = 2\n"),
               Contains("5: two cells are alike"));
    CHECK_THAT(files.refusal(head + "accept = 1\n[variables]\ntimeout = 1\n"),
               Contains("5: variable timeout: it is a setting"));
    CHECK_THAT(files.refusal(head + "accept = 1\n[table]\nrows = \"accept\"\n"),
               Contains("4: with rows a table needs one key in columns"));
}

TEST_CASE("variables bring nothing into a command that a shell could take for its own")
{
    const Place place{"f", 3};
    const Variables variables = {{"a", "10.0.0.0/8"}, {"evil", "x; rm -rf /"}};
    CHECK(substitute({{"${a}", "-${a}-${a}", "$a $${a}"}, place}, variables) ==
          std::vector<std::string>{"10.0.0.0/8", "-10.0.0.0/8-10.0.0.0/8", "$a ${a}"});
    CHECK_THROWS_WITH(substitute({{"${evil}"}, place}, variables),
                      Contains("f:3: ${evil} is \"x; rm -rf /\""));
    CHECK_THROWS_WITH(substitute({{"${b}"}, place}, variables),
                      Contains("f:3: there is no variable ${b}"));
    CHECK_THROWS_WITH(substitute({{"${a"}, place}, variables), Contains("without its }"));
    CHECK(shell_text({"a", "b c", "", "it's", "$x"}) == "a 'b c' '' 'it'\\''s' '$x'");
}

TEST_CASE("messages of a search have the file's keys, and commands as they are")
{
    CHECK(in_keys(
              "5 queries/s may be too many: make one (dnsgauge selftest --rate 5 --timeout 1); or "
              "give --beyond-selftest, or leave --server and --cpus 1,2") ==
          "5 queries/s may be too many: make one (dnsgauge selftest --rate 5 --timeout 1); or give "
          "beyond-selftest, or leave address and cpus 1,2");
    CHECK(in_keys("mend that, then go on with --resume") == "mend that, then go on with --resume");
}

TEST_CASE("sets of the server's CPUs")
{
    // Two sockets of two cores; CPUs 0 and 1 share a core, 2 and 3 an L2 cache.
    const std::vector<CpuPlace> places = {
        {.cpu = 0, .socket = 0, .core = 0, .l2 = 0, .l3 = 0, .node = 0},
        {.cpu = 1, .socket = 0, .core = 0, .l2 = 0, .l3 = 0, .node = 0},
        {.cpu = 2, .socket = 1, .core = 1, .l2 = 1, .l3 = 1, .node = 1},
        {.cpu = 3, .socket = 1, .core = 2, .l2 = 1, .l3 = 1, .node = 1}};
    const std::vector<unsigned> cpus = {0, 1, 2, 3};
    using Lists = std::vector<std::string>;
    CHECK(server_cpu_lists("each", cpus, {}) == Lists{"0", "1", "2", "3"});
    CHECK(server_cpu_lists("pairs", cpus, {}) == Lists{"0,1", "0,2", "0,3", "1,2", "1,3", "2,3"});
    CHECK(server_cpu_lists("triples", cpus, {}) == Lists{"0,1,2", "0,1,3", "0,2,3", "1,2,3"});
    CHECK(server_cpu_lists("quads", cpus, {}) == Lists{"0,1,2,3"});
    CHECK(server_cpu_lists("0,2-3", cpus, {}) == Lists{"0,2-3"});
    CHECK(server_cpu_lists("pairs:same-core", cpus, places) == Lists{"0,1"});
    CHECK(server_cpu_lists("pairs:same-l2", cpus, places) == Lists{"2,3"});
    CHECK(server_cpu_lists("pairs:other-socket", cpus, places).size() == 4);
    CHECK(server_cpu_lists("triples:other-socket", cpus, places).size() == 4);
    const auto refused = [&](const std::string &word, const std::vector<unsigned> &among,
                             const std::vector<CpuPlace> &where, const std::string &why) {
        CHECK_THROWS_WITH(server_cpu_lists(word, among, where), Contains(why));
    };
    refused("both", cpus, places, "\"both\" is no list of CPUs");
    refused("pairs:near", cpus, places, "same-core, same-l2");
    refused("each:same-l2", cpus, places, "after pairs:");
    refused("pairs:same-l2", cpus, {}, "[placement] must name the topology");
    refused("pairs:same-l3", cpus, places, "this machine has no such CPUs");
    refused("pairs", {}, {}, "cpu-list");
    refused("quads", {0, 1}, {}, "this machine has no such CPUs");
}

TEST_CASE("a placement's settings are keys, and reach the command")
{
    const Files files;
    const std::string text = R"(
title = "T"
[dut]
cpu-list = [0, 1, 2]
[placement]
interface = "eth2"
irqbalance = "stop"
irq-cpus = "2"
[matrix]
server = "a"
server-cpus = ["pairs", "0,1"]
processes = 2
irq-cpus = ["0", "as-is"]
[servers.a]
start = ["taskset", "-c", "${server-cpus}", "a", "${processes}", "${cores}", "${cpuset}"]
)";
    const std::vector<Cell> cells = files.cells(text);
    REQUIRE(cells.size() == 6);
    CHECK(names_of(cells)[0] == "0,1-0");
    using Words = std::vector<std::string>;
    CHECK(cells[0].placement == Words{"--irq-cpus", "0", "--irqbalance", "stop"});
    CHECK(cells[1].placement == Words{"--irqbalance", "stop"});
    CHECK(cells[0].placement_command == Words{"/usr/bin/dnsgauge", "placement"});
    CHECK(cells[2].servers.at(0).start == Words{"taskset", "-c", "0,2", "a", "2", "2", "0,2"});
    CHECK(cells[0].search_words("j") == Words{"--journal=j"});

    const auto without = [&text](const std::string &line) {
        std::string rest = text;
        return rest.erase(rest.find(line), line.size());
    };
    CHECK_THAT(files.refusal(without("interface = \"eth2\"\n")), Contains("needs interface"));
    CHECK_THAT(files.refusal(without("cpu-list = [0, 1, 2]\n")), Contains("must have a cpu-list"));
    CHECK_THAT(files.refusal(head + "irq-cpus = \"1\"\n"), Contains("needs a [placement]"));
    CHECK_THAT(files.refusal(head + "server-cpus = \"0\"\ncores = 1\n[dut]\ncpu-list = [0]\n"),
               Contains("cores: server-cpus says already"));
    CHECK_THAT(files.refusal("title = \"T\"\n[variables]\nprocesses = 1\n[matrix]\n"),
               Contains("variable processes: it is a setting"));
    CHECK_THAT(files.refusal(head + "accept = 1\n[placement]\ninterface = \"e\"\nrq-cpus = 1\n"),
               Contains("unknown key \"rq-cpus\" in [placement]"));
    CHECK_THAT(files.refusal(head + "server-cpus = \"pairs:same-l2\"\n[placement]\n"
                                    "interface = \"e\"\ntopology = \"none.json\"\n"),
               Contains("none.json"));
}
