// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/hardware_rtt.h"

#include <algorithm>
#include <cmath>

namespace dnsgauge
{

namespace
{

// The card's RTT may exceed the Tester's own by this much, because some stamps are coarse and the
// two clocks run at different speeds.
constexpr std::int64_t slack_ns = 1000;
constexpr std::int64_t slack_share = 1000;

} // namespace

std::optional<std::uint64_t> hardware_rtt(std::uint32_t transmitted, std::uint32_t received,
                                          std::uint64_t software)
{
    const std::uint32_t low = received - transmitted;
    const auto excess = static_cast<std::int32_t>(low - static_cast<std::uint32_t>(software));
    const auto known = static_cast<std::int64_t>(software);
    if (excess > slack_ns + known / slack_share || known + excess < 0)
        return std::nullopt;
    return static_cast<std::uint64_t>(known + excess);
}

void RttTally::add(std::uint64_t rtt)
{
    histogram_.add(rtt);
    min_ = std::min(min_, rtt);
    sum_ += rtt;
    squares_ += static_cast<wide>(rtt) * rtt;
}

void RttTally::add(const RttTally &other)
{
    histogram_.add(other.histogram_);
    min_ = std::min(min_, other.min_);
    sum_ += other.sum_;
    squares_ += other.squares_;
}

RttSummary RttTally::summary() const
{
    RttSummary rtt;
    rtt.count = histogram_.count();
    if (rtt.count == 0)
        return rtt;
    rtt.min = min_;
    rtt.max = histogram_.max();
    const auto n = static_cast<long double>(rtt.count);
    const long double mean = static_cast<long double>(sum_) / n;
    rtt.mean = static_cast<double>(mean);
    rtt.stddev = static_cast<double>(
        std::sqrt(std::max(0.0L, static_cast<long double>(squares_) / n - mean * mean)));
    set_percentiles(rtt, histogram_);
    return rtt;
}

StampBook::StampBook(std::size_t slots, std::size_t frames, bool same_clock)
    : stamps_(slots), in_frame_(frames), same_clock_(same_clock)
{
}

void StampBook::send(std::uint64_t number, std::uint32_t frame)
{
    stamps_[number % stamps_.size()] = 0;
    in_frame_[frame] = number;
}

void StampBook::complete(std::uint32_t frame, std::uint64_t stamp, std::uint64_t next)
{
    const std::uint64_t number = in_frame_[frame];
    // A frame may come back after its query's slot was used again. Its stamp is then useless.
    if (stamp == 0 || next - number > stamps_.size())
        return;
    counts_.transmitted++;
    stamps_[number % stamps_.size()] = slot_stamp(stamp);
}

void StampBook::settle(std::uint64_t number, std::uint64_t word, std::uint32_t received)
{
    if (slot_state(word) != QUERY_VALID || received == 0)
        return;
    counts_.received++;
    const std::uint32_t transmitted = stamps_[number % stamps_.size()];
    if (transmitted == 0 || !same_clock_)
        return;
    if (const auto rtt = hardware_rtt(transmitted, received, slot_rtt(word)))
        rtts_.add(*rtt);
    else
        counts_.contradictory++;
}

} // namespace dnsgauge
