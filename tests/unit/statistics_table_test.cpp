// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "result/labels.h"
#include "support/paper_tables.h"
#include "text/statistics_table.h"

#include <catch2/catch.hpp>

#include <regex>
#include <sstream>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace
{

// The rows of paper 002's Tables 1 to 5.
const std::vector<StatisticsRow> paper_002_rows = {
    StatisticsRow::mean,   StatisticsRow::median,  StatisticsRow::p1, StatisticsRow::p99,
    StatisticsRow::stddev, StatisticsRow::moe_999, StatisticsRow::mad};

constexpr auto all_forms = {TableForm::text, TableForm::csv, TableForm::markdown, TableForm::latex};

Summary steady(double rate, std::uint64_t count = 20)
{
    return summarize(std::vector<double>(count, rate));
}

// Returns the text of a table with its folded cells on one line each.
std::string unfolded(const std::string &text)
{
    std::string joined = std::regex_replace(text, std::regex(R"(\\\\)"), " ");
    return std::regex_replace(joined, std::regex(R"(\s+)"), " ");
}

std::vector<std::string> cells(const Table &table, const std::string &row)
{
    for (const Table::Row &cells : table.rows)
        if (cells.at(0) == row)
            return {cells.begin() + 1, cells.end()};
    FAIL("no row " << row);
    return {};
}

// Returns a table of paper 002, from made-up samples, at durations of 5 to 60 s.
Table paper_002_table(int number)
{
    const auto tables =
        read_paper_tables(std::string(DNSGAUGE_TEST_DATA) + "/paper_002_tables.tsv");
    const PaperTable &paper = tables.at(number);
    std::vector<StatisticsColumn> columns;
    std::vector<RateAtDuration> rates;
    for (std::size_t i = 0; i < paper.columns(); i++) {
        std::vector<double> sample;
        std::istringstream in(paper.rows.at("sample").at(i));
        for (double rate = 0; in >> rate;)
            sample.push_back(rate);
        const Summary summary = summarize(sample);
        columns.push_back({.settings = {paper.rows.at("duration").at(i)}, .rates = summary});
        rates.push_back(
            {std::chrono::seconds(std::stoi(paper.rows.at("duration").at(i))), summary.median});
    }
    Table table = statistics_table(paper.caption, {"Duration (s)"}, columns, paper_002_rows);
    const std::vector<SustainableGroup> one = {
        {.name = {}, .columns = {0, 1, 2, 3}, .rates = judge_sustainability(rates, 1s)}};
    add_calculated_rates(table, one);
    return table;
}

const SelftestCover no_selftest = {.why_not = "there was none"};

} // namespace

TEST_CASE("paper 002, Table 1, as the paper prints it, with the sample's size")
{
    CHECK(render(paper_002_table(1), TableForm::text) ==
          "mtd64-ng, 1 worker thread, 1 s timeout\n"
          "\n"
          "Duration (s)                5      10      30      60\n"
          "-----------------------------------------------------\n"
          "Average (qps)          3448.1  3160.9  2970.8  2926.3\n"
          "Median (qps)             3448    3161    2971    2926\n"
          "1st percentile (qps)     3442    3157    2967    2923\n"
          "99th percentile (qps)    3452    3164    2974    2929\n"
          "Std. dev. (qps)          2.81    1.77    1.92    1.66\n"
          "MoE 99.9 % (qps)         2.07    1.31    1.41    1.22\n"
          "MAD (qps)                2.97    1.48    1.48    1.48\n"
          "N                          20      20      20      20\n"
          "Accepted (%)              100     100     100     100\n"
          "Calculated rate (qps)  2873.3  2873.6  2875.2  2878.0\n"
          "Timeout gain max. (%)   16.67    9.09    3.23    1.64\n"
          "Sustainable rate: the calculated rates agree within 0.2 %, the measured ones differ by "
          "16.4 %: this server stores requests.\n");
}

TEST_CASE("paper 002, Table 4: the row of calculated rates says that it is wrong")
{
    const Table table = paper_002_table(4);
    CHECK(cells(table, "Calc. rate (wrong)") ==
          std::vector<std::string>{"2960.4", "3187.3", "3368.2", "3414.1"});
    CHECK(cells(table, "Median (qps)").at(0) == "3552.5");
}

