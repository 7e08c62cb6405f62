// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/name_walk.h"

#include "support/some_scatter_key.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

using namespace dnsgauge;
using dnsgauge::testing::some_scatter_key;

namespace
{

// Returns the first names that one sender asks for, without an end of the range.
std::vector<std::uint32_t> first_names(const NameRange &range, unsigned count, const NameKey &key,
                                       CachedShare cached = {})
{
    NameWalk walk(range, 0, 1, cached, key);
    std::vector<std::uint32_t> names;
    for (unsigned i = 0; i < count; i++)
        names.push_back(walk.next());
    return names;
}

// Returns what one of the senders asks for: c is the repeated name, a number the number of a name
// after that.
std::string pattern(unsigned percent, unsigned queries)
{
    NameWalk walk({0x0a000000, 256}, 0, 1, {percent});
    std::string text;
    for (unsigned i = 0; i < queries; i++) {
        const std::uint32_t name = walk.next() - 0x0a000000;
        text += name == 0 ? "c " : std::to_string(name) + " ";
    }
    return text;
}

} // namespace

TEST_CASE("senders together ask for each name of the range once, then begin again")
{
    const NameRange range{0x0a000000, 256};
    const std::uint64_t senders = GENERATE(1ULL, 2ULL, 4ULL);
    std::multiset<std::uint32_t> asked;
    for (std::uint64_t sender = 0; sender < senders; sender++) {
        NameWalk walk(range, sender, senders);
        for (std::uint64_t i = 0; i < 2 * range.count / senders; i++)
            asked.insert(walk.next());
    }
    for (std::uint32_t name = range.first; name < range.first + range.count; name++)
        REQUIRE(asked.count(name) == 2);
    CHECK(asked.size() == 512);
}

TEST_CASE("a range may be one name, or all there are")
{
    NameWalk one({0xc6120001, 1}, 0, 3);
    CHECK(one.next() == 0xc6120001);
    CHECK(one.next() == 0xc6120001);

    NameWalk all({0, 1ULL << 32U}, (1ULL << 32U) - 1, 1);
    CHECK(all.next() == 0xffffffff);
    CHECK(all.next() == 0);
}

TEST_CASE("a cached name is repeated as paper 002 section 7.1 has it: at 20 %, as every fifth")
{
    CHECK(pattern(20, 10) == "1 2 3 4 c 5 6 7 8 c ");
    CHECK(pattern(40, 10) == "1 2 c 3 c 4 5 c 6 c ");
    CHECK(pattern(60, 10) == "1 c 2 c c 3 c 4 c c ");
    CHECK(pattern(80, 10) == "1 c c c c 2 c c c c ");
    CHECK(pattern(100, 4) == "c c c c ");
    CHECK(pattern(1, 99).find('c') == std::string::npos);
    CHECK(pattern(1, 100).ends_with("99 c "));
    // With no cached share the first name is a name like all others.
    CHECK(pattern(0, 3) == "c 1 2 ");
}

TEST_CASE("at every share the repeated name comes exactly so often, and no other name twice")
{
    const NameRange range{0x0a000000, 1024};
    const std::uint64_t senders = GENERATE(1ULL, 2ULL, 3ULL, 7ULL, 64ULL);
    for (unsigned percent = 0; percent <= 100; percent++) {
        CAPTURE(senders, percent);
        const CachedShare cached{percent};
        const unsigned queries = 1000;
        std::vector<NameWalk> walks;
        for (std::uint64_t sender = 0; sender < senders; sender++)
            walks.emplace_back(range, sender, senders, cached);
        std::uint64_t repeated = 0;
        std::uint32_t last = range.first;
        for (unsigned i = 0; i < queries; i++) {
            const std::uint32_t name = walks[i % senders].next();
            if (percent != 0 && name == CachedShare::name(range)) {
                repeated++;
            } else {
                // The names are consecutive, so they are all different.
                REQUIRE(name == last + (percent == 0 && i == 0 ? 0 : 1));
                last = name;
            }
            REQUIRE(repeated == cached.of(i + 1));
        }
        CHECK(repeated == queries * percent / 100);
        CHECK(cached.names_for(queries) ==
              queries - repeated + (percent == 0 ? 0 : 1)); // the repeated one, too
    }
}

