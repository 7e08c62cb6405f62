// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "series/result_files.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>

using namespace dnsgauge;

TEST_CASE("a result is in its files before its text is printed")
{
    const ScratchDirectory scratch;
    const std::string json = scratch.file("result.json");
    const std::string record = scratch.file("record.json");
    std::string printed;
    ResultFiles files(json, record, record, [&](const std::string &text) {
        CHECK(read_file(json) == "1\n");
        CHECK(read_file(record) == "2\n");
        printed = text;
    });
    files.write("text", 1, 2);
    CHECK(printed == "text");
}

TEST_CASE("a result's text is printed even if its file cannot be written")
{
    std::string printed;
    ResultFiles files("/dev/full", std::nullopt, "",
                      [&](const std::string &text) { printed = text; });
    CHECK_THROWS_AS(files.write("text", 1, nullptr), SetupError);
    CHECK(printed == "text");
}