TEST_CASE("paper 000, Table 3: median, percentiles and dispersion below two heads")
{
    const std::vector<StatisticsColumn> columns = {
        {.settings = {"1", "0.25"},
         .rates = {.count = 20,
                   .median = 19792,
                   .p1 = 19477,
                   .p99 = 19794,
                   .mean = 0,
                   .stddev = 0,
                   .moe_999 = 0,
                   .mad = 0,
                   .dispersion = dispersion(19792, 19477, 19794)}},
        {.settings = {"1", "0.1"},
         .rates = {.count = 20,
                   .median = 17409,
                   .p1 = 16383,
                   .p99 = 17411,
                   .mean = 0,
                   .stddev = 0,
                   .moe_999 = 0,
                   .mad = 0,
                   .dispersion = dispersion(17409, 16383, 17411)}}};
    const Table table =
        statistics_table("BIND", {"Num. CPU cores", "Timeout (s)"}, columns, paper_000_rows);
    CHECK(table.heads.size() == 2);
    CHECK(cells(table, "Dispersion (%)") == std::vector<std::string>{"1.60", "5.90"});
    CHECK_THAT(render(table, TableForm::text), !Contains("Average") && Contains("N "));
    // Results with a dispersion above 5 % are scattered; a note must say so.
    CHECK(table.notes.size() == 1);
    CHECK_THAT(table.notes.at(0), Contains("above 5 %: 1, 0.1."));
}

TEST_CASE("what is not compliant is labelled in every form, and nothing else is")
{
    const Caveats lax{.deviations = {"accepts 99.99 %"}};
    const std::vector<StatisticsColumn> strict = {{.settings = {"a"}, .rates = steady(10)}};
    std::vector<StatisticsColumn> lenient = strict;
    lenient.push_back(
        {.settings = {"b"}, .rates = steady(20), .accept_percent = 99.99, .caveats = lax});
    const std::vector<StatisticsColumn> grid = {
        {.settings = {"0", "0"}, .rates = steady(10), .accept_percent = 99.99, .caveats = lax}};
    for (const TableForm form : all_forms) {
        CHECK_THAT(unfolded(render(statistics_table("c", {"Server"}, strict), form)),
                   !Contains(not_compliant));
        CHECK_THAT(unfolded(render(statistics_table("c", {"Server"}, lenient), form)),
                   Contains(not_compliant) && Contains("99.99"));
        CHECK_THAT(
            unfolded(render(grid_table("c", "Cached", "AAAA (%)", grid, percentile_rows), form)),
            Contains(not_compliant));
    }
    const Table table = statistics_table("c", {"Server"}, lenient);
    CHECK(cells(table, "Compliance") == std::vector<std::string>{"", not_compliant});
}

TEST_CASE("what no self-test covers is marked in every form, and nothing else is")
{
    const std::vector<StatisticsColumn> covered = {{.settings = {"a"}, .rates = steady(10)}};
    std::vector<StatisticsColumn> beyond = covered;
    beyond.push_back(
        {.settings = {"b"}, .rates = steady(20), .caveats = {.selftest = no_selftest}});
    const std::vector<StatisticsColumn> grid = {
        {.settings = {"0", "0"}, .rates = steady(10), .caveats = {.selftest = no_selftest}}};
    for (const TableForm form : all_forms) {
        CHECK_THAT(unfolded(render(statistics_table("c", {"Server"}, covered), form)),
                   !Contains(beyond_selftest));
        CHECK_THAT(unfolded(render(statistics_table("c", {"Server"}, beyond), form)),
                   Contains(beyond_selftest));
        CHECK_THAT(
            unfolded(render(grid_table("c", "Cached", "AAAA (%)", grid, percentile_rows), form)),
            Contains(beyond_selftest));
    }
    CHECK(cells(statistics_table("c", {"Server"}, beyond), "Self-test") ==
          std::vector<std::string>{"", beyond_selftest});
}

TEST_CASE("the sample's size is in every form; few repetitions, limits and caps are noted")
{
    const std::vector<StatisticsColumn> columns = {
        {.settings = {"16"},
         .rates = steady(5, 7),
         .caveats = {.tester_limit = "passes 5 queries/s"},
         .notes = {"capped at step 3"}}};
    const Table table = statistics_table("c", {"Cores"}, columns);
    CHECK(cells(table, "N") == std::vector<std::string>{"7"});
    CHECK(cells(table, "Limited by") == std::vector<std::string>{"Tester"});
    CHECK(table.heads.at(0).at(1) == "(16)");
    CHECK(cells(table, "Median (qps)").at(0) == "(5)");
    const std::string text = render(table, TableForm::text);
    CHECK_THAT(text, Contains("Fewer than the 20 repetitions"));
    CHECK_THAT(text, Contains("limited by the Tester"));
    CHECK_THAT(text, Contains("16: capped at step 3"));
}

TEST_CASE("what a sample does not define is a dash")
{
    const std::vector<StatisticsColumn> columns = {{.settings = {"a"}, .rates = steady(5, 1)}};
    const Table table = statistics_table("c", {"Server"}, columns);
    CHECK(cells(table, "Std. dev. (qps)").at(0) == "-");
    CHECK(cells(table, "MoE 99.9 % (qps)").at(0) == "-");
}

