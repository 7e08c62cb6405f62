// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Connections whose clients do not use them, in the order in which they became idle. All of them
// are closed after the same time.
#pragma once

#include "streams/connection.h"

#include <cstdint>
#include <span>

namespace dnsgauge
{

class IdleQueue
{
public:
    static constexpr std::uint32_t none = Connection::none;

    // Returns the number of the connection that has been idle for longest, or none.
    [[nodiscard]] std::uint32_t first() const { return first_; }

    // Adds the connection `number` of `all`, which is in no queue, behind the others.
    void add(std::span<Connection> all, std::uint32_t number)
    {
        Connection &connection = all[number];
        connection.is_idle = true;
        connection.idle_before = last_;
        connection.idle_behind = none;
        (last_ == none ? first_ : all[last_].idle_behind) = number;
        last_ = number;
    }
    // Takes out a connection of this queue.
    void take_out(std::span<Connection> all, Connection &connection)
    {
        connection.is_idle = false;
        (connection.idle_before == none ? first_ : all[connection.idle_before].idle_behind) =
            connection.idle_behind;
        (connection.idle_behind == none ? last_ : all[connection.idle_behind].idle_before) =
            connection.idle_before;
    }

private:
    std::uint32_t first_ = none;
    std::uint32_t last_ = none;
};

} // namespace dnsgauge
