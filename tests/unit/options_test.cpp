// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A table of options: what is read into its values, refused, and made from its rows.
#include "options/command_line.h"
#include "options/help.h"
#include "options/option_error.h"
#include "options/options_json.h"
#include "system/shell_text.h"
#include "units/quantity_access.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <sstream>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;

namespace
{

enum class Colour { red, green };

constexpr auto colours = words<Colour>({{Colour::red, "red"}, {Colour::green, "green"}});

struct Values {
    std::string name;
    Rate rate{.per_second = 1000};
    Nanoseconds pause = 5s;
    Colour colour = Colour::red;
    bool loud = false;
    std::optional<std::uint16_t> vlan;
    std::vector<unsigned> cpus;
};

Options table(Values &values)
{
    return {Option("name", OptionGroup::what_is_tested, "NAME", "What it is", text(values.name),
                   {.is_required = true}),
            {"rate", OptionGroup::other, "QPS", "Speed", rate(values.rate)},
            Option("pause", OptionGroup::other, "SECONDS", "Waits",
                   dnsgauge::time(values.pause, 60), {.is_in_journal = false}),
            Option("colour", OptionGroup::other, "COLOUR", "Colour", word(values.colour, colours),
                   {.excludes = {"loud"}}),
            {"loud", OptionGroup::other, "", "Shouts", flag(values.loud)},
            {"vlan", OptionGroup::other, "ID", "Tag", whole(values.vlan, 1, 4094)},
            Option("cpus", OptionGroup::other, "LIST", "CPUs", cpus(values.cpus),
                   {.usual = "the first"})};
}

// Returns what is said of options that are refused.
std::string refusal(std::vector<GivenOption> given)
{
    Values values;
    try {
        read_options(table(values), given);
    } catch (const OptionError &error) {
        return error.what();
    }
    return {};
}

} // namespace

TEST_CASE("options are read into their values")
{
    Values values;
    read_options(table(values), {{"name", "a"},
                                 {"rate", "1.2M"},
                                 {"pause", "0.25"},
                                 {"colour", "green"},
                                 {"vlan", "7"},
                                 {"cpus", "0,2-3"}});
    CHECK(values.name == "a");
    CHECK(values.rate.per_second == 1'200'000);
    CHECK(values.pause == 250ms);
    CHECK(values.colour == Colour::green);
    CHECK_FALSE(values.loud);
    CHECK(values.vlan == 7);
    CHECK(values.cpus == std::vector<unsigned>{0, 2, 3});
}

TEST_CASE("a flag needs no text, and takes true or false")
{
    Values values;
    read_options(table(values), {{"name", "a"}, {"loud", ""}});
    CHECK(values.loud);
    read_options(table(values), {{"name", "a"}, {"loud", "false"}});
    CHECK_FALSE(values.loud);
    CHECK_THAT(refusal({{"name", "a"}, {"loud", "perhaps"}}), Contains("--loud takes no value"));
}

TEST_CASE("what is wrong with options names them")
{
    CHECK(refusal({{"rate", "1"}}) == "--name is required");
    CHECK(refusal({{"name", ""}}) == "--name has no value: give one, or leave the option out");
    CHECK(refusal({{"name", "a"}, {"name", "b"}}) == "--name is given twice");
    CHECK(refusal({{"name", "a"}, {"shade", "b"}}) == "there is no option --shade");
    CHECK_THAT(refusal({{"name", "a"}, {"loud", ""}, {"colour", "red"}}),
               Contains("--colour excludes --loud"));
    CHECK(refusal({{"name", "a"}, {"colour", "blue"}}) == "--colour blue: must be red or green");
    CHECK_THAT(refusal({{"name", "a"}, {"vlan", "010"}}), Contains("--vlan: \"010\" begins with"));
    CHECK_THAT(refusal({{"name", "a"}, {"vlan", "0"}}), Contains("--vlan 0: must be a whole"));
    CHECK_THAT(refusal({{"name", "a"}, {"vlan", "-1"}}), Contains("--vlan -1: must be a whole"));
    CHECK_THAT(refusal({{"name", "a"}, {"pause", "0"}}), Contains("--pause 0: must be seconds"));
}

