// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes the records of an answer behind its question, with names compressed (RFC 1035 section
// 4.1.4) against the question's name and against each other.
#pragma once

#include "internet/wire_name.h"

#include "internet/world.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace dnsgauge
{

class MessageWriter
{
public:
    // Writes behind the first `begin` octets of `message`, up to its end. The question's name
    // `name` stands behind the header.
    MessageWriter(std::span<std::uint8_t> message, std::size_t begin, const WireName &name);

    // Writes a record. Returns false, and writes nothing, if there is no room.
    [[nodiscard]] bool put(NameOctets owner, const RecordData &record);

    [[nodiscard]] std::size_t size() const { return size_; }

private:
    // A name that stands in the message.
    struct KnownName {
        std::uint16_t offset;
        std::uint16_t size; // of the whole name, uncompressed
    };

    [[nodiscard]] bool put_name(NameOctets name);
    [[nodiscard]] bool stands_at(std::size_t offset, NameOctets name) const;
    [[nodiscard]] bool has_room(std::size_t octets) const
    {
        return size_ + octets <= message_.size();
    }

    std::span<std::uint8_t> message_;
    std::size_t size_;
    std::array<KnownName, 64> known_; // only used entries are ever set
    unsigned known_count_ = 0;
};

} // namespace dnsgauge
