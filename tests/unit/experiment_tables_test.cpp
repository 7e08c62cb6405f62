// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/experiment_json.h"
#include "experiment/placement_control.h"
#include "experiment/tables.h"
#include "result/series_result.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

const std::set<std::string> options = {"accept",   "names",      "timeout",
                                       "duration", "aaaa-share", "cached-share"};

Experiment experiment_of(const std::string &text)
{
    const ScratchDirectory scratch;
    write_file(scratch.file("e.toml"), text);
    return read_experiment(read_config("the experiment", scratch.file("e.toml")), options);
}

// The result of 20 repetitions that all found the same rate.
CellOutcome outcome(std::uint64_t rate)
{
    CellOutcome made;
    made.result.end = TrialsEnd::complete;
    made.result.trials = 1;
    made.result.last_trial = TrialSummary{};
    for (int i = 0; i < 20; i++)
        made.result.repetitions.push_back({.trials = {}, .rate = Rate{rate}, .cap = {}});
    made.result.duration = std::chrono::seconds(60);
    made.result.timeout = std::chrono::seconds(1);
    return made;
}

// The results of the experiment's cells, with the caveats that they get.
CellResults described(const Experiment &experiment, const std::vector<CellOutcome> &outcomes)
{
    CellResults results;
    for (const Cell &cell : cells_of(experiment, "/d", {})) {
        CellOutcome made = outcomes.at(results.size());
        made.result.caveats.scaled_down = experiment.scaled_down;
        add_findings(made.result);
        results.push_back({cell, made, {{"setup", {}}, {"options", {}}}});
    }
    return results;
}

Table::Row row(const Table &table, const std::string &name)
{
    for (const Table::Row &cells : table.rows)
        if (cells.front() == name)
            return {cells.begin() + 1, cells.end()};
    FAIL("no row " << name);
    return {};
}

// Results of DNS64 searches at these shares of AAAA records and of cached names.
CellOutcome outcome(std::uint64_t rate, unsigned aaaa, unsigned cached)
{
    CellOutcome made = outcome(rate);
    made.result.dns64 = Dns64Conditions{aaaa, "2001:db8::/96", cached};
    return made;
}

std::vector<std::string> captions(const std::vector<Table> &tables)
{
    std::vector<std::string> all;
    for (const Table &table : tables)
        all.push_back(table.caption);
    return all;
}

std::string refusal(const std::string &text)
{
    try {
        check_layout(experiment_of(text));
    } catch (const SetupError &error) {
        const std::string said = error.what();
        return said.substr(said.find(".toml:") + 6);
    }
    return "nothing";
}

} // namespace

TEST_CASE("a table has the paper's columns, and every form of it the labels")
{
    const Experiment experiment = experiment_of(R"(
title = "BIND by cores"
scaled-down = "tiny zone"
[search]
timeout = 0.25
[matrix]
cores = [1, 2]
[[extra]]
cores = 2
timeout = 0.1
[dut]
cpu-method = "cpuset"
cpu-list = [0, 1]
)");
    std::vector<CellOutcome> outcomes = {outcome(100), outcome(200), {}};
    outcomes[1].result.caveats.deviations = {"trials of 1 s, not 60 s"};
    outcomes[2].failure = "even max-rate 9 passes";
    const std::vector<Table> tables = tables_of(experiment, described(experiment, outcomes));
    REQUIRE(tables.size() == 1);
    const Table &table = tables[0];
    CHECK(table.heads == std::vector<Table::Row>{{"Num. CPU cores", "1", "2", "2"},
                                                 {"Timeout (s)", "0.25", "0.25", "0.1"}});
    CHECK(table.rows.at(0) == Table::Row{"Median (qps)", "100", "200", "-"});
    CHECK(table.rows.at(4) == Table::Row{"N", "20", "20", "0"});
    CHECK(table.caption == "BIND by cores [SCALED DOWN] [not compliant with RFC 8219]");
    for (const TableForm form :
         {TableForm::text, TableForm::csv, TableForm::markdown, TableForm::latex}) {
        const std::string text = render(table, form);
        CHECK_THAT(text, Contains("Scaled down") && Contains("not compliant"));
        CHECK_THAT(text, Contains("20"));
    }
    CHECK_THAT(render(table, TableForm::text),
               Contains("2, 0.1: even max-rate 9 passes") && Contains("tiny zone.") &&
                   Contains("trials of 1 s, not 60 s.") && Contains("cpuset, not by maxcpus="));
    CHECK(row(table, "CPU cores by") == Table::Row{"cpuset", "cpuset", "cpuset"});

    const nlohmann::ordered_json json =
        written(ExperimentResult{experiment, "e.toml", described(experiment, outcomes)});
    CHECK(json.at("schema") == "dnsgauge/experiment/1");
    CHECK(json.at("scaled_down") == "tiny zone");
    CHECK(json.at("rfc8219_compliant") == false);
    CHECK(json.at("complete") == false);
    CHECK(json.at("cells").at(0).at("search").at("rates").size() == 20);
    CHECK(json.at("cells").at(2).at("search").is_null());
    CHECK(json.at("cells").at(2).at("failure") == "even max-rate 9 passes");
    CHECK(json.at("tables").at(0).at("heads") == table.heads);
}