TEST_CASE("all options that are missing are named at once, with what may be given instead")
{
    Values values;
    Options options = table(values);
    const auto refused = [&options](const std::vector<GivenOption> &given) -> std::string {
        try {
            read_options(options, given);
        } catch (const OptionError &error) {
            return error.what();
        }
        return {};
    };
    for (Option &option : options)
        if (option.name == "pause" || option.name == "cpus")
            option.is_required = true;
    CHECK(refused({}) == "--name, --pause and --cpus are required");
    CHECK(refused({{"pause", "1"}}) == "--name and --cpus are required");
    options.back().is_required = false;
    for (Option &option : options)
        if (option.name == "rate") {
            option.is_required = true;
            option.stand_ins = {"colour", "nowhere", "vlan"};
        }
    CHECK_THAT(refused({{"name", "a"}, {"pause", "1"}, {"cpus", "1"}}),
               Contains("--rate is required, unless --colour or --vlan is given"));
    CHECK_THAT(refused({{"cpus", "1"}}),
               Contains("--name and --pause are required; --rate is required, unless --colour or"));
    CHECK(refused({{"name", "a"}, {"pause", "1"}, {"cpus", "1"}, {"vlan", "7"}}).empty());
    CHECK_THAT(help_text(options), Contains("(or give --colour or --vlan)"));
}

TEST_CASE("an option that belongs to a source of queries is refused without that source")
{
    std::string file;
    std::string other;
    std::uint64_t seed = 0;
    const auto of_sources = [](OptionAccess access, std::vector<std::string> sources) {
        access.sources = std::move(sources);
        return access;
    };
    Options options{
        Option("queries", of_sources(text(file), {"a list"}), {.chooses_source = true}),
        Option("capture", of_sources(text(other), {"a capture"}), {.chooses_source = true}),
        {"shuffle", of_sources(whole(seed, 0), {"a list"})},
        {"seed", of_sources(whole(seed, 0), {"a list", "a capture"})}};
    CHECK_NOTHROW(read_options(options, {{"shuffle", "1"}, {"queries", "f"}}));
    CHECK_NOTHROW(read_options(options, {{"seed", "1"}, {"capture", "f"}}));
    CHECK_THROWS_WITH(read_options(options, {{"shuffle", "1"}, {"capture", "f"}}),
                      "--shuffle belongs to a list: give --queries, or leave --shuffle out");
    CHECK_THROWS_WITH(read_options(options, {{"seed", "1"}}),
                      "--seed belongs to a list or a capture: give --queries or --capture, or "
                      "leave --seed out");
    CHECK_THROWS_WITH(read_options(options, {{"queries", "f"}, {"capture", "f"}}),
                      "--capture excludes --queries: leave one of them out");
    // A table without the source has queries of its own.
    options.erase(options.begin(), options.begin() + 2);
    CHECK_NOTHROW(read_options(options, {{"shuffle", "1"}}));
}

TEST_CASE("an option that belongs to a value of another is refused with other values")
{
    std::string transport = "udp";
    std::uint64_t count = 0;
    const Options options{
        {"transport", text(transport)},
        Option("ports", whole(count, 0), {.only_with = {"transport", "udp"}}),
        Option("open", whole(count, 0), {.only_with = {"transport", "tcp"}}),
        Option("both", whole(count, 0), {.only_with = {"transport", "tcp", {"dot"}}}),
        Option("all", whole(count, 0), {.only_with = {"transport", "tcp", {"dot", "doq"}}}),
        Option("else", whole(count, 0), {.only_with = {"no such option", "tcp"}})};
    CHECK_NOTHROW(read_options(options, {{"ports", "1"}, {"else", "1"}}));
    CHECK_THROWS_WITH(read_options(options, {{"open", "1"}}),
                      "--open belongs to --transport tcp: give that, or leave --open out");
    CHECK_THROWS_WITH(read_options(options, {{"ports", "1"}, {"transport", "tcp"}}),
                      "--ports belongs to --transport udp: give that, or leave --ports out");
    CHECK_NOTHROW(read_options(options, {{"open", "1"}, {"transport", "tcp"}}));
    CHECK_NOTHROW(read_options(options, {{"both", "1"}}));
    CHECK_NOTHROW(read_options(options, {{"both", "1"}, {"transport", "dot"}}));
    CHECK_THROWS_WITH(read_options(options, {{"both", "1"}, {"transport", "udp"}}),
                      "--both belongs to --transport tcp or dot: give that, or leave --both out");
    CHECK_NOTHROW(read_options(options, {{"all", "1"}, {"transport", "doq"}}));
    CHECK_THROWS_WITH(
        read_options(options, {{"all", "1"}, {"transport", "udp"}}),
        "--all belongs to --transport tcp, dot or doq: give that, or leave --all out");
}

TEST_CASE("an option that needs another is refused without it")
{
    bool is_signed = false;
    bool denies = false;
    const Options options{{"sign", flag(is_signed)},
                          Option("deny", flag(denies), {.needs = {"sign"}})};
    CHECK_THROWS_WITH(read_options(options, {{"deny", ""}}), "--deny needs --sign: give both");
    CHECK_NOTHROW(read_options(options, {{"deny", ""}, {"sign", ""}}));
}

