// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/hardware_rtt.h"

namespace dnsgauge
{

namespace
{

// The card's RTT may exceed the Tester's by this, because some stamps are coarse and the two clocks
// run at different speeds.
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
