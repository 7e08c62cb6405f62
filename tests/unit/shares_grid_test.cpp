// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "experiment/shares_tables.h"
#include "result/series_result.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;
using Catch::Contains;
using Catch::Equals;

namespace
{

// Returns three repetitions with these results.
SearchResult search(unsigned cached, unsigned aaaa, std::uint64_t rate)
{
    SearchResult result;
    result.server = "2001:2::2";
    result.repeat = 3;
    result.dns64 = Dns64Conditions{.aaaa_share = aaaa, .cached_share = cached};
    for (const std::uint64_t off : {0U, 1U, 2U})
        result.repetitions.push_back({.trials = {}, .rate = Rate{rate + off}, .cap = {}});
    return result;
}

} // namespace

TEST_CASE("searches become RFC 8219's grid, whatever their order")
{
    const std::vector<SearchResult> searches = {search(100, 0, 32050), search(20, 40, 5000),
                                                search(0, 40, 4400), search(0, 0, 3682)};
    CHECK(render(shares_grid("BIND", searches), TableForm::text) ==
          "BIND\n"
          "\n"
          "Cached \\ AAAA (%)             0    40\n"
          "-------------------------------------\n"
          "0: Median (qps)            3683  4401\n"
          "0: 1st percentile (qps)    3682  4400\n"
          "0: 99th percentile (qps)   3684  4402\n"
          "0: N                          3     3\n"
          "0: accepted (%)             100   100\n"
          "20: Median (qps)                 5001\n"
          "20: 1st percentile (qps)         5000\n"
          "20: 99th percentile              5002\n"
          "(qps)\n"
          "20: N                               3\n"
          "20: accepted (%)                  100\n"
          "100: Median (qps)         32051\n"
          "100: 1st percentile       32050\n"
          "(qps)\n"
          "100: 99th percentile      32052\n"
          "(qps)\n"
          "100: N                        3\n"
          "100: accepted (%)           100\n"
          "With all names cached the share of AAAA records makes no difference: one measurement "
          "stands for all.\n");
}

TEST_CASE("what keeps a grid from being RFC 8219's is noted, once where it holds for all")
{
    std::vector<SearchResult> searches = {search(0, 20, 10), search(0, 40, 12)};
    for (SearchResult &result : searches)
        result.caveats.deviations = {"3 searches, not 20"};
    searches[1].end = TrialsEnd::interrupted;
    searches[1].repetitions.pop_back();
    searches[0].repetitions[2].cap = Cap{};
    for (SearchResult &result : searches)
        add_findings(result);
    CHECK_THAT(shares_grid("c", searches).notes,
               Catch::UnorderedEquals(std::vector<std::string>{
                   "All: not compliant with RFC 8219: 3 searches, not 20.",
                   "0 % cached, 40 % with AAAA records: not finished, 2 of 3 searches.",
                   "0 % cached, 20 % with AAAA records: 1 of 3 searches perhaps capped by one "
                   "unlucky trial.",
                   "RFC 8219 requires the combination 0 % + 0 %, which was not measured."}));
}

TEST_CASE("searches that make no grid are refused")
{
    std::vector<SearchResult> searches = {search(0, 0, 10), search(0, 20, 10)};
    SECTION("a cell twice")
    {
        searches.push_back(search(0, 20, 11));
        CHECK_THROWS_WITH(shares_grid("c", searches), Contains("two") && Contains("20 %"));
    }
    SECTION("an authoritative server")
    {
        searches[0].dns64.reset();
        CHECK_THROWS_WITH(shares_grid("c", searches), Contains("no DNS64 server"));
    }
    SECTION("no result")
    {
        searches[0].repetitions.clear();
        CHECK_THROWS_WITH(shares_grid("c", searches), Contains("no result"));
    }
}

TEST_CASE("the model is fitted to the grid's medians")
{
    const std::vector<RateAtShares> points = {shares_point(search(0, 0, 1000)),
                                              shares_point(search(0, 100, 2000))};
    CHECK(points[1].cached == 0);
    CHECK(points[1].aaaa == 1);
    CHECK(points[1].rate == 2001);
    CHECK(fit_dns64_model(points).fitted.size() == 2);
}
