// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "support/exact_buffer.h"

#include <algorithm>

namespace dnsgauge::testing
{

ExactBuffer::ExactBuffer(std::span<const std::uint8_t> bytes, std::size_t size)
    : size_(size), bytes_(std::make_unique<std::uint8_t[]>(size))
{
    std::copy_n(bytes.begin(), std::min(size, bytes.size()), bytes_.get());
}

} // namespace dnsgauge::testing
