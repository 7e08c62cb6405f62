// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/miss_book.h"

#include <algorithm>
#include <bit>

namespace dnsgauge
{

namespace
{

// Merges the bins that have the same number. Equal numbers are neighbours.
void unite(std::vector<MissBin> &bins)
{
    std::size_t last = 0;
    for (std::size_t i = 1; i < bins.size(); i++) {
        if (bins[i].number == bins[last].number) {
            bins[last].lost += bins[i].lost;
            bins[last].late += bins[i].late;
        } else {
            bins[++last] = bins[i];
        }
    }
    if (!bins.empty())
        bins.resize(last + 1);
}

} // namespace

void MissTally::widen()
{
    width_bits++;
    for (MissBin &bin : bins)
        bin.number >>= 1U;
    unite(bins);
}

void MissTally::add(const MissTally &other)
{
    if (other.bins.empty())
        return;
    if (bins.empty()) {
        *this = other;
        return;
    }
    MissTally more = other;
    while (width_bits < more.width_bits)
        widen();
    while (more.width_bits < width_bits)
        more.widen();
    bins.insert(bins.end(), more.bins.begin(), more.bins.end());
    std::ranges::stable_sort(bins, {}, &MissBin::number);
    unite(bins);
}

// Touches the memory, so that the sender never waits for a page.
MissBook::MissBook(Nanoseconds limit, std::uint64_t queries)
    : room_(std::clamp<std::uint64_t>(queries, 1, most_bins)),
      tally_{.width_bits = std::min(static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(
                                        std::max(limit, Nanoseconds(1)).count()))) -
                                        1,
                                    MissTally::widest_at_first),
             .bins = std::vector<MissBin>(room_)}
{
    tally_.bins.clear();
}

void MissBook::settle(std::int64_t sent_ns, query_state state)
{
    if (state != QUERY_OUTSTANDING && state != QUERY_LATE)
        return;
    std::vector<MissBin> &bins = tally_.bins;
    const auto number_now = [&] {
        return static_cast<std::uint64_t>(std::max(sent_ns, std::int64_t{0})) >> tally_.width_bits;
    };
    while (bins.size() == room_ && bins.back().number != number_now())
        tally_.widen();
    if (bins.empty() || bins.back().number != number_now())
        bins.push_back({.number = number_now()});
    (state == QUERY_LATE ? bins.back().late : bins.back().lost)++;
}

} // namespace dnsgauge
