// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "wire/test_name.h"

#include "support/exact_buffer.h"
#include "support/packet.h"

#include <catch2/catch.hpp>

#include <cstdio>
#include <optional>
#include <string>

using namespace dnsgauge::testing;

namespace
{

constexpr std::uint32_t untouched = 0xdeadbeef;

std::string label_of(std::uint32_t address)
{
    char text[24];
    std::snprintf(text, sizeof(text), "%03u-%03u-%03u-%03u", address >> 24, address >> 16 & 255,
                  address >> 8 & 255, address & 255);
    return text;
}

std::optional<std::uint32_t> read(const std::string &label)
{
    const ExactBuffer buffer{Bytes(label.begin(), label.end())};
    std::uint32_t address = untouched;
    if (test_name_read(buffer.bytes().data(), &address))
        return address;
    REQUIRE(address == untouched);
    return std::nullopt;
}

std::string written(std::uint32_t address)
{
    const ExactBuffer buffer{Bytes(TEST_NAME_LABEL)};
    test_name_write(buffer.bytes().data(), address);
    return {buffer.bytes().begin(), buffer.bytes().end()};
}

// Returns what a label says, reading one character after the other.
std::optional<std::uint32_t> read_plainly(const std::string &label)
{
    std::uint32_t address = 0;
    for (std::size_t group = 0; group < 4; group++) {
        std::uint32_t octet = 0;
        for (std::size_t i = 4 * group; i < 4 * group + 3; i++) {
            if (label[i] < '0' || label[i] > '9')
                return std::nullopt;
            octet = octet * 10 + static_cast<std::uint32_t>(label[i] - '0');
        }
        if (octet > 255 || (group < 3 && label[4 * group + 3] != '-'))
            return std::nullopt;
        address = address << 8 | octet;
    }
    return address;
}

} // namespace

TEST_CASE("every octet in every position is written as three digits and read back")
{
    for (const std::uint32_t rest : {0x00000000U, 0xffffffffU, 0x0a5b63c8U})
        for (std::uint32_t shift = 0; shift < 32; shift += 8)
            for (std::uint32_t octet = 0; octet < 256; octet++) {
                const std::uint32_t address = (rest & ~(255U << shift)) | octet << shift;
                REQUIRE(written(address) == label_of(address));
                REQUIRE(read(label_of(address)) == address);
            }
}

TEST_CASE("every byte value at every position is taken exactly when it gives an address")
{
    for (const std::string label : {"000-000-000-000", "255-255-255-255", "010-199-049-250"})
        for (std::size_t at = 0; at < label.size(); at++)
            for (int byte = 0; byte < 256; byte++) {
                std::string changed = label;
                changed[at] = static_cast<char>(byte);
                INFO(changed);
                REQUIRE(read(changed) == read_plainly(changed));
            }
}

TEST_CASE("two wrong bytes do not make up for each other")
{
    for (std::size_t first = 0; first < TEST_NAME_LABEL; first++)
        for (std::size_t second = first + 1; second < TEST_NAME_LABEL; second++)
            for (const int one : {0x00, 0x2c, 0x2d, 0x2f, 0x30, 0x39, 0x3a, 0x80, 0xad, 0xb0, 0xff})
                for (const int other :
                     {0x00, 0x2c, 0x2d, 0x2f, 0x30, 0x39, 0x3a, 0x80, 0xad, 0xb0, 0xff}) {
                    std::string changed = "001-002-003-004";
                    changed[first] = static_cast<char>(one);
                    changed[second] = static_cast<char>(other);
                    REQUIRE(read(changed) == read_plainly(changed));
                }
}

TEST_CASE("three digits above 255 are no octet")
{
    for (std::size_t group = 0; group < 4; group++)
        for (int value = 0; value < 1000; value++) {
            char digits[8];
            std::snprintf(digits, sizeof(digits), "%03d", value);
            std::string label = "001-002-003-004";
            label.replace(4 * group, 3, digits);
            REQUIRE(read(label).has_value() == (value <= 255));
        }
}

TEST_CASE("every aligned block of 100 names has exactly its share of AAAA records")
{
    for (const std::uint32_t block : {0U, 100U, 167'772'100U, 4'294'967'100U})
        for (std::uint32_t share = 0; share <= 100; share++) {
            std::uint32_t owners = 0;
            for (std::uint32_t i = 0; i < 100; i++)
                owners += test_name_has_aaaa(block + i, share) ? 1U : 0U;
            REQUIRE(owners == share);
        }
}

TEST_CASE("AAAA records lie spread over their block, not in one run")
{
    for (std::uint32_t start = 0; start < 100; start += 20) {
        std::uint32_t owners = 0;
        for (std::uint32_t i = 0; i < 20; i++)
            owners += test_name_has_aaaa(start + i, 50) ? 1U : 0U;
        CHECK(owners >= 8);
        CHECK(owners <= 12);
    }
}

TEST_CASE("a larger share takes no AAAA record away")
{
    for (std::uint32_t address = 0; address < 100; address++)
        for (std::uint32_t share = 0; share < 100; share++)
            if (test_name_has_aaaa(address, share))
                REQUIRE(test_name_has_aaaa(address, share + 1));
}

TEST_CASE("the mask says the same as the predicate")
{
    for (std::uint32_t address = 0xffffff00; address != 100; address++)
        for (std::uint32_t share = 0; share <= 100; share++)
            REQUIRE(test_name_aaaa_mask(address, share) ==
                    (test_name_has_aaaa(address, share) ? ~0ULL : 0));
}
