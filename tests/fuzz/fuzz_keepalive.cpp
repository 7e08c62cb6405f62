// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Looks for edns-tcp-keepalive in any message.
#include "fuzz.h"

#include "streams/reply_book.h"
#include "support/exact_buffer.h"

#include <chrono>

using namespace dnsgauge::testing;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    ExactBuffer message(std::span(data, size));
    const auto timeout = dnsgauge::keepalive_of(message.bytes());
    constexpr std::chrono::milliseconds longest{65'535 * 100};
    must(!timeout || (timeout->count() >= 0 && *timeout <= longest), "a timeout has 16 bits");
    must(!timeout || size >= 12 + 11 + 6, "a timeout stands in an OPT record");
    return 0;
}
