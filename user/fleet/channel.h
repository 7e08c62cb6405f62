// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How Testers exchange messages. Messages between two Testers arrive in the order in which they
// were sent.
#pragma once

#include "units/rate.h"

#include <cstdint>
#include <optional>
#include <string>

namespace dnsgauge
{

// What a Tester does while it waits for a message. If it sleeps, it takes no CPU from senders. If
// it spins, it looks all the time, and knows the moment of arrival.
enum class Wait { sleeping, spinning };

class Channel
{
public:
    Channel &operator=(Channel &&) = delete;
    virtual ~Channel() = default;

    [[nodiscard]] virtual std::uint32_t rank() const = 0; // of this Tester, from 0
    [[nodiscard]] virtual std::uint32_t size() const = 0; // how many Testers there are

    // Sends the text. Returns false if the Tester has not taken it by `deadline`
    // (CLOCK_MONOTONIC).
    [[nodiscard]] virtual bool send(std::uint32_t to, const std::string &text, Nanoseconds deadline,
                                    Wait wait) = 0;
    // Returns the next message; nothing if none comes by `deadline`.
    [[nodiscard]] virtual std::optional<std::string> receive(std::uint32_t from,
                                                             Nanoseconds deadline, Wait wait) = 0;
    // Returns whether a message waits.
    [[nodiscard]] virtual bool has_message(std::uint32_t from) = 0;
};

} // namespace dnsgauge
