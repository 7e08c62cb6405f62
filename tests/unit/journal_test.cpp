// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/journal.h"
#include "support/file_size_limit.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

using namespace dnsgauge;
using Catch::Contains;
using Json = Journal::Json;

namespace
{

const Json header = {{"schema", "dnsgauge/series-journal/1"},
                     {"kind", "search"},
                     {"options", {{"duration", 60.0}, {"accept", 99.9}, {"source", nullptr}}}};

std::string line(const Json &json)
{
    return json.dump() + "\n";
}

Json record(int i)
{
    return {{"record", "trial"}, {"number", i}, {"why", "braces } and \"quotes\" \\ }"}};
}

std::vector<Json> values(const Journal &journal)
{
    std::vector<Json> found;
    for (const Journal::Record &one : journal.records())
        found.push_back(one.value);
    return found;
}

// Checks that resuming `content` is refused with `message`, and that nothing changes.
void check_refused(const std::string &path, const std::string &content, const std::string &message)
{
    write_file(path, content);
    CHECK_THROWS_WITH(Journal::resume(path, header), Contains(message));
    CHECK(read_file(path) == content);
}

} // namespace

TEST_CASE("what is appended is there when the journal is opened again")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    {
        Journal journal = Journal::create(path, header);
        journal.append(record(1));
        journal.append(record(2));
    }
    CHECK(read_file(path) == line(header) + line(record(1)) + line(record(2)));
    struct stat status {
    };
    REQUIRE(stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U & ~0644U) == 0);
    {
        Journal journal = Journal::resume(path, header);
        CHECK(journal.torn() == 0);
        CHECK(values(journal) == std::vector<Json>{record(1), record(2)});
        CHECK(journal.records().back().line == 3);
        journal.append(record(3));
    }
    CHECK(values(Journal::resume(path, header)) ==
          std::vector<Json>{record(1), record(2), record(3)});
}

TEST_CASE("each record is in the file when append() returns")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Journal journal = Journal::create(path, header);
    CHECK(read_file(path) == line(header));
    journal.append(record(1));
    CHECK(read_file(path) == line(header) + line(record(1)));
}

TEST_CASE("a journal that got no record leaves no file, one that was there stays")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    (void)Journal::create(path, header);
    CHECK_FALSE(std::filesystem::exists(path));
    write_file(path, line(header));
    (void)Journal::resume(path, header);
    CHECK(read_file(path) == line(header));
}

TEST_CASE("what is there is never begun anew, and what is not there is not gone on with")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    CHECK_THROWS_WITH(Journal::resume(path, header), Contains("no journal " + path));
    CHECK_FALSE(std::filesystem::exists(path));
    for (const std::string &content : {line(header), std::string("mine"), std::string()}) {
        write_file(path, content);
        CHECK_THROWS_WITH(Journal::create(path, header), Contains("--resume"));
        CHECK(read_file(path) == content);
    }
    CHECK_THROWS_WITH(Journal::create(scratch.file("no/journal"), header),
                      Contains("No such file"));
}

TEST_CASE("a link where the journal is to be made is not followed")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    std::filesystem::create_symlink("elsewhere", path);
    CHECK_THROWS_WITH(Journal::create(path, header), Contains("--resume"));
    CHECK_FALSE(std::filesystem::exists(scratch.file("elsewhere")));
}

TEST_CASE("one process has a journal at a time")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    {
        Journal journal = Journal::create(path, header);
        CHECK_THROWS_WITH(Journal::resume(path, header), Contains("in use"));
        journal.append(record(1));
        CHECK_THROWS_WITH(Journal::resume(path, header), Contains("in use"));
    }
    CHECK(values(Journal::resume(path, header)).size() == 1);
}

