// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "capture/tcp_messages.h"

#include "wire/bytes.h"
#include "wire/dns.h"

#include <utility>

namespace dnsgauge
{

namespace
{

constexpr std::size_t length_size = 2;
// A segment with older octets is another stream's.
constexpr std::int32_t oldest = 1 << 20;

} // namespace

bool TcpMessages::read(const CapturedFrame &segment)
{
    messages_.clear();
    given_ = 0;
    is_too_long_ = false;
    const Flow flow{.source = segment.source, .target = segment.target};
    if (kept_ > kept_most || streams_.size() >= streams_most) {
        streams_.clear();
        kept_ = 0;
    }
    if (segment.is_first) {
        forget(streams_.find(flow));
        streams_[flow].next = segment.sequence + 1;
    }
    const bool is_read = segment.payload.empty() || read_data(segment, flow);
    if (segment.is_last)
        forget(streams_.find(flow));
    return is_read && !is_too_long_;
}

bool TcpMessages::read_data(const CapturedFrame &segment, const Flow &flow)
{
    const std::uint32_t sequence = segment.sequence + (segment.is_first ? 1 : 0);
    Octets data = segment.payload;
    const auto found = streams_.find(flow);
    if (found == streams_.end())
        return read_alone(data, flow, sequence);
    Stream &stream = found->second;
    const auto seen = static_cast<std::int32_t>(stream.next - sequence); // of the data
    if (seen < 0 || seen > oldest) {
        forget(found);
        return read_alone(data, flow, sequence);
    }
    if (static_cast<std::size_t>(seen) >= data.size())
        return true;
    data = data.subspan(static_cast<std::size_t>(seen));
    stream.next += static_cast<std::uint32_t>(data.size());
    if (!stream.kept.empty()) {
        stream.kept.insert(stream.kept.end(), data.begin(), data.end());
        kept_ += data.size();
        data = stream.kept;
    }
    const std::optional<Octets> rest = take_messages(data, flow);
    if (!rest) {
        messages_.clear();
        forget(found);
        return false;
    }
    if (rest->size() == stream.kept.size())
        return true;
    // Messages may lie in what was kept.
    std::vector<std::uint8_t> kept(rest->begin(), rest->end());
    kept_ = kept_ - stream.kept.size() + kept.size();
    octets_ = std::exchange(stream.kept, std::move(kept));
    return true;
}

bool TcpMessages::read_alone(Octets data, const Flow &flow, std::uint32_t sequence)
{
    const std::optional<Octets> rest = take_messages(data, flow);
    if (!rest || !rest->empty()) {
        messages_.clear();
        return false;
    }
    streams_[flow].next = sequence + static_cast<std::uint32_t>(data.size());
    return true;
}

std::optional<TcpMessages::Octets> TcpMessages::take_messages(Octets octets, const Flow &flow)
{
    while (octets.size() >= length_size) {
        const std::size_t size = wire_get16(octets.data());
        if (size < DNS_HEADER_SIZE)
            return std::nullopt;
        if (octets.size() - length_size < size)
            break;
        const Octets message = octets.subspan(length_size, size);
        const CapturedMessage whole{
            .source = flow.source, .target = flow.target, .message = message};
        if (whole.server().port != port_)
            return std::nullopt;
        if (size <= longest_message)
            messages_.push_back(message);
        else
            is_too_long_ = true;
        octets = octets.subspan(length_size + size);
    }
    return octets;
}

void TcpMessages::forget(Streams::iterator stream)
{
    if (stream == streams_.end())
        return;
    kept_ -= stream->second.kept.size();
    streams_.erase(stream);
}

std::optional<std::span<const std::uint8_t>> TcpMessages::next()
{
    if (given_ == messages_.size())
        return std::nullopt;
    return messages_[given_++];
}

} // namespace dnsgauge