TEST_CASE("what a self-test lacked that covers a cell is said once, in every form")
{
    const Experiment experiment = experiment_of(R"(
title = "NSD by cores"
[matrix]
cores = [1, 2]
[dut]
cpu-method = "maxcpus"
power-cycle = ["true"]
)");
    std::vector<CellOutcome> outcomes = {outcome(100), outcome(300)};
    for (CellOutcome &made : outcomes)
        made.result.caveats.selftest.emplace();
    CHECK(labels_of(experiment, described(experiment, outcomes)).empty());
    for (CellOutcome &made : outcomes)
        made.result.caveats.selftest->deviations = {
            "a failed trial was tried again, up to 5 times"};
    const std::string label = "The Tester's self-test is itself not compliant with RFC 8219: a "
                              "failed trial was tried again, up to 5 times";
    CHECK(labels_of(experiment, described(experiment, outcomes)) == std::vector{label});
    const Table table = tables_of(experiment, described(experiment, outcomes)).at(0);
    for (const TableForm form : {TableForm::text, TableForm::markdown})
        CHECK_THAT(render(table, form), Contains(label));
    // A self-test that covers nothing vouches for nothing.
    for (CellOutcome &made : outcomes)
        made.result.caveats.selftest->why_not = "allows less";
    CHECK_THAT(labels_of(experiment, described(experiment, outcomes)).at(0),
               Contains("Beyond the Tester's self-test"));
}

TEST_CASE("what the Tester may have limited is in parentheses, with a note, in every form")
{
    const Experiment experiment = experiment_of(R"(
title = "NSD by cores"
[matrix]
cores = [1, 2, 4, 8]
[dut]
cpu-method = "maxcpus"
power-cycle = ["true"]
)");
    std::vector<CellOutcome> outcomes = {outcome(100), outcome(300), outcome(400), outcome(0)};
    // A self-test allows 200. The results were found within that, beyond it, without a self-test
    // that tells its limit, and at the limit itself, which passed.
    for (CellOutcome &made : outcomes) {
        made.result.caveats.selftest = SelftestCover{};
        made.result.caveats.selftest->allowed = Rate{200};
        for (Repetition &one : made.result.repetitions)
            one.trials = {{.rate = Rate{one.rate->per_second + 1},
                           .verdict = Verdict::fail,
                           .sent = 9,
                           .valid = 8,
                           .why = {}}};
    }
    outcomes[2].result.caveats.selftest->allowed.reset();
    outcomes[2].result.caveats.selftest->why_not = "there was none";
    outcomes[3].result.repetitions.clear();
    outcomes[3].result.end = TrialsEnd::above_range;
    outcomes[3].result.max_rate = Rate{200};
    const Table table = tables_of(experiment, described(experiment, outcomes)).at(0);
    CHECK(table.heads == std::vector<Table::Row>{{"Num. CPU cores", "1", "(2)", "4", "(8)"}});
    CHECK(table.rows.at(0) == Table::Row{"Median (qps)", "100", "(300)", "400", "(-)"});
    CHECK(std::find(table.rows.begin(), table.rows.end(),
                    Table::Row{"Limited by", "", "Tester", "", "Tester"}) != table.rows.end());
    CHECK_THAT(render(table, TableForm::text),
               Contains("In parentheses: limited by the Tester") &&
                   Contains("2: 20 of 20 searches failed above the 200 queries/s") &&
                   Contains("8: passes 200 queries/s, and the Tester's self-test allows no more "
                            "than 200"));
    for (const TableForm form :
         {TableForm::text, TableForm::csv, TableForm::markdown, TableForm::latex})
        CHECK_THAT(render(table, form),
                   Contains("(300)") && !Contains("(400)") && Contains("Limited by"));
    // The upper end of a range below the self-test's limit is the range's limit, not the Tester's.
    outcomes[3].result.max_rate = Rate{199};
    CHECK(tables_of(experiment, described(experiment, outcomes)).at(0).heads.at(0).at(4) == "8");
}

