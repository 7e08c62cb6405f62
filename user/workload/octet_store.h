// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Octets, one piece after the other, in memory that the kernel enlarges without copying it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace dnsgauge
{

// Owns the octets.
class OctetStore
{
public:
    OctetStore() = default;
    ~OctetStore();
    OctetStore(OctetStore &&other) noexcept;
    OctetStore &operator=(OctetStore &&other) noexcept;

    // Adds `size` octets. Returns where they begin, until the next call. Throws std::bad_alloc.
    [[nodiscard]] std::uint8_t *add(std::size_t size)
    {
        if (capacity_ - size_ < size)
            enlarge(size_ + size);
        size_ += size;
        return octets_ + size_ - size;
    }

    [[nodiscard]] std::uint8_t *data() { return octets_; }
    [[nodiscard]] const std::uint8_t *data() const { return octets_; }
    [[nodiscard]] std::size_t size() const { return size_; }

private:
    void enlarge(std::size_t least);

    std::uint8_t *octets_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0; // the kernel provides memory only where something was written
};

} // namespace dnsgauge
