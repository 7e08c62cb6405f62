// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The messages of one DNS connection over TCP (RFC 1035 section 4.2.2, RFC 7766). Each message
// follows its length, two octets. Queries may come in pieces of any size; answers leave in the
// order of the queries.
#pragma once

#include "base/message_stream.h"

#include "userland/message_reader.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dnsgauge
{

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
    std::size_t together_ = 0;     // answers behind it, which wait for others
    std::size_t out_begin_ = 0;    // of the octets not sent yet
    std::size_t answer_begin_ = 0; // of the first answer that has not been sent whole
};

} // namespace dnsgauge
