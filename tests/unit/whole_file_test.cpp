// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/whole_file.h"

#include "support/scratch_directory.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

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
    StandardOutputTo &operator=(StandardOutputTo &&) = delete;

private:
    UniqueFd before_;
};

constexpr uid_t somebody_else = 65534;
constexpr uid_t some_user = 1000;

// Has the process act as a user as long as the object lives.
class ActsAs
{
public:
    explicit ActsAs(uid_t user) : before_(geteuid()) { REQUIRE(seteuid(user) == 0); }
    ~ActsAs() { CHECK(seteuid(before_) == 0); }
    ActsAs &operator=(ActsAs &&) = delete;

private:
    uid_t before_;
};

// Returns false where this user cannot give things away.
bool give_away(const std::string &path)
{
    if (lchown(path.c_str(), somebody_else, somebody_else) == 0)
        return true;
    WARN("only root can give files away");
    return false;
}

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

TEST_CASE("root follows no link of somebody else, wherever it is")
{
    const ScratchDirectory folder;
    write_file(folder.file("precious"), "precious");
    fs::create_symlink("precious", folder.file("link"));
    fs::create_symlink("link", folder.file("own"));
    if (!give_away(folder.file("link")))
        return;
    const std::vector<std::string> ways{"link", "own"}; // the second leads to the first
    for (const std::string &way : ways) {
        for (const mode_t mode : {0755U, 0777U, 0770U, 01770U, 01777U}) {
            REQUIRE(chmod(folder.path().c_str(), mode) == 0);
            CHECK_THROWS_WITH(WholeFile(folder.file(way), "--json"),
                              Catch::Contains("cannot write --json") &&
                                  Catch::Contains("another user's link"));
        }
    }
    // Neither in the other user's own directory.
    REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
    REQUIRE(chown(folder.path().c_str(), somebody_else, somebody_else) == 0);
    CHECK_THROWS_WITH(WholeFile(folder.file("link")), Catch::Contains("root does not follow it"));
    REQUIRE(chown(folder.path().c_str(), geteuid(), getegid()) == 0);
    REQUIRE(chmod(folder.path().c_str(), 01777) == 0);
    REQUIRE(lchown(folder.file("link").c_str(), geteuid(), getegid()) == 0);
    CHECK_NOTHROW(WholeFile{folder.file("link")});
    CHECK(read_file(folder.file("precious")) == "precious");
}

TEST_CASE("another user follows no link that a stranger has put where others may write")
{
    const ScratchDirectory folder;
    write_file(folder.file("precious"), "precious");
    fs::create_symlink("precious", folder.file("link"));
    fs::create_symlink("link", folder.file("own"));
    if (!give_away(folder.file("link")))
        return;
    REQUIRE(chown(folder.path().c_str(), some_user, some_user) == 0);
    for (const std::string own : {"own", "precious"})
        REQUIRE(lchown(folder.file(own).c_str(), some_user, some_user) == 0);
    const std::vector<std::string> ways{"link", "own"};
    for (const std::string &way : ways) {
        for (const mode_t mode : {0777U, 0770U, 01770U, 01777U}) {
            REQUIRE(chmod(folder.path().c_str(), mode) == 0);
            const ActsAs user(some_user);
            CHECK_NOTHROW(output_place(folder.file("precious"), "it"));
            CHECK_THROWS_WITH(
                output_place(folder.file(way), "it"),
                Catch::Contains("another user's link in a directory where others may write"));
        }
        REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
        const ActsAs user(some_user);
        CHECK_NOTHROW(output_place(folder.file(way), "it"));
    }
}

TEST_CASE("a link to a directory is followed unless a stranger made it")
{
    const ScratchDirectory folder;
    fs::create_directory(folder.file("real"));
    fs::create_directory_symlink("real", folder.file("folder"));
    WholeFile{folder.file("folder/../folder/./file")}.commit("text");
    CHECK(read_file(folder.file("real/file")) == "text");
    fs::create_symlink("loop", folder.file("loop"));
    CHECK_THROWS_WITH(WholeFile(folder.file("loop")),
                      Catch::Contains("Too many levels of symbolic links"));
    if (!give_away(folder.file("folder")))
        return;
    REQUIRE(chmod(folder.path().c_str(), 01777) == 0);
    CHECK_THROWS_WITH(WholeFile(folder.file("folder/file")),
                      Catch::Contains("another user's link"));
}

TEST_CASE("a file that somebody else has put where others may write is not replaced")
{
    const ScratchDirectory folder;
    write_file(folder.file("file"), "older");
    if (!give_away(folder.file("file")))
        return;
    REQUIRE(chmod(folder.path().c_str(), 01777) == 0);
    CHECK_THROWS_WITH(WholeFile(folder.file("file"), "--json"),
                      "cannot write --json " + folder.file("file") +
                          ": it is another user's file in a directory where others may write: "
                          "name another file");
    CHECK(read_file(folder.file("file")) == "older");

    // Where its owner alone may write, the file is there by his will.
    REQUIRE(chmod(folder.path().c_str(), 0755) == 0);
    REQUIRE(chmod(folder.file("file").c_str(), 04644) == 0);
    WholeFile{folder.file("file")}.commit("newer");
    struct stat status {
    };
    REQUIRE(stat(folder.file("file").c_str(), &status) == 0);
    CHECK(status.st_uid == somebody_else);
    CHECK((status.st_mode & 07777U) == 0644U);
}