TEST_CASE("calculated rates stand below when every column has a result")
{
    const Experiment experiment = experiment_of(R"(
title = "T"
[matrix]
duration = [5, 60]
[table]
statistics = ["mean", "median"]
calculated-rate = true
)");
    std::vector<CellOutcome> outcomes = {outcome(3448), outcome(2926)};
    outcomes[0].result.duration = std::chrono::seconds(5);
    Table table = tables_of(experiment, described(experiment, outcomes)).at(0);
    CHECK(table.heads == std::vector<Table::Row>{{"Test duration (s)", "5", "60"}});
    CHECK(row(table, "Calculated rate (qps)") == Table::Row{"2873.3", "2878.0"});
    CHECK(row(table, "Timeout gain max. (%)") == Table::Row{"16.67", "1.64"});
    outcomes[1] = {};
    table = tables_of(experiment, described(experiment, outcomes)).at(0);
    CHECK(table.rows.back().front() == "Accepted (%)");
    CHECK_THAT(render(table, TableForm::text), Contains("need a result in every column"));
}

TEST_CASE("two settings make a grid, and another one tables")
{
    const Experiment experiment = experiment_of(R"(
title = "T"
[matrix]
timeout = [1, 2]
names = ["10.0.0.0/8", "10.0.0.0/9"]
duration = [60, 61]
[table]
tables = ["timeout"]
rows = "names"
columns = ["duration"]
statistics = ["median"]
)");
    const std::vector<Cell> cells = cells_of(experiment, "/d", {});
    REQUIRE(cells.size() == 8);
    std::vector<CellOutcome> outcomes;
    for (std::uint64_t rate = 1; rate <= 8; rate++)
        outcomes.push_back(outcome(rate));
    outcomes[7] = {};
    outcomes[7].result.caveats.deviations = {"accepts 99 %"};
    const std::vector<Table> tables = tables_of(experiment, described(experiment, outcomes));
    REQUIRE(tables.size() == 2);
    CHECK(tables[0].caption == "T, Timeout (s) 1");
    CHECK(tables[0].heads ==
          std::vector<Table::Row>{{"Zone size \\ Test duration (s)", "60", "61"}});
    CHECK(tables[0].rows == std::vector<Table::Row>{{"/8: Median (qps)", "1", "2"},
                                                    {"/8: N", "20", "20"},
                                                    {"/8: accepted (%)", "100", "100"},
                                                    {"/9: Median (qps)", "3", "4"},
                                                    {"/9: N", "20", "20"},
                                                    {"/9: accepted (%)", "100", "100"}});
    CHECK(tables[1].rows.at(3) == Table::Row{"/9: Median (qps)", "7", "-"});
    outcomes[0].result.caveats.selftest = SelftestCover{};
    outcomes[0].result.caveats.selftest->allowed = Rate{0};
    const Table limited = tables_of(experiment, described(experiment, outcomes)).at(0);
    CHECK(limited.rows.at(0) == Table::Row{"/8: Median (qps)", "(1)", "2"});
    CHECK(limited.rows.at(2) == Table::Row{"/8: Limited by", "Tester", ""});
    CHECK_THAT(limited.notes.at(0), Contains("In parentheses: limited by the Tester"));
    outcomes[0].result.caveats.selftest->why_not = "there was none";
    const Table beyond = tables_of(experiment, described(experiment, outcomes)).at(0);
    CHECK(row(beyond, "/8: accepted (%)") ==
          Table::Row{"100, beyond the Tester's self-test", "100"});
    CHECK(tables[1].rows.back() ==
          Table::Row{"/9: accepted (%)", "100", "100, not compliant with RFC 8219"});
    CHECK_THAT(render(tables[1], TableForm::csv), Contains("not compliant with RFC 8219"));
    CHECK_THAT(render(tables[1], TableForm::text),
               Contains("not compliant with RFC 8219: accepts 99 %."));
}