TEST_CASE("a grid has its values ascending if it is told to, and gaps are left empty")
{
    const std::vector<StatisticsColumn> grid = {{.settings = {"100", "0"}, .rates = steady(32050)},
                                                {.settings = {"0", "20"}, .rates = steady(3980)},
                                                {.settings = {"0", "0"}, .rates = steady(3682)}};
    const Table table =
        grid_table("DNS64", "Cached", "AAAA (%)", grid, percentile_rows, GridOrder::ascending);
    CHECK(table.heads == std::vector<Table::Row>{{"Cached \\ AAAA (%)", "0", "20"}});
    CHECK(table.rows.front().front() == "0: Median (qps)");
    CHECK(cells(table, "0: Median (qps)") == std::vector<std::string>{"3682", "3980"});
    CHECK(cells(table, "100: 1st percentile (qps)") == std::vector<std::string>{"32050", ""});
    CHECK(cells(table, "100: N") == std::vector<std::string>{"20", ""});
    CHECK(table.notes.empty());
}

TEST_CASE("a grid of any two settings has the labels of its cells in every form")
{
    std::vector<StatisticsColumn> grid = {{.settings = {"a", "1"}, .rates = steady(10)},
                                          {.settings = {"b", "1"},
                                           .rates = steady(20),
                                           .accept_percent = 99.99,
                                           .caveats = {.deviations = {"accepts 99.99 %"}}},
                                          {.settings = {"b", "2"},
                                           .rates = steady(30),
                                           .caveats = {.selftest = no_selftest, .capped = 3}}};
    const Table table = grid_table("c", "Server", "Timeout (s)", grid, {StatisticsRow::median});
    CHECK(cells(table, "a: accepted (%)") == std::vector<std::string>{"100", ""});
    CHECK(cells(table, "b: accepted (%)") ==
          std::vector<std::string>{"99.99, " + std::string(not_compliant),
                                   "100, " + std::string(beyond_selftest)});
    CHECK(cells(table, "b: capped searches") == std::vector<std::string>{"", "3"});
    for (const TableForm form : {TableForm::csv, TableForm::markdown})
        CHECK_THAT(render(table, form), Contains(not_compliant) && Contains(beyond_selftest));
    for (const TableForm form : all_forms) {
        const std::string text = render(table, form);
        // The other forms fold a label in its column.
        for (const char *label : {not_compliant, beyond_selftest}) {
            std::istringstream words(label);
            for (std::string word; words >> word;)
                CHECK_THAT(text, Contains(word));
        }
        CHECK_THAT(text, Contains("capped searches"));
    }
    grid.push_back(grid.front());
    CHECK_THROWS_WITH(grid_table("c", "Server", "Timeout (s)", grid, {StatisticsRow::median}),
                      Contains("two cells are of a, 1"));
}

TEST_CASE("capped searches are counted in every form")
{
    const std::vector<StatisticsColumn> columns = {
        {.settings = {"a"}, .rates = steady(10)},
        {.settings = {"b"}, .rates = steady(9), .caveats = {.capped = 2}}};
    const std::vector<StatisticsColumn> grid = {
        {.settings = {"0", "0"}, .rates = steady(10), .caveats = {.capped = 4}}};
    CHECK(cells(statistics_table("c", {"Server"}, columns), "Capped searches") ==
          std::vector<std::string>{"", "2"});
    CHECK(cells(grid_table("c", "Cached", "AAAA (%)", grid, percentile_rows),
                "0: capped searches") == std::vector<std::string>{"4"});
}

TEST_CASE("a model's table has a number or a reason for each time, never both")
{
    const std::vector<RateAtShares> points = {{.cached = 0, .aaaa = 0, .rate = 3682},
                                              {.cached = 0, .aaaa = 0.5, .rate = 4500},
                                              {.cached = 0, .aaaa = 1, .rate = 5976}};
    const Dns64Model model = fit_dns64_model(points);
    const Table table = model_table("c", model);
    CHECK(table.rows.size() == model.times.size());
    for (const Table::Row &row : table.rows)
        CHECK(row.at(1).empty() != row.at(3).empty());
    CHECK_THAT(cells(table, "TS").at(2), Contains("not determined"));
    const Table limited = model_fit_table("c", points, model, std::vector{points.front()});
    CHECK(limited.rows.back() == Table::Row{"0", "0", "(3682)", "", ""});
    CHECK_THAT(limited.notes.at(0), Contains("limited by the Tester"));
    const Table fit = model_fit_table("c", points, model);
    CHECK(fit.notes.empty());
    CHECK(fit.rows.at(1).at(1) == "50");
    CHECK(fit.rows.at(2).at(2) == "5976");
}
