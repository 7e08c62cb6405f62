// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Owns bytes in a heap block of exactly their size, so that AddressSanitizer sees the first byte
// read or written after them.
#pragma once

#include "wire/bytes.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace dnsgauge::testing
{

class ExactBuffer
{
public:
    explicit ExactBuffer(std::span<const std::uint8_t> bytes) : ExactBuffer(bytes, bytes.size()) {}

    // Copies the first `size` of `bytes`, or all of them with zeros after them.
    ExactBuffer(std::span<const std::uint8_t> bytes, std::size_t size);

    wire_cursor cursor() const { return {.pos = bytes_.get(), .end = bytes_.get() + size_}; }
    std::span<std::uint8_t> bytes() const { return {bytes_.get(), size_}; }

private:
    std::size_t size_;
    std::unique_ptr<std::uint8_t[]> bytes_;
};

} // namespace dnsgauge::testing
