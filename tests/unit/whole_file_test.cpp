// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/whole_file.h"

#include "common/setup_error.h"
#include "support/scratch_directory.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

using namespace dnsgauge;
namespace fs = std::filesystem;

namespace
{

// Sends standard output to a file as long as the object lives.
class StandardOutputTo
{
public:
    explicit StandardOutputTo(const fs::path &path) : before_(dup(STDOUT_FILENO))
    {
        const UniqueFd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
        REQUIRE(dup2(file.get(), STDOUT_FILENO) >= 0);
    }
    ~StandardOutputTo() { dup2(before_.get(), STDOUT_FILENO); }
    StandardOutputTo(const StandardOutputTo &) = delete;
    StandardOutputTo &operator=(const StandardOutputTo &) = delete;

private:
    UniqueFd before_;
};

} // namespace

TEST_CASE("a file gets its name when it is complete")
{
    const ScratchDirectory folder;
    write_file(folder.file("file"), "older");
    fs::create_symlink("file", folder.file("link"));
    {
        WholeFile file{folder.file("link")};
        file.write("new");
        CHECK(read_file(folder.file("file")) == "older");
        file.commit("er");
    }
    CHECK(read_file(folder.file("file")) == "newer");
    CHECK(fs::is_symlink(folder.file("link")));
    {
        WholeFile abandoned{folder.file("file")};
        abandoned.write("abandoned");
    }
    CHECK(read_file(folder.file("file")) == "newer");
    CHECK(folder.entries() == 2);
}

TEST_CASE("a link that somebody else has put into a directory for everybody is not followed")
{
    constexpr uid_t somebody_else = 65534;
    const ScratchDirectory folder;
    write_file(folder.file("precious"), "precious");
    fs::create_symlink("precious", folder.file("link"));
    if (lchown(folder.file("link").c_str(), somebody_else, somebody_else) != 0) {
        WARN("only root can give away a link");
        return;
    }
    for (const mode_t mode : {0700U, 0777U, 01700U}) {
        REQUIRE(chmod(folder.path().c_str(), mode) == 0);
        CHECK_NOTHROW(WholeFile{folder.file("link")});
    }
    REQUIRE(chmod(folder.path().c_str(), 01777) == 0);
    CHECK_THROWS_WITH(WholeFile(folder.file("link"), "--json"),
                      Catch::Contains("cannot write --json") && Catch::Contains("another user's"));
    REQUIRE(lchown(folder.file("link").c_str(), geteuid(), getegid()) == 0);
    CHECK_NOTHROW(WholeFile{folder.file("link")});
    CHECK(read_file(folder.file("precious")) == "precious");
}

TEST_CASE("of two writers of one file the last one wins, with all of its own")
{
    const ScratchDirectory folder;
    WholeFile one{folder.file("file")};
    WholeFile other{folder.file("file")};
    CHECK(folder.entries() == 2);
    one.write("one, the longer of the two");
    other.commit("other");
    CHECK(read_file(folder.file("file")) == "other");
    one.commit();
    CHECK(read_file(folder.file("file")) == "one, the longer of the two");
    CHECK(folder.entries() == 1);
}

TEST_CASE("a device stays what it is")
{
    const ScratchDirectory folder;
    fs::create_symlink("/dev/null", folder.file("null"));
    WholeFile nowhere{folder.file("null")};
    CHECK(nowhere.is_direct());
    nowhere.commit("text");
    CHECK(fs::is_character_file("/dev/null"));
    CHECK(folder.entries() == 1);

    WholeFile full{"/dev/full", "--json"};
    CHECK_THROWS_WITH(full.commit("text"),
                      "cannot write --json /dev/full: No space left on device");
    CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("what standard output goes to keeps what it has")
{
    const ScratchDirectory folder;
    {
        const StandardOutputTo output(folder.file("file"));
        REQUIRE(write(STDOUT_FILENO, "before ", 7) == 7);
        WholeFile{"/dev/stdout"}.commit("one ");
        WholeFile{folder.file("file")}.commit("two ");
        REQUIRE(write(STDOUT_FILENO, "behind", 6) == 6);
    }
    CHECK(read_file(folder.file("file")) == "before one two behind");
    CHECK(folder.entries() == 1);
}

TEST_CASE("a file that is replaced keeps its mode")
{
    const ScratchDirectory folder;
    write_file(folder.file("file"), "older");
    const fs::perms only_ours = fs::perms::owner_read | fs::perms::owner_write;
    fs::permissions(folder.file("file"), only_ours);
    WholeFile{folder.file("file")}.commit("newer");
    CHECK(fs::status(folder.file("file")).permissions() == only_ours);
}

TEST_CASE("a link to a file that is not there yet stays a link")
{
    const ScratchDirectory folder;
    fs::create_symlink("file", folder.file("link"));
    WholeFile{folder.file("link")}.commit("text");
    CHECK(fs::is_symlink(folder.file("link")));
    CHECK(read_file(folder.file("file")) == "text");
}

TEST_CASE("what a killed writer left goes when the next one begins, and what a live one has stays")
{
    const ScratchDirectory folder;
    write_file(folder.file("file.12-0.tmp"), "left");
    write_file(folder.file("file.12-tmp"), "the user's own");
    write_file(folder.file("other.12-0.tmp"), "another file's");
    WholeFile live{folder.file("file")};
    CHECK_FALSE(fs::exists(folder.file("file.12-0.tmp")));
    WholeFile{folder.file("file")}.commit("one");
    live.commit("other");
    CHECK(read_file(folder.file("file")) == "other");
    CHECK(folder.entries() == 3);
}

TEST_CASE("what cannot be written is refused at once")
{
    const ScratchDirectory folder;
    const std::string name = folder.path().string();
    CHECK_THROWS_WITH(WholeFile(name, "--json"),
                      "cannot write --json " + name + ": it is a directory");
    CHECK_THROWS_WITH(WholeFile(folder.file("none/file")),
                      "cannot write " + folder.file("none/file") + ": No such file or directory");
    CHECK_THROWS_WITH(WholeFile("", "--json"), "--json needs the name of a file");
    CHECK_THROWS_WITH(WholeFile(""), "no file to write to: give its name");
}
