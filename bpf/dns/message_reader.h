// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The DNS messages in a connection's octets, each after its length (RFC 1035 section 4.2.2).
#pragma once

#include "wire/bytes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dnsgauge
{

// Octets may come in pieces of any size. A message that comes in one piece is not copied.
class MessageReader
{
public:
    static constexpr std::size_t longest_message = 65'535;

    // Keeps at most `longest` octets of a message; `longest` is at least two. A longer message is
    // cut.
    explicit MessageReader(std::size_t longest = longest_message) : longest_(longest) {}

    // Takes the connection's next octets. Calls take(message, size) for each message that they
    // complete. `size` is the message's length before it was cut.
    template <class Take>
    void read(std::span<const std::uint8_t> octets, const Take &take)
    {
        while (!octets.empty()) {
            if (kept_.empty() && octets.size() >= length_size) {
                const std::size_t size = wire_get16(octets.data());
                if (octets.size() - length_size >= size) {
                    take(octets.subspan(length_size, std::min(size, longest_)), size);
                    octets = octets.subspan(length_size + size);
                    continue;
                }
            }
            octets = octets.subspan(keep(octets));
            if (is_complete()) {
                take(std::span<const std::uint8_t>(kept_).subspan(length_size), size_at_hand());
                clear();
            }
        }
    }

    // Forgets the current message.
    void clear()
    {
        kept_.clear();
        stepped_over_ = 0;
    }
    // Returns how many octets of memory the reader has.
    [[nodiscard]] std::size_t memory() const { return kept_.capacity(); }

private:
    static constexpr std::size_t length_size = 2;

    [[nodiscard]] std::size_t size_at_hand() const { return wire_get16(kept_.data()); }
    [[nodiscard]] bool is_complete() const
    {
        return kept_.size() >= length_size &&
               kept_.size() - length_size + stepped_over_ == size_at_hand();
    }

    // Keeps or skips octets of the current message. Returns their number.
    std::size_t keep(std::span<const std::uint8_t> octets)
    {
        const std::size_t all = octets.size();
        octets = octets.subspan(append(octets, length_size));
        if (kept_.size() < length_size)
            return all;
        const std::size_t size = size_at_hand();
        const std::size_t wanted = std::min(size, longest_);
        octets = octets.subspan(append(octets, length_size + wanted));
        if (kept_.size() == length_size + wanted) {
            const std::size_t rest = std::min(size - wanted - stepped_over_, octets.size());
            stepped_over_ += rest;
            octets = octets.subspan(rest);
        }
        return all - octets.size();
    }
    // Appends octets until `whole` are kept. Returns their number.
    std::size_t append(std::span<const std::uint8_t> octets, std::size_t whole)
    {
        if (kept_.size() >= whole)
            return 0;
        const std::size_t count = std::min(whole - kept_.size(), octets.size());
        if (kept_.capacity() < whole)
            kept_.reserve(whole);
        kept_.insert(kept_.end(), octets.begin(),
                     octets.begin() + static_cast<std::ptrdiff_t>(count));
        return count;
    }

    std::size_t longest_;
    std::vector<std::uint8_t> kept_; // the length and the first octets of the current message
    std::size_t stepped_over_ = 0;   // of its octets
};

} // namespace dnsgauge