TEST_CASE("shares of cached names and of AAAA records are RFC 8219's own grid")
{
    const Experiment experiment = experiment_of(R"(
title = "T"
[matrix]
cached-share = [0, 20]
aaaa-share = [0, 100]
[table]
rows = "cached-share"
columns = ["aaaa-share"]
)");
    std::vector<CellOutcome> outcomes(4);
    CHECK(tables_of(experiment, described(experiment, outcomes)).at(0).rows.empty());
    outcomes[3] = outcome(5000);
    outcomes[3].result.dns64 = Dns64Conditions{100, "2001:db8::/96", 20};
    const Table table = tables_of(experiment, described(experiment, outcomes)).at(0);
    CHECK(table.rows.at(0) == Table::Row{"20: Median (qps)", "5000"});
    CHECK_THAT(render(table, TableForm::text), Contains("0 % + 0 %, which was not measured"));
}

TEST_CASE("what varies must stand somewhere in the tables")
{
    const std::string two_by_two = "title = \"T\"\n[matrix]\naccept = [100, 99.99]\n"
                                   "duration = [5, 60]\n";
    CHECK(refusal(two_by_two) == "nothing");
    CHECK(refusal(two_by_two + "[table]\ntables = [\"accept\"]\n") == "nothing");
    CHECK(refusal(two_by_two + "[table]\nrows = \"accept\"\ncolumns = [\"duration\"]\n") ==
          "nothing");
    CHECK_THAT(
        refusal(two_by_two + "[table]\ncolumns = [\"duration\"]\n"),
        Catch::StartsWith("3: accept: it varies, but is in none of tables, columns and rows") &&
            Contains("add \"accept\" to tables"));
    CHECK_THAT(refusal(two_by_two + "[[extra]]\naccept = 100\nduration = 5\ntimeout = 2\n"
                                    "[table]\nrows = \"accept\"\ncolumns = [\"duration\"]\n"),
               Catch::StartsWith("8: timeout: it varies"));
}

TEST_CASE("values that look alike in brief are shown whole")
{
    const std::string head = "title = \"T\"\n[servers.a]\nlabel = \"NSD\"\n[servers.b]\n"
                             "label = \"NSD\"\n[matrix]\n";
    const auto heads = [](const std::string &text) {
        const Experiment experiment = experiment_of(text);
        return tables_of(experiment, described(experiment, {{}, {}})).at(0).heads;
    };
    CHECK(heads(head + "names = [\"10.0.0.0/8\", \"20.0.0.0/8\"]\n") ==
          std::vector<Table::Row>{{"Zone size", "10.0.0.0/8", "20.0.0.0/8"}});
    CHECK(heads(head + "names = [\"10.0.0.0/8\", \"10.0.0.0/9\"]\n") ==
          std::vector<Table::Row>{{"Zone size", "/8", "/9"}});
    CHECK(heads(head + "server = [\"a\", \"b\"]\n") ==
          std::vector<Table::Row>{{"Server", "a", "b"}});
    CHECK(heads(head + "server = [\"a\"]\n") == std::vector<Table::Row>{{"Server", "NSD"}});
}

TEST_CASE("a grid that cannot be made is a table of all that was measured")
{
    const Experiment experiment = experiment_of(R"(
title = "T"
[matrix]
cached-share = [0, "00"]
aaaa-share = [0, 100]
[table]
rows = "cached-share"
columns = ["aaaa-share"]
statistics = ["median"]
)");
    const std::vector<CellOutcome> outcomes = {outcome(1, 0, 0), outcome(2, 100, 0),
                                               outcome(3, 0, 0), outcome(4, 100, 0)};
    const Table table = tables_of(experiment, described(experiment, outcomes)).at(0);
    CHECK(table.heads == std::vector<Table::Row>{{"Cache hit rate (%)", "0", "0", "00", "00"},
                                                 {"AAAA record rate (%)", "0", "100", "0", "100"}});
    CHECK(row(table, "Median (qps)") == Table::Row{"1", "2", "3", "4"});
    CHECK_THAT(render(table, TableForm::text),
               Contains("No grid can be made of this: two searches"));
}

