// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Names in wire form, small letters. The depth of a name is the number of its labels: 0 is the
// root, 1 a top-level domain.
#pragma once

#include "wire/dns.h"

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace dnsgauge
{

using NameOctets = std::span<const std::uint8_t>; // of a whole name, root included

class WireName
{
public:
    // The root.
    WireName() { octets_[0] = 0; }

    // Copies a whole uncompressed name, and makes its letters small.
    explicit WireName(NameOctets name);

    // Returns the name `label` below `parent`, which together are a name; the label is in small
    // letters.
    [[nodiscard]] static WireName below(std::string_view label, NameOctets parent);

    // Makes this the same.
    void set(std::string_view label, NameOctets parent);

    // Reads "www.example.com", with or without a last dot, as read_name() does; "." is the root.
    // Throws SetupError.
    [[nodiscard]] static WireName parse(std::string_view text);

    [[nodiscard]] NameOctets octets() const { return {octets_.data(), length_}; }
    [[nodiscard]] unsigned depth() const { return depth_; }

    // Returns the ancestor of this depth (at most depth()), itself included.
    [[nodiscard]] NameOctets ancestor(unsigned depth) const
    {
        return octets().subspan(depth == 0 ? length_ - 1U : starts_[depth_ - depth]);
    }

    // Returns the first label of the ancestor of this depth, 1 to depth().
    [[nodiscard]] std::string_view label(unsigned depth) const
    {
        const std::size_t start = starts_[depth_ - depth];
        return {reinterpret_cast<const char *>(&octets_[start + 1]), octets_[start]};
    }

private:
    void find_labels();

    std::uint8_t length_ = 1;
    std::uint8_t depth_ = 0;
    // Only the octets and starts that the name has are ever set.
    std::array<std::uint8_t, DNS_NAME_MAX> octets_;
    std::array<std::uint8_t, DNS_LABELS_MAX> starts_; // of the labels, the first one first
};

} // namespace dnsgauge
