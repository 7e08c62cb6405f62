// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The messages of one DNS connection, without the connection itself. If the connection has a fault,
// this file does the part of it that messages show.
#pragma once

#include "base/event_loop.h"

#include "dns/connection_faults.h"
#include "dns/message_reader.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dnsgauge
{

struct HeldAnswer {
    std::int32_t request = 0; // of HeldAnswers
    std::vector<std::uint8_t> octets;
};

// Answers of a stream that wait until they are due.
struct HeldAnswers {
    std::uint64_t arrived_ns = 0; // when the kernel had the queries (ktime_ns())
    std::int32_t request = 0;     // over HTTP, the number of the request with the current query
    DueQueue<HeldAnswer> waiting;
};

// Makes the answers of a stream.
class MessageAnswerer
{
public:
    MessageAnswerer &operator=(MessageAnswerer &&) = delete;
    virtual ~MessageAnswerer() = default;

    // Returns room that suffices to answer a query of `query_length` octets in place.
    [[nodiscard]] virtual std::size_t room(std::size_t query_length) const = 0;

    // Overwrites the query in the first `query_length` octets of `buffer`, which has
    // room(query_length) octets, with its answer. Returns the answer's length; 0 if there is none.
    virtual std::size_t answer(std::span<std::uint8_t> buffer, std::size_t query_length) = 0;

    // Returns the round-trip time in nanoseconds that a connection to a distant server has, for
    // its handshake and for each answer; 0 if the server is near.
    [[nodiscard]] virtual std::uint64_t distance_ns() const { return 0; }

    // Returns the answers that the answerer holds until they are due; null if it never holds any.
    // The stream's owner sends them, and sets the times at which queries arrived.
    [[nodiscard]] virtual HeldAnswers *held() { return nullptr; }

    // Counts answers that were made but will not be sent.
    virtual void add_unsent(std::size_t answers) = 0;
};

// What a fault did.
struct ConnectionFaultCount {
    std::uint64_t connections = 0; // connections that had it
    std::uint64_t queries = 0;     // their queries, or their answers, that had it
};

using ConnectionFaultCounts = OfConnectionFaults<ConnectionFaultCount>;

// The fault of one connection.
struct Misconduct {
    ConnectionFault kind = ConnectionFault::none;
    std::uint32_t number = 0;               // of ConnectionFaultPlan
    ConnectionFaultCount *counts = nullptr; // null if there is no fault
};

// What answers the queries of a connection, and the connection's fault.
class FaultyMessages
{
public:
    // `answerer` and the counts of `fault` must outlive the object.
    FaultyMessages(MessageAnswerer &answerer, const Misconduct &fault)
        : answerer_(answerer), fault_(fault)
    {
    }
    FaultyMessages &operator=(FaultyMessages &&) = delete;
    virtual ~FaultyMessages() = default;

    // Returns whether the connection has this fault, and the fault has shown.
    [[nodiscard]] bool shows(ConnectionFault kind) const { return fault_.kind == kind && shows_; }

protected:
    [[nodiscard]] MessageAnswerer &answerer() { return answerer_; }
    [[nodiscard]] const MessageAnswerer &answerer() const { return answerer_; }
    [[nodiscard]] ConnectionFault fault() const { return fault_.kind; }
    [[nodiscard]] std::uint32_t fault_number() const { return fault_.number; }

    // Returns whether the fault leaves the next query without an answer, and counts the query.
    [[nodiscard]] bool stays_silent();

    // Returns whether this number of answers is a complete group, which goes together. If it is,
    // counts them if the fault changes right answers.
    [[nodiscard]] bool completes_group(std::size_t answers);

private:
    void count_fault(std::uint64_t queries);

    MessageAnswerer &answerer_;
    Misconduct fault_;
    bool shows_ = false;
    std::uint64_t queries_ = 0; // number that came, if the fault waits for a number of queries
};

// Messages in a stream of octets, which the object's owner moves in and out.
class MessageStream : public FaultyMessages
{
public:
    using FaultyMessages::FaultyMessages;

    // Takes the client's next octets, and answers the queries that they complete. Returns true if
    // there was one.
    virtual bool received(std::span<const std::uint8_t> octets) = 0;

    // Adds an answer that was held, after the others.
    virtual void add(const HeldAnswer &answer) = 0;

    // Tells that the client sends no more. Lets answers go that wait for others.
    virtual void ended() = 0;

    // Returns the unsent octets that may go. There are none before the client's first octets.
    [[nodiscard]] virtual std::span<const std::uint8_t> output() const = 0;

    // Returns how many answers are not completely sent.
    [[nodiscard]] virtual std::size_t unsent() const = 0;

    // Forgets the first `count` octets of output(), which have been sent.
    virtual void sent(std::size_t count) = 0;

    // Returns false while too many unsent answers wait: a client that does not read its answers
    // gets no more.
    [[nodiscard]] bool wants_input() const { return output().size() < output_limit; }

    // Returns whether the connection must be closed after output().
    [[nodiscard]] virtual bool is_over() const { return false; }

protected:
    static constexpr std::size_t output_limit = 65536; // while more octets wait, no query is read
};

// The messages of one DNS connection over TCP (RFC 1035 section 4.2.2, RFC 7766). Each message
// follows its length, two octets. Queries may come in pieces of any size; answers leave in the
// order of the queries.
class TcpStream : public MessageStream
{
public:
    explicit TcpStream(MessageAnswerer &answerer, const Misconduct &fault = {})
        : MessageStream(answerer, fault)
    {
    }

    bool received(std::span<const std::uint8_t> octets) override;
    void add(const HeldAnswer &answer) override;
    void ended() override { ready_ = out_.size(); }
    [[nodiscard]] std::span<const std::uint8_t> output() const override;
    [[nodiscard]] std::size_t unsent() const override;
    void sent(std::size_t count) override;

private:
    [[nodiscard]] std::size_t after_answer(std::size_t begin) const;
    void answer_one(std::span<const std::uint8_t> query);
    void release(std::size_t last);

    MessageReader reader_;
    std::vector<std::uint8_t> out_;
    std::size_t ready_ = 0;        // the end of the answers that may go
    std::size_t together_ = 0;     // number of answers after it, which wait for others
    std::size_t out_begin_ = 0;    // of the unsent octets
    std::size_t answer_begin_ = 0; // of the first answer that is not completely sent
};

} // namespace dnsgauge
