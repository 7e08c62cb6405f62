// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "wire/bytes.h"

#include "support/exact_buffer.h"
#include "support/packet.h"

#include <catch2/catch.hpp>

using namespace dnsgauge::testing;

TEST_CASE("a cursor has exactly the bytes up to its end")
{
    for (std::size_t size = 0; size <= 64; size++) {
        const ExactBuffer buffer{Bytes(size)};
        const wire_cursor cursor = buffer.cursor();
        for (std::uint32_t asked = 0; asked <= 80; asked++)
            REQUIRE(bool(wire_has(&cursor, asked)) == (asked <= size));
    }
}

TEST_CASE("numbers are read big-endian at any alignment")
{
    for (std::size_t shift = 0; shift < 8; shift++) {
        Bytes bytes(shift);
        for (const int byte : {0x81, 0x92, 0xa3, 0xb4, 0xc5, 0xd6, 0xe7, 0xf8})
            bytes.push_back(static_cast<std::uint8_t>(byte));
        const ExactBuffer buffer(bytes);
        const std::uint8_t *at = buffer.bytes().data() + shift;
        CHECK(wire_get16(at) == 0x8192);
        CHECK(wire_get32(at) == 0x8192a3b4);
        CHECK(wire_get64(at) == 0x8192a3b4c5d6e7f8);
    }
}

TEST_CASE("numbers are written big-endian at any alignment, and nothing beside them")
{
    for (std::size_t shift = 0; shift < 8; shift++) {
        const ExactBuffer two{Bytes(shift + 3, 0x55)};
        wire_put16(two.bytes().data() + shift, 0x8192);
        Bytes expected(shift, 0x55);
        expected.insert(expected.end(), {0x81, 0x92, 0x55});
        CHECK(Bytes(two.bytes().begin(), two.bytes().end()) == expected);

        const ExactBuffer four{Bytes(shift + 5, 0x55)};
        wire_put32(four.bytes().data() + shift, 0x8192a3b4);
        expected.assign(shift, 0x55);
        expected.insert(expected.end(), {0x81, 0x92, 0xa3, 0xb4, 0x55});
        CHECK(Bytes(four.bytes().begin(), four.bytes().end()) == expected);
    }
}

TEST_CASE("the constants for comparing raw words are what lies in memory")
{
    const Bytes bytes = {0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0};
    CHECK(wire_raw16(bytes.data()) == WIRE_BE16(0x1234));
    CHECK(wire_raw32(bytes.data()) == WIRE_BE32(0x12345678));
    CHECK(wire_raw64(bytes.data()) == WIRE_BE64(0x123456789abcdef0));
}
