// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/some_scatter_key.h"
#include "wire/scatter.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <utility>
#include <vector>

using dnsgauge::testing::some_scatter_key;

namespace
{

constexpr std::uint32_t all_ids = 0xffff;

scatter_pair numbered(std::uint64_t number, scatter_space space)
{
    return {static_cast<__u32>(number % space.lows), static_cast<__u32>(number / space.lows)};
}

std::uint64_t number_of(scatter_pair pair, scatter_space space)
{
    return std::uint64_t{pair.high} * space.lows + pair.low;
}

std::uint64_t size_of(scatter_space space)
{
    return std::uint64_t{space.lows} * (space.high_mask + 1);
}

} // namespace

TEST_CASE("every pair comes once, and is found again")
{
    const auto [lows, high_mask] = GENERATE(table<std::uint32_t, std::uint32_t>(
        {{1, all_ids}, {2, all_ids}, {3, all_ids}, {17, all_ids}, {64, 127}, {128, 127}, {1, 0}}));
    const scatter_space space{lows, high_mask};
    const std::uint32_t tweak = GENERATE(0U, 65535U);
    const scatter_key key = some_scatter_key();
    std::vector<bool> seen(size_of(space));
    for (std::uint64_t i = 0; i < seen.size(); i++) {
        const scatter_pair start = numbered(i, space);
        const scatter_pair sent = scatter(start, &key, space, tweak);
        const std::uint64_t number = number_of(sent, space);
        if (sent.low >= lows || sent.high > high_mask || seen[number])
            FAIL("pair " << i << " becomes " << sent.low << ", " << sent.high);
        seen[number] = true;
        const scatter_pair found = gather(sent, &key, space, tweak);
        if (found.low != start.low || found.high != start.high)
            FAIL("pair " << i << " is not found again");
    }
}

TEST_CASE("with many ports, too, every pair is found again")
{
    const scatter_space space{GENERATE(4000U, 4095U, 65535U, 65536U), all_ids};
    for (std::uint64_t trial = 1; trial <= 5; trial++) {
        const scatter_key key = some_scatter_key(trial);
        for (std::uint64_t i = 0; i < size_of(space); i += 12345) {
            const scatter_pair start = numbered(i, space);
            const scatter_pair sent = scatter(start, &key, space, 7);
            const scatter_pair found = gather(sent, &key, space, 7);
            if (sent.low >= space.lows || sent.high > all_ids || found.low != start.low ||
                found.high != start.high)
                FAIL("pair " << i << " is not found again");
        }
    }
}

TEST_CASE("a port out of the space, which a forged reply may have, stays harmless")
{
    const scatter_space space{1, all_ids};
    const scatter_key key = some_scatter_key();
    for (std::uint32_t low : {1U, 65535U, 0xffffffffU})
        CHECK(gather({low, 3}, &key, space, 0).high <= all_ids);
}

TEST_CASE("without a key pairs stay in order")
{
    const scatter_key none{};
    const scatter_pair same = scatter({17, 4711}, &none, {4000, all_ids}, 0);
    CHECK(std::pair(same.low, same.high) == std::pair(__u32{17}, __u32{4711}));
}

namespace
{

// Returns the greatest deviation from the mean of the counts, as chi squared over the degrees of
// freedom: near 1 where each value is as likely as any other.
double unevenness(const std::vector<std::uint64_t> &counts)
{
    double sum = 0;
    for (const std::uint64_t count : counts)
        sum += static_cast<double>(count);
    const double mean = sum / static_cast<double>(counts.size());
    double squares = 0;
    for (const std::uint64_t count : counts)
        squares += (static_cast<double>(count) - mean) * (static_cast<double>(count) - mean) / mean;
    return squares / static_cast<double>(counts.size() - 1);
}

} // namespace

// Each statistic is one that a server could use to guess the next pair from those it has seen.
TEST_CASE("one pair tells nothing about those that follow")
{
    const scatter_space space{4000, all_ids};
    constexpr std::uint64_t queries = 200'000;
    constexpr std::uint32_t bins = 500;
    const auto ahead = GENERATE(std::uint64_t{1}, std::uint64_t{3}, std::uint64_t{4000});
    const auto first = GENERATE(std::uint64_t{0}, std::uint64_t{4000} * 512);
    CAPTURE(ahead, first);
    const scatter_key key = some_scatter_key(5);
    std::vector<std::uint64_t> ports(bins);
    std::vector<std::uint64_t> ids(bins);
    std::vector<std::uint64_t> second_ports(bins);
    std::vector<std::uint64_t> second_ids(bins);
    std::vector<std::uint64_t> flips(bins);
    const auto sent = [&](std::uint64_t number) {
        return scatter(numbered(first + number, space), &key, space, 0);
    };
    for (std::uint64_t i = 0; i < queries; i++) {
        const scatter_pair one = sent(i);
        const scatter_pair next = sent(i + ahead);
        const scatter_pair third = sent(i + 2 * ahead);
        ports[(next.low + space.lows - one.low) % space.lows % bins]++;
        ids[((next.high - one.high) & all_ids) * bins / (all_ids + 1)]++;
        second_ports[(third.low + one.low + 2 * (space.lows - next.low)) % space.lows % bins]++;
        second_ids[((third.high - 2 * next.high + one.high) & all_ids) * bins / (all_ids + 1)]++;
        flips[((next.high ^ one.high) & all_ids) * bins / (all_ids + 1)]++;
    }
    // Beyond 1 + 5 sqrt(2 / 499) chance comes once in millions of times.
    for (const auto *counts : {&ports, &ids, &second_ports, &second_ids, &flips}) {
        CHECK(unevenness(*counts) > 0.6);
        CHECK(unevenness(*counts) < 1.4);
    }
}

TEST_CASE("another key, and another tweak, is another order")
{
    const scatter_space space{4000, all_ids};
    const scatter_key key = some_scatter_key();
    const auto same_as = [&](const scatter_key &other, std::uint32_t tweak) {
        int same = 0;
        for (std::uint64_t i = 0; i < 10'000; i++) {
            const scatter_pair one = scatter(numbered(i, space), &key, space, 0);
            const scatter_pair two = scatter(numbered(i, space), &other, space, tweak);
            same += one.low == two.low || one.high == two.high ? 1 : 0;
        }
        return same;
    };
    CHECK(same_as(some_scatter_key(2), 0) < 20);
    CHECK(same_as(key, 1) < 20);
    for (std::size_t round = 0; round < SCATTER_ROUNDS; round++) {
        scatter_key other = key;
        other.add[round] ^= std::uint64_t{1} << 40U;
        // The last round changes ports alone.
        CHECK(same_as(other, 0) < (round == SCATTER_ROUNDS - 1 ? 10'001 : 20));
    }
}
