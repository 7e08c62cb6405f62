// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/experiment_json.h"
#include "experiment/tables.h"
#include "support/scratch_directory.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

const std::set<std::string> options = {"names", "timeout", "duration", "aaaa-share",
                                       "cached-share"};

Experiment experiment_of(const std::string &text)
{
    const ScratchDirectory scratch;
    write_file(scratch.file("e.toml"), text);
    return read_experiment(read_config(scratch.file("e.toml")), options);
}

// Of 20 searches that all came to the same.
CellOutcome outcome(std::uint64_t rate)
{
    CellOutcome made;
    made.result.end = SearchEnd::complete;
    made.result.trials = 1;
    made.result.last_trial = SearchTrial{};
    for (int i = 0; i < 20; i++)
        made.result.repetitions.push_back({.trials = {}, .rate = Rate{rate}, .cap = {}});
    made.duration = std::chrono::seconds(60);
    made.timeout = std::chrono::seconds(1);
    return made;
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
    const std::vector<Cell> cells = cells_of(experiment, "/d", {});
    std::vector<CellOutcome> outcomes = {outcome(100), outcome(200), {}};
    outcomes[1].deviations = {"trials of 1 s, not 60 s"};
    outcomes[2].failure = "even max-rate 9 passes";
    const std::vector<Table> tables = tables_of(experiment, cells, outcomes);
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

    const nlohmann::ordered_json header = {{"machine", {}}, {"options", {}}};
    const nlohmann::ordered_json json =
        to_json(experiment, "e.toml", cells, outcomes, {header, header, header});
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
        made.result.selftest.emplace();
    CHECK(labels_of(experiment, outcomes).empty());
    for (CellOutcome &made : outcomes)
        made.result.selftest->deviations = {"a failed trial was tried again, up to 5 times"};
    const std::string label = "The Tester's self-test is itself not compliant with RFC 8219: a "
                              "failed trial was tried again, up to 5 times";
    CHECK(labels_of(experiment, outcomes) == std::vector{label});
    const Table table = tables_of(experiment, cells_of(experiment, "/d", {}), outcomes).at(0);
    for (const TableForm form : {TableForm::text, TableForm::markdown})
        CHECK_THAT(render(table, form), Contains(label));
    // What covers nothing vouches for nothing.
    for (CellOutcome &made : outcomes)
        made.result.selftest->why_not = "allows less";
    CHECK_THAT(labels_of(experiment, outcomes).at(0), Contains("Beyond the Tester's self-test"));
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
    const std::vector<Cell> cells = cells_of(experiment, "/d", {});
    std::vector<CellOutcome> outcomes = {outcome(100), outcome(300), outcome(400), outcome(0)};
    // Of a self-test that allows 200 and what was found within it, beyond it, without a self-test
    // that says how far it goes, and when all that it allows was passed.
    for (CellOutcome &made : outcomes) {
        made.result.selftest = SelftestCover{};
        made.result.selftest->allowed = Rate{200};
        for (Repetition &one : made.result.repetitions)
            one.trials = {{.rate = Rate{one.rate->per_second + 1},
                           .verdict = Verdict::fail,
                           .sent = 9,
                           .valid = 8,
                           .why = {}}};
    }
    outcomes[2].result.selftest->allowed.reset();
    outcomes[2].result.selftest->why_not = "there was none";
    outcomes[3].result.repetitions.clear();
    outcomes[3].result.end = SearchEnd::above_range;
    outcomes[3].result.max_rate = Rate{200};
    const Table table = tables_of(experiment, cells, outcomes).at(0);
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
    // The limit of a range below what the self-test allows is the range's.
    outcomes[3].result.max_rate = Rate{199};
    CHECK(tables_of(experiment, cells, outcomes).at(0).heads.at(0).at(4) == "8");
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
    const std::vector<Cell> cells = cells_of(experiment, "/d", {});
    std::vector<CellOutcome> outcomes = {outcome(3448), outcome(2926)};
    outcomes[0].duration = std::chrono::seconds(5);
    Table table = tables_of(experiment, cells, outcomes).at(0);
    CHECK(table.heads == std::vector<Table::Row>{{"Test duration (s)", "5", "60"}});
    CHECK(table.rows.back() == Table::Row{"Calculated rate (qps)", "2873.3", "2878.0"});
    outcomes[1] = {};
    table = tables_of(experiment, cells, outcomes).at(0);
    CHECK(table.rows.back().front() != "Calculated rate (qps)");
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
    outcomes[7].deviations = {"accepts 99 %"};
    const std::vector<Table> tables = tables_of(experiment, cells, outcomes);
    REQUIRE(tables.size() == 2);
    CHECK(tables[0].caption == "T, Timeout (s) 1");
    CHECK(tables[0].heads ==
          std::vector<Table::Row>{{"Zone size \\ Test duration (s)", "60", "61"}});
    CHECK(tables[0].rows == std::vector<Table::Row>{{"/8: Median (qps)", "1", "2"},
                                                    {"/8: N", "20", "20"},
                                                    {"/9: Median (qps)", "3", "4"},
                                                    {"/9: N", "20", "20"}});
    CHECK(tables[1].rows.at(2) == Table::Row{"/9: Median (qps)", "7", "-"});
    outcomes[0].result.selftest = SelftestCover{};
    outcomes[0].result.selftest->allowed = Rate{0};
    const Table limited = tables_of(experiment, cells, outcomes).at(0);
    CHECK(limited.rows.at(0) == Table::Row{"/8: Median (qps)", "(1)", "2"});
    CHECK(limited.rows.at(2) == Table::Row{"/8: Limited by", "Tester", ""});
    CHECK_THAT(limited.notes.at(0), Contains("In parentheses: limited by the Tester"));
    CHECK(tables[1].rows.back() ==
          Table::Row{"Compliance", "not compliant with RFC 8219", "not compliant with RFC 8219"});
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
    const std::vector<Cell> cells = cells_of(experiment, "/d", {});
    std::vector<CellOutcome> outcomes(4);
    CHECK(tables_of(experiment, cells, outcomes).at(0).rows.empty());
    outcomes[3] = outcome(5000);
    outcomes[3].result.dns64 = Dns64Conditions{100, "2001:db8::/96", 20};
    const Table table = tables_of(experiment, cells, outcomes).at(0);
    CHECK(table.rows.at(0) == Table::Row{"20: Median (qps)", "5000"});
    CHECK_THAT(render(table, TableForm::text), Contains("0 % + 0 %, which was not measured"));
}