TEST_CASE("after a crash at any byte, every whole record is kept and nothing is refused")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    const std::vector<Json> all = {record(1), record(2), record(3)};
    std::string content = line(header);
    std::vector<std::size_t> ends; // a record is whole without its end of line
    for (const Json &one : all) {
        content += line(one);
        ends.push_back(content.size() - 1);
    }
    for (std::size_t size = 0; size <= content.size(); size++) {
        CAPTURE(size);
        write_file(path, content.substr(0, size));
        const auto whole = std::count_if(ends.begin(), ends.end(),
                                         [size](std::size_t end) { return end <= size; });
        const std::vector<Json> kept(all.begin(), all.begin() + whole);
        const std::vector<Json> rest(all.begin() + whole, all.end());
        {
            Journal journal = Journal::resume(path, header);
            REQUIRE(values(journal) == kept);
            REQUIRE(read_file(path) == content.substr(0, size));
            for (const Json &one : rest)
                journal.append(one);
        }
        if (!rest.empty())
            REQUIRE(read_file(path) == content);
    }
}

TEST_CASE("half a line at the end is told")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    write_file(path, line(header) + line(record(1)) + R"({"record":"tri)");
    CHECK(Journal::resume(path, header).torn() == 14);
    write_file(path, line(header) + line(record(1)) + std::string(100, '\0'));
    CHECK(Journal::resume(path, header).torn() == 100);
}

TEST_CASE("the journal of another search is refused with what differs")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Json other = header;
    other["options"]["duration"] = 30.0;
    check_refused(path, line(other),
                  "line 1: it is of another search: duration was 30.0, now it is 60.0");
    other = header;
    other["options"]["source"] = "198.18.0.1";
    check_refused(path, line(other), "source was \"198.18.0.1\", now it is null");
    other = header;
    other["options"].erase("accept");
    check_refused(path, line(other) + line(record(1)), "accept was null, now it is 99.9");
    other = header;
    other["options"]["speed"] = 1;
    check_refused(path, line(other), "line 1: it is of another search");
    other = header;
    other["options"] = 7;
    check_refused(path, line(other), "line 1: it is of another search");
    other = header;
    other["schema"] = "test-journal/2";
    check_refused(path, line(other), "line 1: it is not the journal of a search");
}

TEST_CASE("a search on other CPUs than the journal's is refused")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    const auto on = [](const Json &cpus, const Json &named) {
        Json made = header;
        made["options"]["cpus"] = named;
        made["setup"] = {{"sender_cpus", cpus}, {"cpus", 4}};
        return made;
    };
    const Json none = Json::array();
    write_file(path, line(on(none, nullptr)));
    CHECK(Journal::resume(path, on(none, nullptr)).header() == on(none, nullptr));
    CHECK_THROWS_WITH(Journal::resume(path, on({1}, "1")), Contains("cpus"));
    write_file(path, line(on({0}, "0")));
    CHECK_THROWS_WITH(Journal::resume(path, on({1}, "0")), Contains("sender_cpus was"));
}

TEST_CASE("what is no journal is refused with the line, and left alone")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    const std::string no_journal = "line 1: it is not the journal of a search";
    check_refused(path, "some text", no_journal);
    check_refused(path, "\n", no_journal);
    check_refused(path, "[1]\n", no_journal);
    check_refused(path, "{}\n", no_journal);
    check_refused(path, std::string(4096, '\0'), no_journal);
    check_refused(path, line(header).substr(0, 20) + "\n", no_journal);
    const std::string good = line(header) + line(record(1));
    check_refused(path, good + "garbage\n" + line(record(2)), "line 3: it is no record");
    check_refused(path, good + line(record(2)).substr(0, 9) + "\n", "line 3: it is no record");
    check_refused(path, good + "\n", "line 3: it is no record");
    check_refused(path, good + "17\n", "line 3: it is no record");
    check_refused(path, good + std::string((std::size_t{64} << 20U) + 1, ' '),
                  "line 3: it has more than 64 MiB");
}

