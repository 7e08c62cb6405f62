// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as a name and as a test name's label. Reading and writing are each other's
// inverse, and the walkers of a name agree.
#include "fuzz.h"

#include "support/exact_buffer.h"
#include "wire/dns.h"
#include "wire/test_name.h"

#include <algorithm>
#include <set>

using namespace dnsgauge::testing;

namespace
{

constexpr std::uint32_t run_max = 64;

void read_as_label(const ExactBuffer &label)
{
    std::uint32_t address = 0;
    if (!test_name_read(label.bytes().data(), &address))
        return;
    const ExactBuffer written({}, TEST_NAME_LABEL);
    test_name_write(written.bytes().data(), address);
    must(std::ranges::equal(written.bytes(), label.bytes()), "what was read is written again");
}

void walk(const ExactBuffer &name)
{
    wire_cursor cursor = name.cursor();
    __u64 told = 0;
    const std::uint32_t length = dns_skip_name(&cursor, &told);
    must(cursor.pos == name.bytes().data() + length, "the cursor is after the name");
    must(length <= DNS_NAME_MAX, "a name has at most 255 octets");
    if (!length)
        return;
    must(name.bytes()[length - 1] == 0, "a name ends in the root");
    std::set<std::uint32_t> starts;
    for (std::uint32_t at = 0; at < length; at += 1U + name.bytes()[at])
        starts.insert(at);
    for (std::uint32_t before_end = 0; before_end < 64; before_end++)
        must((told >> before_end & 1) ==
                 (before_end <= length && starts.contains(length - before_end) ? 1U : 0U),
             "labels start where the name says");
}

void fold(std::span<const std::uint8_t> input)
{
    const auto length = static_cast<std::uint32_t>(std::min<std::size_t>(input.size(), run_max));
    const ExactBuffer run(input, length);
    const ExactBuffer folded(input, length);
    for (std::uint8_t &byte : folded.bytes())
        byte = dns_fold(byte);
    must(dns_equal_folded(run.bytes().data(), folded.bytes().data(), length, run_max),
         "a run equals its folded self");
    if (!length)
        return;
    folded.bytes()[length - 1] ^= 1;
    must(!dns_equal_folded(run.bytes().data(), folded.bytes().data(), length, run_max),
         "a changed last byte is seen");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::span input(data, size);
    if (size >= TEST_NAME_LABEL)
        read_as_label(ExactBuffer(input, TEST_NAME_LABEL));
    walk(ExactBuffer(input));
    fold(input);
    return 0;
}