TEST_CASE("sustainable rates are judged for each server and timeout on its own")
{
    const Experiment experiment = experiment_of(R"(
title = "T"
[servers.a]
label = "A"
[servers.b]
label = "B"
[matrix]
server = ["a", "b"]
duration = [5, 60]
[[rule]]
when = { server = "b" }
timeout = 2
[table]
statistics = ["median"]
calculated-rate = true
)");
    std::vector<CellOutcome> outcomes = {outcome(3448), outcome(2926), outcome(1000),
                                         outcome(1000)};
    outcomes[0].result.duration = outcomes[2].result.duration = std::chrono::seconds(5);
    outcomes[2].result.timeout = outcomes[3].result.timeout = std::chrono::seconds(2);
    Table table = tables_of(experiment, described(experiment, outcomes)).at(0);
    CHECK(row(table, "Calculated rate (qps)") == Table::Row{"2873.3", "2878.0", "", ""});
    CHECK(row(table, "Calc. rate (wrong)") == Table::Row{"", "", "714.3", "967.7"});
    CHECK(row(table, "Timeout gain max. (%)") == Table::Row{"16.67", "1.64", "28.57", "3.23"});
    CHECK_THAT(render(table, TableForm::text),
               Contains("Sustainable rate, A: the") && Contains("Sustainable rate, B, 2: wrong"));
    outcomes[3] = {};
    table = tables_of(experiment, described(experiment, outcomes)).at(0);
    CHECK(row(table, "Calculated rate (qps)") == Table::Row{"2873.3", "2878.0", "", ""});
    CHECK_THAT(render(table, TableForm::text), Contains("need a result in every column"));
}

TEST_CASE("the DNS64 model is fitted to what an experiment measured, for each server")
{
    const std::string text = R"(
title = "T"
scaled-down = "tiny"
[servers.a]
label = "A"
[servers.b]
label = "B"
[matrix]
server = ["a", "b"]
cached-share = [0, 100]
[table]
model = true
)";
    const Experiment experiment = experiment_of(text);
    CHECK_NOTHROW(check_layout(experiment));
    std::vector<CellOutcome> outcomes = {outcome(4000, 0, 0), outcome(20000, 0, 100), {}, {}};
    std::vector<Table> tables = tables_of(experiment, described(experiment, outcomes));
    CHECK(captions(tables) ==
          std::vector<std::string>{"T [SCALED DOWN]",
                                   "T, Server A: times of the DNS64 model [SCALED DOWN]",
                                   "T, Server A: rates of the DNS64 model [SCALED DOWN]",
                                   "T, Server B: times of the DNS64 model [SCALED DOWN]"});
    CHECK(row(tables[1], "TC") == Table::Row{"5e-05", "", ""});
    CHECK(row(tables[1], "2 TA + TS") == Table::Row{"0.0002", "", ""});
    CHECK(row(tables[1], "TA").at(2) == "not determined by these shares");
    CHECK(row(tables[2], "100") == Table::Row{"0", "20000", "20000", "+0.00"});
    CHECK_THAT(row(tables[3], "all").at(2),
               Contains("two different shares") && Contains("0 of 2 cells"));
    for (const TableForm form :
         {TableForm::text, TableForm::csv, TableForm::markdown, TableForm::latex})
        CHECK_THAT(render(tables[1], form), Contains("Scaled down"));

    // A rate that the Tester limits tells nothing about the server's times.
    outcomes[1].result.caveats.selftest = SelftestCover{};
    outcomes[1].result.caveats.selftest->allowed = Rate{10000};
    outcomes[1].result.repetitions[0].trials = {TrialSummary{}};
    outcomes[1].result.repetitions[0].cap = Cap{};
    tables = tables_of(experiment, described(experiment, outcomes));
    REQUIRE(tables.size() == 3);
    CHECK_THAT(row(tables[1], "all").at(2), Contains("1 more may be limited by the Tester"));
    CHECK(row(tables[1], "Capped searches") == Table::Row{"1"});

    CHECK(written(ExperimentResult{experiment, "e.toml", described(experiment, outcomes)})
              .at("tables")
              .size() == 3);
    CHECK_THAT(refusal("title = \"T\"\n[matrix]\naccept = [1, 2]\n[table]\nmodel = true\n"),
               Catch::StartsWith("4: model: neither aaaa-share nor cached-share varies"));
}

