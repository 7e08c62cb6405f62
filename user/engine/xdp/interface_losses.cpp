// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "xdp/interface_losses.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>

namespace dnsgauge
{

namespace
{

// Returns how many packets the program dropped: it drops every reply.
std::uint64_t dropped_by_program(const ReplyTally &replies)
{
    std::uint64_t dropped = query_counts(replies.queries).sent;
    for (const StrayClass &each : stray_classes)
        if (each.fate == StrayFate::dropped)
            dropped += replies.strays.*each.count;
    return dropped;
}

// Returns how many of the `dropped` packets the program chose to drop, by a counter of dropped
// received packets. Some drivers count all of the program's drops there.
std::uint64_t chosen(std::uint64_t dropped, const ReplyTally &replies)
{
    const std::uint64_t by_program = dropped_by_program(replies);
    return dropped >= by_program ? by_program : 0;
}

// Returns how many of the packets that the kernel counts as `dropped` were certainly no loss. After
// a native program the kernel drops only packets that the program passed, which are no replies. A
// generic program sees packets only after the kernel, which may have dropped replies.
std::uint64_t no_losses(std::uint64_t dropped, const ReplyTally &replies, XdpMode mode)
{
    const std::uint64_t passed = mode == XdpMode::generic ? 0 : replies.passed;
    return std::min(dropped, passed + chosen(dropped, replies));
}

// Returns the name of a driver's counter with '#' for each number, so that the counters of all
// queues are one kind, and a counter of the whole interface is another kind. Returns an empty name
// for the kernel's own counters, which are one kind, too.
std::string kind_of(const std::string &name)
{
    if (!name.starts_with(driver_counter))
        return {};
    std::string kind;
    for (const char c : name) {
        if (std::isdigit(static_cast<unsigned char>(c)) == 0)
            kind += c;
        else if (!kind.ends_with('#'))
            kind += '#';
    }
    return kind;
}

// Returns whether the counter may count packets that an XDP program chose to drop. Counters of
// errors, and of packets that the card had no room for, do not.
bool speaks_of_drops(const std::string &name)
{
    return name.find("drop") != std::string::npos;
}

// Sums of counters by kind_of().
using Sums = std::map<std::string, std::uint64_t>;

std::uint64_t largest(const Sums &sums)
{
    std::uint64_t most = 0;
    for (const auto &[kind, sum] : sums)
        most = std::max(most, sum);
    return most;
}

} // namespace

void attribute_losses(OwnLosses &losses, const CounterValues &growth, const ReplyTally &replies,
                      XdpMode mode)
{
    Sums sending;
    Sums receiving;
    Sums drops; // of received packets
    for (const auto &[name, value] : growth) {
        const Loss loss = loss_of(name);
        if (loss == Loss::none)
            continue;
        const std::uint64_t by_choice = std::min(value, dropped_by_choice(growth, name));
        std::uint64_t lost = value - by_choice;
        if (name == "rx_dropped") {
            const std::uint64_t excused = no_losses(lost, replies, mode);
            losses.interface_doubtful += excused - std::min(excused, chosen(lost, replies));
            lost -= excused;
        }
        if (lost == 0)
            continue;
        losses.interface[name] = lost;
        const std::string kind = kind_of(name);
        if (loss == Loss::sending)
            sending[kind] += lost;
        else if (loss == Loss::receiving && !kind.empty() && by_choice == 0 &&
                 speaks_of_drops(name))
            drops[kind] += lost;
        else if (loss == Loss::receiving)
            receiving[kind] += lost;
    }
    for (const auto &each : drops) {
        const std::uint64_t lost = each.second - chosen(each.second, replies);
        receiving[each.first] += lost;
        if (lost == 0)
            std::erase_if(losses.interface, [&each](const auto &counter) {
                return kind_of(counter.first) == each.first;
            });
    }
    losses.interface_sending = largest(sending);
    losses.interface_receiving = largest(receiving);
}

} // namespace dnsgauge
