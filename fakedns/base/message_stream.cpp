// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/message_stream.h"
#include "wire/bytes.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

constexpr std::size_t length_size = 2;

} // namespace

bool FaultyMessages::stays_silent()
{
    const bool is_silent =
        fault_.kind == ConnectionFault::reset || fault_.kind == ConnectionFault::close ||
        fault_.kind == ConnectionFault::stall || fault_.kind == ConnectionFault::goaway ||
        fault_.kind == ConnectionFault::reset_stream;
    if (!is_silent || queries_++ < fault_.number)
        return false;
    count_fault(1);
    return true;
}

bool FaultyMessages::completes_group(std::size_t answers)
{
    const bool are_pairs =
        fault_.kind == ConnectionFault::swap || fault_.kind == ConnectionFault::wrong_stream;
    const std::size_t others = fault_.kind == ConnectionFault::coalesce ? fault_.number : 1;
    if (answers != (are_pairs ? 2 : others))
        return false;
    if (changes_answers(fault_.kind))
        count_fault(answers);
    return true;
}

void FaultyMessages::count_fault(std::uint64_t queries)
{
    fault_.counts->connections += shows_ ? 0 : 1;
    fault_.counts->queries += queries;
    shows_ = true;
}

bool TcpStream::received(std::span<const std::uint8_t> octets)
{
    bool any = false;
    reader_.read(octets, [&](std::span<const std::uint8_t> query, std::size_t /*size*/) {
        answer_one(query);
        any = true;
    });
    return any;
}

void TcpStream::add(const HeldAnswer &answer)
{
    const std::vector<std::uint8_t> &octets = answer.octets;
    const std::size_t begin = out_.size();
    out_.resize(begin + length_size + octets.size());
    wire_put16(&out_[begin], static_cast<std::uint16_t>(octets.size()));
    std::ranges::copy(octets, out_.begin() + static_cast<std::ptrdiff_t>(begin + length_size));
    release(begin);
}

std::span<const std::uint8_t> TcpStream::output() const
{
    return std::span(out_).first(ready_).subspan(out_begin_);
}

// Returns the end in out_ of the answer that begins at `begin`.
std::size_t TcpStream::after_answer(std::size_t begin) const
{
    return begin + length_size + wire_get16(&out_[begin]);
}

std::size_t TcpStream::unsent() const
{
    std::size_t answers = 0;
    for (std::size_t begin = answer_begin_; begin != out_.size(); begin = after_answer(begin))
        answers++;
    return answers;
}

void TcpStream::sent(std::size_t count)
{
    out_begin_ += count;
    while (answer_begin_ < out_begin_ && after_answer(answer_begin_) <= out_begin_)
        answer_begin_ = after_answer(answer_begin_);
    // Does not wait until all is sent: that may never happen if the client reads and asks steadily.
    if (answer_begin_ == out_.size() || answer_begin_ >= output_limit) {
        out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(answer_begin_));
        out_begin_ -= answer_begin_;
        ready_ -= answer_begin_;
        answer_begin_ = 0;
    }
}

void TcpStream::answer_one(std::span<const std::uint8_t> query)
{
    if (stays_silent())
        return;
    const std::size_t begin = out_.size();
    out_.resize(begin + length_size + answerer().room(query.size()));
    const std::span<std::uint8_t> message = std::span(out_).subspan(begin + length_size);
    std::ranges::copy(query, message.begin());

    const std::size_t length = answerer().answer(message, query.size());
    wire_put16(&out_[begin], static_cast<std::uint16_t>(length));
    out_.resize(length == 0 ? begin : begin + length_size + length);
    if (length != 0)
        release(begin);
}

// Lets the answer that begins at `last` go, with the answers that waited for it, unless this answer
// must wait for others itself.
void TcpStream::release(std::size_t last)
{
    if (!completes_group(++together_))
        return;
    const auto at = [this](std::size_t place) {
        return out_.begin() + static_cast<std::ptrdiff_t>(place);
    };
    if (fault() == ConnectionFault::swap)
        std::rotate(at(ready_), at(last), out_.end());
    ready_ = out_.size();
    together_ = 0;
}

} // namespace dnsgauge
