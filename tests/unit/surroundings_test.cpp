// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/circumstances.h"

#include "support/no_descriptors.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>
#include <net/if.h>

using namespace dnsgauge;
using Catch::Matchers::Contains;

namespace
{

const Surroundings usual{.interface = "g0", .net_namespace = "tester"};

// Returns the one doubt that the change leaves.
std::string doubt_of(const Surroundings &before, const Surroundings &after)
{
    const std::vector<std::string> doubts = doubts_of_change(before, after);
    REQUIRE(doubts.size() == 1);
    return doubts.front();
}

} // namespace

TEST_CASE("names that stay leave no doubt")
{
    CHECK(doubts_of_change(usual, usual).empty());
    CHECK(doubts_of_change({.interface = "g0", .net_namespace = ""},
                           {.interface = "g0", .net_namespace = ""})
              .empty());
}

TEST_CASE("a name that somebody changed or took away leaves a doubt with both names")
{
    CHECK(doubt_of(usual, {.interface = "g9", .net_namespace = "tester"}) ==
          "the interface g0 got the name g9 during the trial: whoever renamed it may have changed "
          "more");
    CHECK(doubt_of(usual, {.interface = "", .net_namespace = "tester"}) ==
          "the interface g0 left the network namespace during the trial");
    CHECK_THAT(doubt_of(usual, {.interface = "g0", .net_namespace = ""}),
               Contains("the name tester of the Tester's network namespace was taken away"));
    CHECK_THAT(doubt_of({.interface = "g0", .net_namespace = ""}, usual),
               Contains("got the name tester during the trial"));
    CHECK(doubts_of_change(usual, {}).size() == 2);
}

TEST_CASE("an interface's name is found by its number")
{
    CHECK(surroundings_of(if_nametoindex("lo")).interface == "lo");
    CHECK(surroundings_of(0x7fffffff).interface.empty());
}

TEST_CASE("a want of descriptors is no absence, and loses no finished trial")
{
    const unsigned loopback = if_nametoindex("lo");
    Surroundings after;
    std::vector<std::string> doubts;
    bool could_tell = true;
    // UBSan opens a pipe when it sees an error for the first time: it sees one while it can.
    CHECK_FALSE(read_afterwards(doubts, "that", [] { throw SetupError("out of means"); }));
    CHECK(doubts ==
          std::vector<std::string>{"after the trial the system could not tell that: out of means"});
    doubts.clear();
    {
        const NoDescriptors none;
        CHECK_THROWS_AS(surroundings_of(loopback), SetupError);
        could_tell = read_afterwards(doubts, "whether a name changed",
                                     [&] { after = surroundings_of(loopback); });
    }
    CHECK(!could_tell);
    REQUIRE(doubts.size() == 1);
    CHECK_THAT(doubts.front(), Contains("the system could not tell whether a name changed") &&
                                   Contains("open files"));
    CHECK(read_afterwards(doubts, "whether a name changed",
                          [&] { after = surroundings_of(loopback); }));
    CHECK(doubts.size() == 1);
    CHECK(after.interface == "lo");
}
