// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "result/labels.h"
#include "result/series_result.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;
using Catch::Contains;
using Texts = std::vector<std::string>;

namespace
{

SelftestCover covering()
{
    return {.record = "/records/g0.json", .finished = "2026-11-21T14:00:00Z", .allowed = Rate{9}};
}

Texts texts_of(const Caveats &caveats)
{
    Texts texts;
    for (const CaveatLine &line : caveat_lines(caveats))
        texts.push_back(std::string(line.name) + ": " + line.text);
    return texts;
}

} // namespace

TEST_CASE("a result without caveats has no label")
{
    const Caveats none;
    CHECK(none.is_compliant());
    CHECK_FALSE(none.is_beyond_selftest());
    CHECK_FALSE(none.is_tester_limited());
    CHECK(caveats_text(none).empty());
    CHECK(caveat_lines(none).empty());
    CHECK(caveat_sentences({&none, 1}).empty());
}

TEST_CASE("a self-test that covers a result is told, and is no caveat")
{
    const Caveats caveats{.selftest = covering()};
    CHECK_FALSE(caveats.is_beyond_selftest());
    CHECK(caveats_text(caveats).empty());
    CHECK(texts_of(caveats) == Texts{"self-test: self-test of 2026-11-21T14:00:00Z: allows 9 "
                                     "queries/s (/records/g0.json)"});
}

TEST_CASE("each caveat is in the label, and has a line")
{
    Caveats caveats{.deviations = {"accepts 90 %", "2 searches, not 20"},
                    .selftest = covering(),
                    .scaled_down = "a small zone",
                    .doubts = {"others had CPU 2"}};
    caveats.selftest->why_not = "allows less";
    CHECK(caveats.is_beyond_selftest());
    CHECK(caveats_text(caveats) ==
          "not compliant with RFC 8219: accepts 90 %; 2 searches, not 20; beyond the Tester's "
          "self-test: allows less; scaled down: a small zone; others had CPU 2");
    CHECK(texts_of(caveats) ==
          Texts{"doubt: others had CPU 2",
                ": not compliant with RFC 8219: accepts 90 %; 2 searches, not 20",
                "self-test: beyond the Tester's self-test: allows less",
                ": scaled down: a small zone"});
}

TEST_CASE("what many results share is said once")
{
    const Caveats one{.deviations = {"accepts 90 %"}, .scaled_down = "a small zone"};
    Caveats lax{.selftest = covering()};
    lax.selftest->deviations = {"trials of 1 s, not 60 s"};
    Caveats beyond{.selftest = covering()};
    beyond.selftest->why_not = "allows less";
    const std::vector<Caveats> results = {one, one, lax, beyond, lax};
    CHECK(caveat_sentences(results) ==
          Texts{"Scaled down, not the conditions of the publication: a small zone",
                "not compliant with RFC 8219: accepts 90 %",
                "The Tester's self-test is itself not compliant with RFC 8219: trials of 1 s, not "
                "60 s",
                "Beyond the Tester's self-test: the Tester may be what limits these results"});
}

TEST_CASE("a search's findings are caveats of its result")
{
    SearchResult result;
    result.repetitions = {{.trials = {{.rate = Rate{10}, .verdict = Verdict::fail, .why = {}}},
                           .rate = Rate{5},
                           .cap = Cap{}}};
    add_findings(result);
    CHECK_FALSE(result.caveats.is_tester_limited());
    CHECK(result.caveats.capped == 1);
    result.caveats.selftest = covering();
    add_findings(result);
    CHECK_THAT(result.caveats.tester_limit, Contains("1 of 1 search failed above the 9"));
}
