// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/tcp_stream.h"

#include "wire/bytes.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

constexpr std::size_t length_size = 2;
constexpr std::size_t read_size = 4096;     // room for reading many queries at a time
constexpr std::size_t output_limit = 65536; // answers that wait before queries do

} // namespace

// Returns the octets of the first message and of its length; 0 while the length is not known.
std::size_t TcpStream::pending_message() const
{
    if (in_end_ - in_begin_ < length_size)
        return 0;
    return length_size + wire_get16(&in_[in_begin_]);
}

std::span<std::uint8_t> TcpStream::input()
{
    if (in_begin_ != 0) {
        std::copy(in_.begin() + static_cast<std::ptrdiff_t>(in_begin_),
                  in_.begin() + static_cast<std::ptrdiff_t>(in_end_), in_.begin());
        in_end_ -= in_begin_;
        in_begin_ = 0;
    }
    const std::size_t wanted = std::max(pending_message(), read_size);
    if (in_.size() < wanted)
        in_.resize(wanted);
    return std::span(in_).subspan(in_end_);
}

bool TcpStream::received(std::size_t count)
{
    in_end_ += count;
    return answer_pending();
}

std::span<const std::uint8_t> TcpStream::output() const
{
    return std::span(out_).subspan(out_begin_);
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
        answer_begin_ = 0;
    }
    answer_pending();
}

bool TcpStream::wants_input() const
{
    return output().size() < output_limit;
}

bool TcpStream::answer_pending()
{
    bool any = false;
    while (wants_input()) {
        const std::size_t size = pending_message();
        if (size == 0 || in_end_ - in_begin_ < size)
            break;
        answer_one(std::span(in_).subspan(in_begin_ + length_size, size - length_size));
        in_begin_ += size;
        any = true;
    }
    return any;
}

void TcpStream::answer_one(std::span<const std::uint8_t> query)
{
    const std::size_t begin = out_.size();
    out_.resize(begin + length_size + answerer_.room(query.size()));
    const std::span<std::uint8_t> message = std::span(out_).subspan(begin + length_size);
    std::ranges::copy(query, message.begin());

    const std::size_t length = answerer_.answer(message, query.size());
    wire_put16(&out_[begin], static_cast<std::uint16_t>(length));
    out_.resize(length == 0 ? begin : begin + length_size + length);
}

} // namespace dnsgauge
