// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/tcp_stream.h"

#include "wire/bytes.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

constexpr std::size_t length_size = 2;
constexpr std::size_t output_limit = 65536; // octets of answers that wait before queries do

// Returns whether the fault leaves queries without an answer.
bool is_silent(ConnectionFault kind)
{
    return kind == ConnectionFault::reset || kind == ConnectionFault::close ||
           kind == ConnectionFault::stall;
}

// Returns whether the fault changes how right answers leave.
bool is_odd(ConnectionFault kind)
{
    return kind == ConnectionFault::swap || kind == ConnectionFault::coalesce ||
           kind == ConnectionFault::split;
}

// Returns how many answers go together.
std::size_t group_of(const Misconduct &fault)
{
    if (fault.kind == ConnectionFault::swap)
        return 2;
    return fault.kind == ConnectionFault::coalesce ? fault.number : 1;
}

} // namespace

bool TcpStream::received(std::span<const std::uint8_t> octets)
{
    bool any = false;
    reader_.read(octets, [&](std::span<const std::uint8_t> query, std::size_t /*size*/) {
        answer_one(query);
        any = true;
    });
    return any;
}

void TcpStream::add(std::span<const std::uint8_t> answer)
{
    const std::size_t begin = out_.size();
    out_.resize(begin + length_size + answer.size());
    wire_put16(&out_[begin], static_cast<std::uint16_t>(answer.size()));
    std::ranges::copy(answer, out_.begin() + static_cast<std::ptrdiff_t>(begin + length_size));
    release(begin);
}

std::span<const std::uint8_t> TcpStream::output() const
{
    return std::span(out_).first(ready_).subspan(out_begin_);
}

// Returns where in out_ the answer ends that begins at `begin`.
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
    // A client that reads steadily may never have all its answers.
    if (answer_begin_ == out_.size() || answer_begin_ >= output_limit) {
        out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(answer_begin_));
        out_begin_ -= answer_begin_;
        ready_ -= answer_begin_;
        answer_begin_ = 0;
    }
}

bool TcpStream::wants_input() const
{
    return output().size() < output_limit;
}

void TcpStream::count_fault(std::uint64_t queries)
{
    fault_.counts->connections += shows_ ? 0 : 1;
    fault_.counts->queries += queries;
    shows_ = true;
}

void TcpStream::answer_one(std::span<const std::uint8_t> query)
{
    if (is_silent(fault_.kind) && queries_++ >= fault_.number)
        return count_fault(1);
    const std::size_t begin = out_.size();
    out_.resize(begin + length_size + answerer_.room(query.size()));
    const std::span<std::uint8_t> message = std::span(out_).subspan(begin + length_size);
    std::ranges::copy(query, message.begin());

    const std::size_t length = answerer_.answer(message, query.size());
    wire_put16(&out_[begin], static_cast<std::uint16_t>(length));
    out_.resize(length == 0 ? begin : begin + length_size + length);
    if (length != 0)
        release(begin);
}

// Lets the answer that begins at `last` go, and the answers that waited for it, unless it waits for
// others itself.
void TcpStream::release(std::size_t last)
{
    if (++together_ != group_of(fault_))
        return;
    const auto at = [this](std::size_t place) {
        return out_.begin() + static_cast<std::ptrdiff_t>(place);
    };
    if (fault_.kind == ConnectionFault::swap)
        std::rotate(at(ready_), at(last), out_.end());
    if (is_odd(fault_.kind))
        count_fault(together_);
    ready_ = out_.size();
    together_ = 0;
}

} // namespace dnsgauge
