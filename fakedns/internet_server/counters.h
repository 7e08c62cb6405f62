// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Counts the answers of an Internet by what they say, by type, and by the kind of server that is
// asked.
#pragma once

#include "internet/world_answer.h"

#include <array>
#include <cstdint>
#include <string>

namespace dnsgauge
{

// The kinds of servers, by their numbers.
enum class ServerTier : std::uint8_t { root, registry, other, none };
constexpr unsigned server_tiers = 4;

// The ways of an answer.
enum class InternetPath : std::uint8_t { udp, tcp, xdp };
constexpr unsigned internet_paths = 3;

class InternetCounters
{
public:
    static constexpr unsigned types = 9; // the last one is for all other types

    void add(ServerTier tier, const WorldAnswer &answer, InternetPath path);

    // Return a table for people, and the text of metrics for Prometheus. Every line ends in '\n'.
    [[nodiscard]] std::string table() const;
    [[nodiscard]] std::string metrics() const;

    std::uint64_t waiting = 0; // answers that are not sent yet
    // Answers that the stack refused, or for which too many waited; queries for which AF_XDP had no
    // room.
    std::uint64_t unsent = 0;

private:
    [[nodiscard]] std::uint64_t &at(InternetPath path, ServerTier tier, WorldAnswerKind kind,
                                    std::size_t type);
    // Calls visit(path, tier, kind, type, count) for each counter, the first three with their
    // words.
    template <class Visit>
    void each(Visit visit) const;

    std::array<std::uint64_t,
               std::size_t{internet_paths} * server_tiers * world_answer_kinds * types>
        value_{};
};

} // namespace dnsgauge
