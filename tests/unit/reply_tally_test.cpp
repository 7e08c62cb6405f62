// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What reply_clock.bpf.c counts becomes a tally.
#include "xdp/reply_clock.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>

using namespace dnsgauge;

namespace
{

struct KernelCounts {
    reply_totals totals{};
    rtt_histogram rtts{};
    reply_traits traits{};

    [[nodiscard]] ReplyTally tally() const { return tally_of(totals, rtts, traits); }
};

// Counts a valid reply as the program does.
void count_valid(KernelCounts &counts, std::uint64_t rtt)
{
    __extension__ using Wide = unsigned __int128;
    reply_totals &totals = counts.totals;
    totals.rtt_min = totals.count[REPLY_VALID] == 0 ? rtt : std::min<__u64>(totals.rtt_min, rtt);
    totals.rtt_max = std::max<__u64>(totals.rtt_max, rtt);
    totals.count[REPLY_VALID]++;
    totals.rtt_sum += rtt;
    const Wide scaled = rtt >> REPLY_RTT_SQUARE_SHIFT;
    const Wide squares =
        (Wide{totals.rtt_square_high} << 64U | totals.rtt_square_low) + scaled * scaled;
    totals.rtt_square_low = static_cast<__u64>(squares);
    totals.rtt_square_high = static_cast<__u64>(squares >> 64U);
    counts.rtts.count[log_histogram_bucket(rtt)]++;
}

} // namespace

TEST_CASE("the program's sums and RTTs that come one by one have the same summary")
{
    std::mt19937_64 random(14);
    const auto counts = std::make_unique<KernelCounts>();
    CHECK(counts->tally().queries.rtts.summary().count == 0);
    RttTally one_by_one;
    for (int i = 0; i < 1000; i++) {
        // The program squares multiples of this without an error. The squares' sum takes more than
        // 64 bits.
        const std::uint64_t rtt = (1 + random() % 10'000'000'000) << REPLY_RTT_SQUARE_SHIFT;
        count_valid(*counts, rtt);
        one_by_one.add(rtt);
    }
    REQUIRE(counts->totals.rtt_square_high != 0);
    const RttTally::Numbers got = counts->tally().queries.rtts.numbers();
    const RttTally::Numbers wanted = one_by_one.numbers();
    CHECK(got.count == wanted.count);
    CHECK(got.min == wanted.min);
    CHECK(got.histogram.max() == wanted.histogram.max());
    CHECK(std::ranges::equal(got.histogram.counts(), wanted.histogram.counts()));
    CHECK(got.sum_high == wanted.sum_high);
    CHECK(got.sum_low == wanted.sum_low);
    CHECK(got.squares_high == wanted.squares_high);
    CHECK(got.squares_low == wanted.squares_low);
}

TEST_CASE("each of the program's counters becomes the class of its name")
{
    const auto counts = std::make_unique<KernelCounts>();
    for (unsigned i = 0; i < REPLY_COUNTERS; i++)
        counts->totals.count[i] = 100 + i;
    counts->totals.rcodes[3] = 7;
    counts->totals.late_rcodes[3] = 2;
    const ReplyTally tally = counts->tally();
    const QueryCounts queries = query_counts(tally.queries);
    CHECK(queries.valid == 100 + REPLY_VALID);
    CHECK(queries.late == 100 + REPLY_LATE);
    CHECK(queries.lost == 0);
#define CHECK_COUNT(NAME, key, label, reason, kind)                                                \
    CHECK(queries.invalid.key == 100 + REPLY_##NAME);
    INVALID_CLASSES(CHECK_COUNT)
#undef CHECK_COUNT
#define CHECK_COUNT(NAME, key, label, fate, kind) CHECK(tally.strays.key == 100 + REPLY_##NAME);
    STRAY_CLASSES(CHECK_COUNT)
#undef CHECK_COUNT
    CHECK(tally.passed == 100 + REPLY_PASSED);
    CHECK(tally.queries.rcodes[3] == 7);
    CHECK(tally.queries.late_rcodes[3] == 2);
}

TEST_CASE("replies have the sizes and traits that the program counted, on whichever CPU")
{
    const auto one = std::make_unique<KernelCounts>();
    const auto other = std::make_unique<KernelCounts>();
    one->traits = {.octets = 180, .largest = 100, .smallest_gap = 2064 - 80, .aa = 2, .rrsig = 1};
    one->traits.sizes[80 / REPLY_SIZE_STEP] = one->traits.sizes[100 / REPLY_SIZE_STEP] = 1;
    other->traits = {.octets = 60, .largest = 60, .smallest_gap = 2064 - 60, .aa = 1};
    other->traits.sizes[60 / REPLY_SIZE_STEP] = 1;
    ReplyTally sum = one->tally();
    sum.add(other->tally());
    sum.add(KernelCounts{}.tally());
    const ReplyTraits replies = summarize(sum.traits);
    CHECK(replies.count == 3);
    CHECK(replies.smallest == 60);
    CHECK(replies.largest == 100);
    CHECK(replies.mean_size == Approx(80));
    CHECK(replies.aa == 3);
    CHECK(replies.rrsig == 1);
    CHECK(replies.tc == 0);
    REQUIRE(replies.sizes.size() == 3);
    CHECK(replies.sizes[0].from == 48);
    CHECK(replies.sizes[0].to == 63);
}
