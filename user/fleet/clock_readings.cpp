// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/clock_readings.h"

#include "system/number_text.h"

#include <algorithm>
#include <chrono>

namespace dnsgauge
{

namespace
{

constexpr const char *ping = "ping";
constexpr int pings = 64;                               // number of pings in a reading
constexpr auto ping_patience = std::chrono::seconds(5); // of all pings together

Nanoseconds now()
{
    return std::chrono::steady_clock::now().time_since_epoch();
}

std::optional<Nanoseconds> read_time(const std::string &text)
{
    const auto read = read_number<Nanoseconds::rep>(text);
    return read ? std::optional(Nanoseconds(*read)) : std::nullopt;
}

} // namespace

ClockReading reading_of(const std::vector<RoundTrip> &trips)
{
    const RoundTrip &best = *std::ranges::min_element(
        trips, {}, [](const RoundTrip &trip) { return trip.received - trip.sent; });
    const Nanoseconds there_and_back = best.received - best.sent;
    // Rounded up, so that the bound holds.
    return {.offset = best.theirs - best.sent - there_and_back / 2,
            .bound = (there_and_back + Nanoseconds(1)) / 2 + Nanoseconds(1)};
}

std::optional<ClockReading> read_clock(Channel &channel, std::uint32_t other)
{
    const Nanoseconds deadline = now() + ping_patience;
    std::vector<RoundTrip> trips;
    for (int i = 0; i < pings; i++) {
        const Nanoseconds sent = now();
        if (!channel.send(other, ping, deadline, Wait::spinning))
            break;
        const auto answer = channel.receive(other, deadline, Wait::spinning);
        const Nanoseconds received = now();
        const auto theirs = answer ? read_time(*answer) : std::nullopt;
        if (!theirs)
            break;
        trips.push_back({.sent = sent, .theirs = *theirs, .received = received});
    }
    return trips.empty() ? std::nullopt : std::optional(reading_of(trips));
}

bool is_answer(const std::string &text)
{
    return read_time(text).has_value();
}

void ShownClock::begin_reading()
{
    pings_due_ = pings;
    reading_ends_ = now() + ping_patience;
}

std::optional<std::string> ShownClock::receive(Nanoseconds deadline)
{
    for (;;) {
        const bool is_read = pings_due_ > 0;
        std::optional<std::string> text =
            is_read ? channel_.receive(other_, std::min(deadline, reading_ends_), Wait::spinning)
                    : channel_.receive(other_, deadline, Wait::sleeping);
        if (text == ping) {
            static_cast<void>(channel_.send(other_, std::to_string(now().count()),
                                            now() + ping_patience, Wait::spinning));
            pings_due_--;
        } else if (text || !is_read || deadline <= reading_ends_) {
            return text;
        } else {
            pings_due_ = 0;
        }
    }
}

} // namespace dnsgauge