TEST_CASE("a flat curve over server processes is a warning")
{
    const Experiment experiment = experiment_of(R"(
title = "Echo"
[matrix]
server = ["echo", "nsd"]
processes = [1, 2, 4]
[servers.echo]
[servers.nsd]
[table]
tables = ["server"]
statistics = ["mean", "min", "max"]
)");
    const auto made =
        tables_of(experiment, described(experiment, {outcome(100), outcome(104), outcome(105),
                                                     outcome(100), outcome(180), outcome(106)}));
    REQUIRE(made.size() == 2);
    const auto warned = [](const Table &table) {
        return std::count_if(table.notes.begin(), table.notes.end(), [](const std::string &note) {
            return note == "The rates of 3 numbers of server processes differ by no more than 5 %: "
                           "the Tester may be the limit.";
        });
    };
    CHECK(warned(made[0]) == 1);
    CHECK(warned(made[1]) == 0);
    CHECK(row(made[0], "Minimum (qps)") == Table::Row{"100", "104", "105"});
    CHECK(row(made[0], "Maximum (qps)") == Table::Row{"100", "104", "105"});
}

TEST_CASE("every form says that a machine did not stay as placed")
{
    const Experiment experiment = experiment_of("title = \"T\"\n[matrix]\nprocesses = [1, 2]\n");
    std::vector<CellOutcome> outcomes = {outcome(100), outcome(200)};
    const auto says_so = [&](TableForm form) {
        const auto tables = tables_of(experiment, described(experiment, outcomes));
        return render(tables.at(0), form).find("not kept in all") != std::string::npos;
    };
    CHECK_FALSE(says_so(TableForm::csv));
    CHECK(labels_of(experiment, described(experiment, outcomes)).empty());
    outcomes[1].is_displaced = true;
    for (const TableForm form :
         {TableForm::text, TableForm::csv, TableForm::markdown, TableForm::latex})
        CHECK(says_so(form));
    REQUIRE(labels_of(experiment, described(experiment, outcomes)).size() == 1);
    CHECK_THAT(labels_of(experiment, described(experiment, outcomes))[0],
               Contains("did not stay as placed"));
}

TEST_CASE("what did not stay as placed is found in the looks at the machine")
{
    const ScratchDirectory looks;
    const auto look = [&looks](const char *name, const std::string &record,
                               const std::string &cpus) {
        write_file(looks.file(name),
                   R"({"schema":"dnsgauge/placement/1","record":)" + record +
                       R"(,"values":[{"setting":"irq-cpus","knob":"file","where":)"
                       R"("/proc/irq/25/smp_affinity_list","value":")" +
                       cpus + "\"}]}");
        return looks.file(name);
    };
    const std::string record =
        R"({"schema":"dnsgauge/placement-record/1","boot":"b","netns":"1","netns_cookie":1,)"
        R"("interface":"eth2","interface_index":2,"device":"","changes":[{"setting":"irq-cpus",)"
        R"("knob":"file","where":"/proc/irq/25/smp_affinity_list","before":"0-3","after":"2"}]})";
    const std::string before = look("before", record, "2");
    CHECK(read_displacements(before, look("after", record, "2")).empty());
    CHECK(read_displacements(before, look("after", record, "0-3")).size() == 1);
    CHECK(read_displacements(before, look("after", "null", "0-3")).size() == 1);
    CHECK(read_displacements(look("as-is", "null", "0"), look("after", "null", "1")).empty());
    write_file(looks.file("old"), R"({"schema":"dnsgauge/placement/1"})");
    CHECK_THROWS_AS(read_displacements(looks.file("old"), before), SetupError);
}

TEST_CASE("queues without packets are a note of their column")
{
    const Experiment experiment = experiment_of("title = \"T\"\n[matrix]\nprocesses = [1, 2]\n");
    std::vector<CellOutcome> outcomes = {outcome(100), outcome(200)};
    outcomes[1].placement = PlacementResult{};
    outcomes[1].placement->notes = {"3 of 8 receive queues got packets"};
    const std::vector<Table> made = tables_of(experiment, described(experiment, outcomes));
    REQUIRE(made.size() == 1);
    CHECK(std::any_of(made[0].notes.begin(), made[0].notes.end(), [](const std::string &note) {
        return note.find("3 of 8 receive queues got packets") != std::string::npos;
    }));
}