TEST_CASE("an object has names enough for all RCODEs, in each of many objects, and no more")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Json all = Json::object();
    for (unsigned rcode = 0; rcode < 4096; rcode++)
        all["RCODE" + std::to_string(rcode)] = 1;
    const Json many = {{"record", "trial"}, {"first", all}, {"rows", {all, all}}};
    write_file(path, line(header) + line(many));
    CHECK(values(Journal::resume(path, header)) == std::vector<Json>{many});
    for (unsigned more = 0; more < 1000; more++)
        all["more" + std::to_string(more)] = 1;
    check_refused(path, line(header) + line(all), "line 2: it is no record");
}

TEST_CASE("a disk that gets full is an error, and the journal can be gone on with")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    {
        Journal journal = Journal::create(path, header);
        journal.append(record(1));
        const FileSizeLimit full(read_file(path).size() + 10);
        CHECK_THROWS_WITH(journal.append(record(2)), Contains(path) && Contains("--resume"));
    }
    Journal again = Journal::resume(path, header);
    CHECK(again.torn() == 10);
    CHECK(values(again) == std::vector<Json>{record(1)});
    again.append(record(2));
    CHECK(read_file(path) == line(header) + line(record(1)) + line(record(2)));
}

TEST_CASE("a new journal on a full disk can be gone on with once there is space")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    SECTION("its header has no room")
    {
        const FileSizeLimit full(GENERATE(0U, 10U));
        CHECK_THROWS_WITH(Journal::create(path, header), Contains(path) && Contains("--resume"));
    }
    SECTION("its first record has none")
    {
        Journal journal = Journal::create(path, header);
        const FileSizeLimit full(read_file(path).size() + GENERATE(0U, 10U));
        CHECK_THROWS_WITH(journal.append(record(1)), Contains(path) && Contains("--resume"));
    }
    Journal again = Journal::resume(path, header);
    CHECK(again.records().empty());
    again.append(record(1));
    CHECK(read_file(path) == line(header) + line(record(1)));
}

TEST_CASE("what is no file is refused")
{
    CHECK_THROWS_WITH(Journal::resume("/dev/zero", header), Contains("no file"));
    CHECK_THROWS_WITH(Journal::resume("/dev", header), Contains("is a directory"));
}

TEST_CASE("a journal is nobody else's, and no link leads to it that a stranger made")
{
    constexpr uid_t somebody_else = 65534;
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    write_file(path, line(header));
    REQUIRE(chmod(scratch.path().c_str(), 01777) == 0);
    if (lchown(path.c_str(), somebody_else, somebody_else) != 0) {
        WARN("only root can give files away");
        return;
    }
    CHECK_THROWS_WITH(Journal::resume(path, header), Contains("another user's file"));
    std::filesystem::create_symlink("aim", scratch.file("link"));
    REQUIRE(lchown(scratch.file("link").c_str(), somebody_else, somebody_else) == 0);
    CHECK_THROWS_WITH(Journal::create(scratch.file("link"), header),
                      Contains("another user's link"));
    CHECK_FALSE(std::filesystem::exists(scratch.file("aim")));
    REQUIRE(chmod(scratch.path().c_str(), 0777) == 0);
    CHECK_THROWS_WITH(Journal::create(scratch.file("new"), header),
                      Contains("everybody may replace"));
}

TEST_CASE("a replay may be gone on with for more runs, and not for fewer")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    const auto with_runs = [](unsigned runs) {
        return Json{{"schema", "dnsgauge/series-journal/1"},
                    {"kind", "replay"},
                    {"options", {{"runs", runs}}}};
    };
    Journal::create(path, with_runs(9)).append(record(1));
    CHECK(values(Journal::resume(path, with_runs(20))).size() == 1);
    CHECK(values(Journal::resume(path, with_runs(9))).size() == 1);
    CHECK_THROWS_WITH(Journal::resume(path, with_runs(8)), Contains("runs was 9"));
}