TEST_CASE("an option of a file is called by its place")
{
    CHECK_THAT(refusal({{"name", "a"}, {"vlan", "0", "my.toml:2: vlan"}}),
               Catch::StartsWith("my.toml:2: vlan 0: must be a whole number"));
}

TEST_CASE("an option may lack its text, or take several")
{
    std::optional<std::string> world;
    std::vector<std::string> names;
    const Options options{{"world", OptionGroup::other, "[FILE]", "", text(world)},
                          Option("predict", OptionGroup::other, "NAME...", "", texts(names),
                                 {.is_repeatable = true})};
    read_options(options,
                 parse_words(options, {"--world", "--predict", "a", "b", "--predict", "c"}));
    CHECK(world == "");
    CHECK(names == std::vector<std::string>{"a", "b", "c"});
    read_options(options, parse_words(options, {"--world", "here.toml"}));
    CHECK(world == "here.toml");
}

TEST_CASE("an error calls options what the user calls them")
{
    const OptionError error({"min-rate", "rate"}, "--min-rate 5 is not --rate, nor --rate-of-all");
    CHECK(error.called([](const std::string &name) { return "<" + name + ">"; }) ==
          "<min-rate> 5 is not <rate>, nor --rate-of-all");
    const OptionError shows({"rate"}, "--rate 5: see it (dnsgauge trial --rate 1), raise --rate");
    CHECK(shows.called([](const std::string &name) { return "<" + name + ">"; }) ==
          "<rate> 5: see it (dnsgauge trial --rate 1), raise <rate>");
}

TEST_CASE("command lines have what is not the default")
{
    Values values;
    Values usual;
    CHECK(command_words(table(values), table(usual)).empty());
    values.name = "a";
    values.loud = true;
    values.pause = 1500ms;
    values.cpus = {1, 3};
    CHECK(command_words(table(values), table(usual)) ==
          std::vector<std::string>{"--name", "a", "--pause", "1.5", "--loud", "--cpus", "1,3"});
}

TEST_CASE("a shown command gives a repeatable option once for each text, and means the same")
{
    const auto repeatable = [](std::vector<std::string> &files) {
        return Options{Option("capture", OptionGroup::other, "FILE", "", texts(files),
                              {.is_repeatable = true})};
    };
    std::vector<std::string> files;
    std::vector<std::string> none;
    read_options(repeatable(files), {{"capture", "a,b"}, {"capture", "it's c"}});
    const std::vector<std::string> words = command_words(repeatable(files), repeatable(none));
    CHECK(shell_text(words) == "--capture a,b --capture 'it'\\''s c'");

    std::vector<std::string> again;
    read_options(repeatable(again),
                 {{words.at(0).substr(2), words.at(1)}, {words.at(2).substr(2), words.at(3)}});
    CHECK(again == files);
}

TEST_CASE("a journal has the values that results depend on")
{
    Values values;
    values.name = "a";
    CHECK(journal_options(table(values)).dump() ==
          R"({"name":"a","rate":1000,"colour":"red","loud":false,"vlan":null,"cpus":[]})");
}

TEST_CASE("help has required options first, defaults, and 80 columns")
{
    Values values;
    Options options = table(values);
    const std::string help = help_text(options);
    CHECK(help.find("\nRequired:\n  --name NAME") == 0);
    CHECK_THAT(help, Contains("Waits (default: 5)") && Contains("Tag (1 to 4094)") &&
                         Contains("Colour (default: red)") &&
                         Contains("CPUs (default: the first)") && !Contains("Tag (default"));
    options[1].help = "Speed, " + std::string(30, 'x') + " and so on, until a line is full of it";
    std::istringstream lines(help_text(options));
    for (std::string line; std::getline(lines, line);)
        CHECK(line.size() <= help_width);
}

TEST_CASE("queues are one for each sender")
{
    std::vector<unsigned> value;
    const OptionAccess access = queues(value);
    const auto given = [&](const char *text) {
        access.set(text, "sender-queues");
        return text_of(access.get());
    };
    CHECK(given("3,1") == "3,1");
    CHECK(given("0,1") == "0,1"); // the usual ones win over queues that a self-test found
    CHECK(given("1-2") == "1,2");
    CHECK_THROWS_WITH(given("1,1"),
                      "sender-queues 1,1: names a queue twice: each sender needs its own");
    CHECK_THROWS_WITH(given("x"), "sender-queues: \"x\" is no list of queues: write it like 0,2-5");
}
