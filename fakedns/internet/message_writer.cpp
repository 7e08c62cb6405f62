// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "internet/message_writer.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

constexpr std::size_t pointer_size = 2;
constexpr std::size_t offset_most = 0x3fff;

} // namespace

MessageWriter::MessageWriter(std::span<std::uint8_t> message, std::size_t begin,
                             const WireName &name)
    : message_(message), size_(begin)
{
    for (unsigned depth = name.depth(); depth > 0 && known_count_ < known_.size(); depth--) {
        const std::size_t size = name.ancestor(depth).size();
        const std::size_t offset = DNS_HEADER_SIZE + name.octets().size() - size;
        known_[known_count_++] = {static_cast<std::uint16_t>(offset),
                                  static_cast<std::uint16_t>(size)};
    }
}

// Follows the labels and pointers that this writer has written.
bool MessageWriter::stands_at(std::size_t offset, NameOctets name) const
{
    while (true) {
        const std::uint8_t label = message_[offset];
        if (label >= DNS_POINTER >> 8) {
            offset = wire_get16(&message_[offset]) & offset_most;
            continue;
        }
        if (label != name[0])
            return false;
        if (label == 0)
            return true;
        for (std::size_t i = 1; i <= label; i++)
            if (dns_fold(message_[offset + i]) != name[i])
                return false;
        offset += 1 + std::size_t{label};
        name = name.subspan(1 + std::size_t{label});
    }
}

// Writes labels until the message has the rest of the name already.
bool MessageWriter::put_name(NameOctets name)
{
    while (name[0] != 0) {
        const auto known = std::span(known_).first(known_count_);
        const auto found = std::ranges::find_if(known, [this, name](const KnownName &one) {
            return one.size == name.size() && stands_at(one.offset, name);
        });
        if (found != known.end()) {
            if (!has_room(pointer_size))
                return false;
            wire_put16(&message_[size_], static_cast<std::uint16_t>(DNS_POINTER | found->offset));
            size_ += pointer_size;
            return true;
        }
        const std::size_t label = 1 + std::size_t{name[0]};
        if (!has_room(label))
            return false;
        if (known_count_ < known_.size() && size_ <= offset_most)
            known_[known_count_++] = {static_cast<std::uint16_t>(size_),
                                      static_cast<std::uint16_t>(name.size())};
        std::ranges::copy(name.first(label), message_.begin() + static_cast<std::ptrdiff_t>(size_));
        size_ += label;
        name = name.subspan(label);
    }
    if (!has_room(1))
        return false;
    message_[size_++] = 0;
    return true;
}

bool MessageWriter::put(NameOctets owner, const RecordData &record)
{
    const std::size_t begin = size_;
    const unsigned known = known_count_;
    const auto undo = [&] {
        size_ = begin;
        known_count_ = known;
        return false;
    };
    if (!put_name(owner) || !has_room(DNS_RECORD_TAIL + record.octets.size()))
        return undo();
    std::uint8_t *tail = &message_[size_];
    wire_put16(tail, record.type);
    wire_put16(tail + 2, DNS_CLASS_IN);
    wire_put32(tail + 4, record.ttl);
    size_ += DNS_RECORD_TAIL;
    std::ranges::copy(record.octets, message_.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += record.octets.size();
    if (record.name != nullptr && !put_name(record.name->octets()))
        return undo();
    wire_put16(tail + 8,
               static_cast<std::uint16_t>(&message_[size_ - 1] + 1 - tail - DNS_RECORD_TAIL));
    return true;
}

} // namespace dnsgauge
