// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One connection of a lane: its socket, its queries, and the octets on their way.
#pragma once

#include "dns/message_reader.h"
#include "result/connections.h"
#include "streams/http_client.h"
#include "streams/octet_queue.h"
#include "streams/open_queries.h"
#include "streams/tls_client.h"
#include "system/unique_fd.h"

#include <boost/intrusive/list.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace dnsgauge
{

// Octets of the length before each message that is to be sent.
inline constexpr std::size_t length_size = 2;

// How a connection ended, or that it never opened.
enum class ConnectionEnd {
    unopened,
    closed,      // by the Tester
    closed_idle, // by the Tester, because its client did not use it
    closed_by_server,
    reset_by_server,
    broken,
    tls_broken,
    http_broken,
    left_open, // until the run's end
};

// The counts of each ConnectionEnd: of open connections that end so, and of the queries that this
// costs.
struct EndCounts {
    std::uint64_t ConnectionCounts::*connections;
    std::uint64_t ConnectionCounts::*lost_queries;
};
inline constexpr std::array<EndCounts, 9> end_counts{
    {{&ConnectionCounts::broken, &ConnectionCounts::lost_unopened},
     {&ConnectionCounts::closed, nullptr},
     {&ConnectionCounts::closed_idle, nullptr},
     {&ConnectionCounts::closed_by_server, &ConnectionCounts::lost_closed},
     {&ConnectionCounts::reset_by_server, &ConnectionCounts::lost_reset},
     {&ConnectionCounts::broken, &ConnectionCounts::lost_broken},
     {&ConnectionCounts::tls_broken, &ConnectionCounts::lost_broken},
     {&ConnectionCounts::http_broken, &ConnectionCounts::lost_broken},
     {&ConnectionCounts::left_open, nullptr}}};

[[nodiscard]] constexpr const EndCounts &counts_of(ConnectionEnd end)
{
    return end_counts.at(static_cast<std::size_t>(end));
}

// A connection whose client does not use it is in a list of such connections.
struct Connection
    : boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
    // A connection over TLS is `opening` until TCP has opened it, and then `securing`.
    enum class State { closed, opening, securing, open };

    UniqueFd socket{};
    State state = State::closed;
    std::uint32_t serial = 0;        // of all connections of the lane, from 1 on
    std::uint32_t place = 0;         // where it takes queries
    bool takes_queries = true;       // false once it has been replaced
    bool awaits_room = false;        // the kernel takes no more octets for the time being
    std::int64_t begun_ns = 0;       // when connect() was called
    std::int64_t securing_ns = 0;    // when TLS began
    std::uint64_t queries = 0;       // that it has carried
    std::uint64_t answered = 0;      // of these
    std::uint32_t ids = 0;           // that it has used or skipped
    std::uint32_t awaited = 0;       // its queries without any reply
    std::uint32_t held = 0;          // of these, not sent yet: they wait for earlier replies on it
    std::uint32_t fresh = 0;         // open queries, its last ones, that are not handed over yet
    std::uint32_t first_open = none; // its open queries, in the order of sending
    std::uint32_t last_open = none;
    std::int64_t idle_since_ns = 0; // if it is idle
    OctetQueue unsent{};
    OctetQueue waiting{}; // the messages of queries that are held
    MessageReader reader{};
    TlsConnection tls{};                 // null without TLS
    std::unique_ptr<HttpSession> http{}; // null without HTTP/2, and until TLS is open
    std::vector<std::uint8_t> sealed{};  // records that the kernel did not take yet
    std::int64_t heard_ns = 0;           // when the last message came
    std::int64_t keepalive_ns = -1;      // the server's last idle timeout; below 0 if it named none
    std::int64_t own_delay_ns = 0;       // for which the Tester itself delayed the opening

    static constexpr std::uint32_t none = OpenQuery::none;

    [[nodiscard]] bool is_opening() const
    {
        return state == State::opening || state == State::securing;
    }
    [[nodiscard]] bool has_open_queries() const { return first_open != none; }

    // Add query `number` of `all` to the connection's open ones, or take it out.
    void add(OpenQueries &all, std::uint32_t number, std::uint32_t self)
    {
        OpenQuery &query = all.at(number);
        query.connection = self;
        query.before = last_open;
        query.behind = none;
        (last_open == none ? first_open : all.at(last_open).behind) = number;
        last_open = number;
    }
    void take_out(OpenQueries &all, OpenQuery &query)
    {
        (query.before == none ? first_open : all.at(query.before).behind) = query.behind;
        (query.behind == none ? last_open : all.at(query.behind).before) = query.before;
        query.connection = none;
    }
};

// Idle connections that share an idle timeout, in the order in which they became idle.
using IdleConnections =
    boost::intrusive::list<Connection, boost::intrusive::constant_time_size<false>>;

} // namespace dnsgauge
