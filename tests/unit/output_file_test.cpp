// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Results are files that somebody else may wait for in a directory that others can write to.
#include "cli/output_file.h"

#include "host/setup_error.h"
#include "support/scratch_directory.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <set>

using namespace dnsgauge;
using Catch::Matchers::Contains;

namespace
{

namespace fs = std::filesystem;

std::set<std::string> names_in(const fs::path &directory)
{
    std::set<std::string> names;
    for (const fs::directory_entry &entry : fs::directory_iterator(directory))
        names.insert(entry.path().filename());
    return names;
}

} // namespace

TEST_CASE("a result is whole or not there")
{
    const ScratchDirectory folder;
    const std::string path = folder.file("result");
    {
        OutputFile file(path, "--json");
        CHECK_FALSE(fs::exists(path));
        file.write("new\n");
        CHECK(read_file(path) == "new\n");
    }
    CHECK(names_in(folder.path()) == std::set<std::string>{"result"});
    {
        const OutputFile given_up(path, "--json");
    }
    CHECK(read_file(path) == "new\n");
    CHECK(names_in(folder.path()) == std::set<std::string>{"result"});
}

TEST_CASE("a link that waits where the result goes is replaced, and what it leads to is left alone")
{
    const ScratchDirectory folder;
    const std::string path = folder.file("result");
    write_file(folder.file("precious"), "precious\n");
    fs::create_symlink("precious", path);
    OutputFile file(path, "--json");
    file.write("new\n");
    CHECK(read_file(folder.file("precious")) == "precious\n");
    CHECK_FALSE(fs::is_symlink(path));
    CHECK(read_file(path) == "new\n");
}

TEST_CASE("nobody can know under which name it is written")
{
    const ScratchDirectory folder;
    const std::string path = folder.file("result");
    std::set<std::string> seen;
    for (int i = 0; i < 8; i++) {
        const OutputFile file(path, "--json");
        const std::set<std::string> names = names_in(folder.path());
        REQUIRE(names.size() == 1);
        CHECK(names.begin()->starts_with("result.tmp"));
        seen.insert(*names.begin());
    }
    CHECK(seen.size() == 8);
}

TEST_CASE("where no result can be written that is said before the work begins")
{
    const ScratchDirectory folder;
    CHECK_THROWS_WITH(OutputFile("", "--json"), Contains("--json"));
    CHECK_THROWS_WITH(OutputFile(folder.path(), "--json"), Contains("directory"));
    CHECK_THROWS_WITH(OutputFile(folder.file("none/result"), "--json"), Contains("--json"));
    CHECK(names_in(folder.path()).empty());
}
