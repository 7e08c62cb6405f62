// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Queries as values, and what a sender asks of the streams that yield them.
//
// A stream is one sender's share of a workload: it says when its next query is due and yields that
// query. Senders are compiled for each kind of stream, so a stream costs no indirect call.
#pragma once

#include "dns/ip_address.h"
#include "workload/open_window.h"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dnsgauge
{

// The longest message that a query may be: with its headers it fits a frame.
inline constexpr std::size_t longest_query = 1472;

struct Query {
    std::span<const std::uint8_t> message; // DNS; the sender writes the transaction ID
    std::int64_t due_ns = 0;               // from the trial's start
    IpAddress source;                      // of the server's family
    std::uint16_t port = 0;                // source port; 0 if the query's identity decides it
    std::uint64_t expectation = 0;         // see query_slot, which holds it
    std::uint32_t wants = 0;               // see query_slot, which holds it
    std::uint32_t client = 0;              // of captures, from 0
};

// A query for a name of the test namespace: everything else follows from the name's address.
struct NameQuery {
    std::int64_t due_ns = 0;
    std::uint32_t expectation = 0; // the name's address
};

// What the expectations of queries are, which tells by which rule replies are judged.
enum class ExpectationKind {
    names,     // addresses of test names: judge_name_reply()
    questions, // hashes of questions: judge_hashed_reply()
};

// The times at which one sender's queries are due.
template <class T>
concept Schedule = requires(T schedule, const T constant)
{
    {
        constant.due()
        } -> std::same_as<std::int64_t>; // of the present query, from the start
    schedule.advance();
};

template <class T>
concept QueryStream = requires(T stream, const T constant)
{
    {
        constant.due()
        } -> std::same_as<std::int64_t>; // of the query that next() yields
    {
        stream.next().due_ns
        } -> std::convertible_to<std::int64_t>;
    {
        stream.next().expectation
        } -> std::convertible_to<std::uint64_t>;
};

// A stream whose schedule is a window.
template <class Stream>
concept WindowStream = requires(Stream stream)
{
    {
        stream.timing()
        } -> std::same_as<OpenWindow &>;
};

} // namespace dnsgauge
