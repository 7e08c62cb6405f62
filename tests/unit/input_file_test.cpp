// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How much a packed file may become, and paths that lead to one file.
#include "input/input_file.h"

#include "support/packed_file.h"
#include "support/scratch_directory.h"
#include "system/same_file.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

std::size_t read_all(const std::string &path, UnpackLimit limit)
{
    InputFile file("--queries", path, limit);
    std::vector<char> buffer(std::size_t{1} << 16U);
    std::size_t sum = 0;
    while (const std::size_t got = file.read(buffer))
        sum += got;
    return sum;
}

constexpr std::size_t mebibyte = std::size_t{1} << 20U;

} // namespace

TEST_CASE("a file that unpacks to far more than it takes is refused, and the limit is told")
{
    const std::string filter = GENERATE(as<std::string>{}, "gzip", "xz", "zstd");
    const ScratchDirectory scratch;
    const std::string path = scratch.file("packed");
    const std::string zeros(8 * mebibyte, '\0');
    testing::write_packed(path, filter, zeros);
    CHECK_THROWS_WITH(
        read_all(path, {.octets = 4 * mebibyte, .times = 100}),
        Contains("cannot read --queries " + path + ": it unpacks to more than 4 MiB, from ") &&
            Contains("--unpacked-most"));
    CHECK(read_all(path, {.octets = 8 * mebibyte, .times = 1}) == zeros.size());
    CHECK(read_all(path, {.octets = 4 * mebibyte, .times = 1'000'000}) == zeros.size());
}

// The inner file unpacks to nothing, however long it is; so no limit would ever end the work.
TEST_CASE("a file that was packed twice stays packed")
{
    const std::string filter = GENERATE(as<std::string>{}, "gzip", "xz", "zstd");
    const ScratchDirectory scratch;
    const std::string inner = scratch.file("inner");
    testing::write_packed(inner, "xz", "");
    std::string octets;
    for (int i = 0; i < 1000; i++)
        octets += read_file(inner);
    testing::write_packed(scratch.file("outer"), filter, octets);
    CHECK(read_all(inner, {}) == 0);
    CHECK(read_all(scratch.file("outer"), {}) == octets.size());
}

TEST_CASE("a packed file that is cut off is refused, before its first octet too")
{
    const std::string filter = GENERATE(as<std::string>{}, "gzip", "xz", "zstd");
    const std::size_t left = GENERATE(as<std::size_t>{}, 20, 1000, 100'000);
    const ScratchDirectory scratch;
    const std::string path = scratch.file("cut");
    std::string content(200'000, '\0');
    std::mt19937 random;
    std::ranges::generate(content, [&random] { return static_cast<char>(random()); });
    testing::write_packed(path, filter, content);
    std::filesystem::resize_file(path, left);
    CHECK_THROWS_WITH(read_all(path, {}), Contains("cannot read --queries " + path));
}

TEST_CASE("a file that is not packed has no limit")
{
    const ScratchDirectory scratch;
    write_file(scratch.file("plain"), std::string(mebibyte, 'x'));
    CHECK(read_all(scratch.file("plain"), {.octets = 1, .times = 1}) == mebibyte);
}

TEST_CASE("a file is the same by any of its names")
{
    const ScratchDirectory scratch;
    const std::string file = scratch.file("file");
    write_file(file, "text");
    std::filesystem::create_symlink("file", scratch.file("link"));
    std::filesystem::create_hard_link(file, scratch.file("hard"));
    CHECK(is_same_file(file, file));
    CHECK(is_same_file(file, scratch.file("link")));
    CHECK(is_same_file(scratch.file("hard"), file));
    CHECK(is_same_file(scratch.file("new"), scratch.file("./new")));
    CHECK_FALSE(is_same_file(file, scratch.file("new")));
    CHECK_FALSE(is_same_file("/dev/null", "/dev/null"));
}