TEST_CASE("a directory where everybody may replace files gets none")
{
    const ScratchDirectory folder;
    REQUIRE(chmod(folder.path().c_str(), 0777) == 0);
    CHECK_THROWS_WITH(WholeFile(folder.file("file"), "--json"),
                      Catch::Contains("everybody may replace the files in its directory"));
    REQUIRE(chmod(folder.path().c_str(), 01777) == 0);
    WholeFile{folder.file("file")}.commit("text");
    CHECK(read_file(folder.file("file")) == "text");
}

TEST_CASE("a pipe is written to where something reads it, and never waited for")
{
    const ScratchDirectory folder;
    const std::string pipe = folder.file("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0666) == 0);
    CHECK_THROWS_WITH(WholeFile(pipe, "--json"),
                      "cannot write --json " + pipe +
                          ": it is a pipe that nothing reads: start its reader first");
    const UniqueFd reader(open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    REQUIRE(reader);
    WholeFile{pipe}.commit("text");
    std::array<char, 5> text{};
    CHECK(read(reader.get(), text.data(), text.size()) == 4);
    if (!give_away(pipe))
        return;
    REQUIRE(chmod(folder.path().c_str(), 01777) == 0);
    CHECK_THROWS_WITH(WholeFile(pipe), Catch::Contains("it is another user's in a directory"));
}

TEST_CASE("a pipe's reader that stops reading is not waited for for ever")
{
    const ScratchDirectory folder;
    const std::string pipe = folder.file("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const UniqueFd reader(open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    REQUIRE(reader);
    const std::string much(std::size_t{1} << 20U, 'x');
    WholeFile file(pipe, "--json", std::chrono::milliseconds(50));
    CHECK_THROWS_WITH(file.commit(much),
                      "cannot write --json " + pipe + ": its reader has taken nothing for 0.05 s");
}

TEST_CASE("a pipe's reader that is slow gets all")
{
    const ScratchDirectory folder;
    const std::string pipe = folder.file("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const UniqueFd reader(open(pipe.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    REQUIRE(reader);
    const std::string much(std::size_t{1} << 20U, 'x');
    WholeFile file(pipe);
    const pid_t child = fork();
    if (child == 0) {
        file.commit(much);
        _exit(0);
    }
    std::size_t taken = 0;
    std::string buffer(50'000, ' ');
    int status = -1;
    while (waitpid(child, &status, WNOHANG) == 0) {
        usleep(1000);
        taken += static_cast<std::size_t>(
            std::max<ssize_t>(read(reader.get(), buffer.data(), buffer.size()), 0));
    }
    for (ssize_t count = 1; count > 0;
         taken += static_cast<std::size_t>(std::max<ssize_t>(count, 0)))
        count = read(reader.get(), buffer.data(), buffer.size());
    CHECK(status == 0);
    CHECK(taken == much.size());
}

TEST_CASE("a descriptor that is a pipe is written to, whoever owns the pipe")
{
    std::array<int, 2> ends{};
    REQUIRE(pipe2(ends.data(), O_CLOEXEC) == 0);
    const UniqueFd reader(ends[0]);
    const UniqueFd writer(ends[1]);
    for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) {
        WholeFile file{folder + std::to_string(writer.get())};
        CHECK(file.is_direct());
        file.commit("text");
        std::array<char, 5> text{};
        CHECK(read(reader.get(), text.data(), text.size()) == 4);
    }
}

TEST_CASE("a writer that is killed leaves nothing")
{
    const ScratchDirectory folder;
    if (fork() == 0) {
        WholeFile file{folder.file("file")};
        file.write("half");
        raise(SIGKILL);
    }
    int status = 0;
    REQUIRE(wait(&status) > 0);
    REQUIRE(WIFSIGNALED(status));
    CHECK(folder.entries() == 0);
}

TEST_CASE("the last of two writers of one file wins, with all that it wrote")
{
    const ScratchDirectory folder;
    WholeFile one{folder.file("file")};
    WholeFile other{folder.file("file")};
    CHECK(folder.entries() == 0);
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
        REQUIRE(write(STDOUT_FILENO, "after", 5) == 5);
    }
    CHECK(read_file(folder.file("file")) == "before one two after");
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

TEST_CASE("a new file takes the place of nothing")
{
    const ScratchDirectory folder;
    write_new_file(folder.file("new"), "text");
    CHECK(read_file(folder.file("new")) == "text");
    CHECK_THROWS_WITH(write_new_file(folder.file("new"), "other"),
                      "cannot write " + folder.file("new") + ": File exists");
    CHECK(read_file(folder.file("new")) == "text");
    fs::create_directory_symlink(folder.path(), folder.file("link"));
    if (!give_away(folder.file("link")))
        return;
    CHECK_THROWS_WITH(write_new_file(folder.file("link/file"), "text"),
                      Catch::Contains("another user's link"));
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