TEST_CASE("where names are few the walk begins again after the repeated one")
{
    NameWalk walk({8, 4}, 0, 1, {50});
    for (const std::uint32_t name : {9U, 8U, 10U, 8U, 11U, 8U, 9U, 8U})
        CHECK(walk.next() == name);
    // There are more senders than names, and a query number that overflows 64 bits when multiplied
    // by a hundred.
    NameWalk third({8, 4}, 2, 16, {50});
    for (const std::uint32_t name : {10U, 9U, 11U, 10U})
        CHECK(third.next() == name);
    CHECK(CachedShare{20}.of(~0ULL) == ~0ULL / 5);
    NameWalk only({8, 1}, 0, 1, {100});
    CHECK(only.next() == 8);
}

TEST_CASE("by a key senders together ask for each name of the range once, too, then begin again")
{
    const std::uint64_t names = GENERATE(1ULL, 2ULL, 3ULL, 4ULL, 255ULL, 256ULL, 257ULL, 2048ULL);
    const std::uint64_t senders = GENERATE(1ULL, 2ULL, 3ULL, 7ULL);
    CAPTURE(names, senders);
    const NameRange range{0x0a000000, names};
    std::vector<NameWalk> walks;
    for (std::uint64_t sender = 0; sender < senders; sender++)
        walks.emplace_back(range, sender, senders, CachedShare{}, some_scatter_key());
    std::vector<std::uint32_t> passes;
    for (std::uint64_t query = 0; query < 2 * names; query++)
        passes.push_back(walks[query % senders].next());
    const auto second = passes.begin() + static_cast<std::ptrdiff_t>(names);
    const std::set<std::uint32_t> first(passes.begin(), second);
    CHECK(first.size() == names);
    CHECK(*first.begin() == range.first);
    CHECK(*first.rbegin() == range.first + names - 1);
    CHECK(std::equal(passes.begin(), second, second));
}

TEST_CASE("all names that there are have a place by a key")
{
    const NameRange all{0, 1ULL << 32U};
    const std::vector<std::uint32_t> names = first_names(all, 100'000, some_scatter_key());
    CHECK(std::set(names.begin(), names.end()).size() == names.size());
    // A tenth of them are in each tenth of the range, give or take six standard deviations.
    const auto low = std::ranges::count_if(names, [](auto name) { return name < 429'496'730; });
    CHECK(std::abs(low - 10'000) < 570);
}

TEST_CASE("an order by a key tells nothing of the next name, nor of the order by another key")
{
    const NameRange range{0x0a000000, 1U << 16U};
    const unsigned queries = 10'000;
    const auto names = first_names(range, queries, some_scatter_key(1));
    const auto others = first_names(range, queries, some_scatter_key(2));
    std::map<std::uint64_t, unsigned> steps;
    unsigned same = 0;
    for (unsigned i = 1; i < queries; i++) {
        steps[(names[i] - names[i - 1]) % range.count]++;
        same += names[i] == others[i] ? 1 : 0;
    }
    // In as many random steps one comes three or four times at most, and in order all are the same.
    const auto most = std::ranges::max_element(steps, {}, [](auto &step) { return step.second; });
    CHECK(most->second < 8);
    CHECK(same < 5);
}

TEST_CASE("by a key the repeated name comes at the same queries as in order")
{
    const NameRange range{8, 1024};
    const CachedShare cached{40};
    const auto ordered = first_names(range, 1000, {}, cached);
    const auto names = first_names(range, 1000, some_scatter_key(), cached);
    std::set<std::uint32_t> others;
    for (std::size_t i = 0; i < names.size(); i++) {
        REQUIRE((names[i] == range.first) == (ordered[i] == range.first));
        if (names[i] != range.first)
            REQUIRE(others.insert(names[i]).second);
    }
    CHECK(others.size() == 600);
}
