// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Soaks of a simulated server: that no crash loses or repeats a row, what becomes of invalid rows,
// where the rate comes from, whose memory is the server's, and what is told of the result.
#include "series/soak/soak.h"

#include "machine/server_processes.h"
#include "record/json.h"
#include "support/scratch_directory.h"
#include "system/setup_error.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>

using namespace dnsgauge;
using Catch::Contains;
using Json = Journal::Json;

namespace
{

const Json header = {{"schema", "dnsgauge/series-journal/1"},
                     {"kind", "soak"},
                     {"setup", {{"kernel", "6.1"}}},
                     {"options", {{"row", 1.0}}}};
const SoakPlan plan{.rate = Rate{100}, .rows = 5, .invalid_retries = 1};
constexpr std::uint64_t mebi = 1 << 20;

// A server that takes a MiB more in each row, and loses as many queries as the row's place says.
struct Server {
    std::vector<std::uint64_t> lost = std::vector<std::uint64_t>(20, 0);
    std::vector<unsigned> invalid{}; // the trials that are
    unsigned stop_before = 100;
    unsigned gone_before = 100;
    std::vector<SearchPlace> asked{};

    std::optional<TrialResult> operator()(const SearchPlace &place)
    {
        if (place.turn.trial == stop_before)
            return std::nullopt;
        if (place.turn.trial == gone_before)
            throw SetupError("nobody answers");
        asked.push_back(place);
        TrialResult trial;
        trial.rate = place.turn.rate;
        trial.queries.sent = 100;
        trial.queries.lost = lost.at(place.turn.trial - 1);
        trial.queries.valid = 100 - trial.queries.lost;
        trial.rtt.count = trial.queries.valid;
        trial.rtt.p50 = 20'000;
        trial.rtt.p99 = 1'500'000;
        trial.circumstances.started = "2026-11-22T12:00:0" + std::to_string(asked.size()) + "Z";
        trial.verdict = trial.queries.lost == 0 ? Verdict::pass : Verdict::fail;
        trial.why = "told";
        if (std::ranges::find(invalid, place.turn.trial) != invalid.end())
            trial.verdict = Verdict::invalid;
        return trial;
    }
};

SoakResult soak(Server &server, const std::string &path, bool is_new = true, int process = 7)
{
    Journal journal = is_new ? Journal::create(path, header) : Journal::resume(path, header);
    return run_soak(
        plan, journal, [&server](const SearchPlace &place) { return server(place); },
        [&server, process] {
            return std::vector<ProcessMemory>{
                {process, "named", (10 + server.asked.size()) * mebi}};
        });
}

std::string write(const ScratchDirectory &scratch, const std::string &text)
{
    std::ofstream(scratch.file("search.json")) << text;
    return scratch.file("search.json");
}

// Writes a file of a copy of /proc, and the folders that it takes.
void put(const std::filesystem::path &file, const std::string &text)
{
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
}

// Writes a process with a socket, if `inode` is no empty text, into a copy of /proc.
void put_process(const std::filesystem::path &proc, const std::string &process,
                 const std::string &space, const std::string &inode, const std::string &name)
{
    put(proc / process / "comm", name + "\n");
    put(proc / process / "smaps_rollup", "55d0-7ffc ---p [rollup]\nRss:  9000 kB\nPss:   3000 kB\n"
                                         "SwapPss:   72 kB\n");
    put(proc / process / "fd/note", "");
    if (!inode.empty())
        std::filesystem::create_symlink("socket:[" + inode + "]", proc / process / "fd/3");
    std::filesystem::create_directories(proc / process / "ns");
    put(proc / ("space" + space), "");
    std::filesystem::create_hard_link(proc / ("space" + space), proc / process / "ns/net");
}

constexpr const char *udp_heads =
    "   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode ref pointer drops\n";

std::string socket_line(const std::string &local, const std::string &inode,
                        const std::string &state = "07")
{
    return "  610: " + local + " 00000000:0000 " + state +
           " 00000000:00000000 00:00000000 00000000     0        0 " + inode +
           " 2 0000000000000000 0\n";
}

constexpr const char *fib_trie = "Main:\n"
                                 "  +-- 198.18.0.0/24 2 0 2\n"
                                 "     |-- 198.18.0.2\n"
                                 "        /32 host LOCAL\n"
                                 "     |-- 198.18.0.9\n"
                                 "        /32 link UNICAST\n"
                                 "     |-- 198.18.128.0\n"
                                 "        /17 host LOCAL\n";

// Prefix, its length, source, its length, next hop, metric, references, uses, flags, interface.
std::string ipv6_route(const std::string &prefix, const std::string &length,
                       const std::string &flags)
{
    const std::string none(32, '0');
    return prefix + " " + length + " " + none + " 00 " + none + " 00000000 00000002 00000000 " +
           flags + "       lo\n";
}

} // namespace

TEST_CASE("a soak has its rows, and the memory after each")
{
    const ScratchDirectory scratch;
    Server server;
    server.lost[2] = 10;
    const SoakResult result = soak(server, scratch.file("journal"));
    REQUIRE(result.rows.size() == 5);
    CHECK(result.end == TrialsEnd::complete);
    CHECK(server.asked.front().left.count == 5);
    CHECK(result.rows[0].memory() == 11 * mebi);
    CHECK(result.rows[4].memory() == 15 * mebi);
    CHECK(result.rows[2].loss_percent() == 10);
    CHECK(result.rows[4].started == "2026-11-22T12:00:05Z");
    const TrialSummary total = total_of(result);
    CHECK(total.sent == 500);
    CHECK(total.valid == 490);
    CHECK(total.verdict == Verdict::fail);
    CHECK(rows_with_new_processes(result).empty());
}

TEST_CASE("an invalid row stays and is ignored, and another is made besides")
{
    const ScratchDirectory scratch;
    Server server{.invalid = {2, 4}};
    server.lost[1] = 100;
    const SoakResult result = soak(server, scratch.file("journal"));
    REQUIRE(result.rows.size() == 7);
    CHECK(result.rows[1].verdict == Verdict::invalid);
    CHECK(result.rows[1].memory() == 12 * mebi);
    CHECK(total_of(result).sent == 500);
    CHECK(total_of(result).verdict == Verdict::pass);
    CHECK_THAT(to_text(result), Contains("Row 2 is invalid and counts in no sum: told"));
    Server worse{.invalid = {3, 4}};
    const SoakResult ended = soak(worse, scratch.file("journal2"));
    CHECK(ended.end == TrialsEnd::invalid_trial);
    CHECK(ended.rows.size() == 4);
}

TEST_CASE("a soak that goes on has the rows and the memory of the journal")
{
    const ScratchDirectory scratch;
    Server server{.stop_before = 3};
    CHECK(soak(server, scratch.file("journal")).end == TrialsEnd::interrupted);
    // A crash between the memory's record and its row's leaves the memory, which nobody takes.
    std::ofstream(scratch.file("journal"), std::ios::app)
        << R"({"record": "memory", "processes": [{"process": 7, "name": "named",)"
        << R"( "memory_octets": 1}]})"
        << "\n";
    Server other;
    const SoakResult result = soak(other, scratch.file("journal"), false, 8);
    REQUIRE(result.rows.size() == 5);
    CHECK(other.asked.size() == 3);
    CHECK(result.rows[1].memory() == 12 * mebi);
    CHECK(result.rows[2].memory() == 11 * mebi);
    CHECK(result.resumed == 1);
    CHECK(rows_with_new_processes(result) == std::vector<std::uint64_t>{3});
    CHECK_THAT(to_text(result), Contains("After row 3 the server had other processes than before"));
}

TEST_CASE("a server that has gone ends a soak, which keeps its rows")
{
    const ScratchDirectory scratch;
    Server server{.gone_before = 3};
    const SoakResult result = soak(server, scratch.file("journal"));
    CHECK(result.rows.size() == 2);
    CHECK(result.end == TrialsEnd::interrupted);
    CHECK(dnsgauge::to_json(result, header).at("why") == "nobody answers");
    Server never{.gone_before = 1};
    CHECK_THROWS_AS(soak(never, scratch.file("journal2")), SetupError);
}

TEST_CASE("every form of a soak has its figures")
{
    const ScratchDirectory scratch;
    Server server;
    server.lost[3] = 1;
    SoakResult result = soak(server, scratch.file("journal"));
    result.server = "192.0.2.53";
    result.rate_from = "80 % of search.json";
    result.duration = std::chrono::seconds(1);
    result.timeout = std::chrono::milliseconds(250);
    const std::string text = to_text(result);
    CHECK_THAT(text, Contains("Soak of 192.0.2.53 at 100 queries/s (80 % of search.json): 5 of 5 "
                              "rows of 1 s, timeout 0.25 s"));
    CHECK_THAT(text, Contains("Greatest loss: row 4, 1.0000 %, 1 of 100 queries"));
    CHECK_THAT(text, Contains("Memory of named (7): 11.0 MiB after the first row, 15.0 MiB after "
                              "the last, 15.0 MiB at most"));
    CHECK_THAT(to_text(result, TableForm::csv),
               Contains("2026-11-22T12:00:04Z,fail,100,99,0,0,1,1,20000,1500000,14680064"));
    const Json json = dnsgauge::to_json(result, header);
    CHECK(json.at("total").at("lost") == 1);
    CHECK(json.at("trials").at(3).at("processes").at(0).at("name") == "named");
    for (TrialSummary &row : result.rows)
        row.processes.clear();
    CHECK_THAT(to_text(result), Contains("no process of the server was found on this machine"));
    CHECK(dnsgauge::to_json(result, header).at("trials").at(0).at("memory_octets").is_null());
}

TEST_CASE("the rate is a part of what a search found")
{
    const ScratchDirectory scratch;
    const auto found = [&](const std::string &text) {
        return read_found_rate(write(scratch, text)).rate.per_second;
    };
    const std::string search = R"({"schema": "dnsgauge/search/1", "server": "192.0.2.53", )";
    CHECK(found(search + R"("at_least": null, "statistics": {"median": 999.5}})") == 999);
    CHECK(found(search + R"("at_least": 5000, "statistics": {"median": null}})") == 5000);
    const std::string goals = R"({"schema": "dnsgauge/loss-search/1", "server": "192.0.2.53", )";
    CHECK(found(goals + R"("goals": [{"lower_bound": null}, {"lower_bound": 70}]})") == 70);
    CHECK_THROWS_WITH(found(goals + R"("goals": [{"lower_bound": null}]})"),
                      Contains("found no rate"));
    CHECK_THROWS_WITH(found(search + R"("at_least": null, "statistics": {"median": null}})"),
                      Contains("found no rate"));
    CHECK_THROWS_WITH(found(R"({"schema": "dnsgauge/trial/1"})"), Contains("dnsgauge/trial/1"));
    CHECK_THROWS_WITH(found("[1]"), Contains("no result of a search"));
}

TEST_CASE("hours and rows give the number of rows")
{
    SoakRequest request;
    give_part<ZoneNames>(request.trial.workload).names = {0x0a000000, 1U << 24};
    request.rate = Rate{10};
    complete(request);
    CHECK(request.soak.rows == 480);
    request.hours = 0.5 / 3600;
    request.trial.duration = std::chrono::seconds(1);
    complete(request);
    CHECK(request.soak.rows == 1);
    request.rate = Rate{1};
    request.trial.duration = std::chrono::milliseconds(500);
    CHECK_THROWS_WITH(complete(request), Contains("--rate times --row"));
    request.trial.duration = std::chrono::seconds(1);
    request.trial.pace = parse_pace("steps=1:2:1");
    CHECK_THROWS_WITH(complete(request), Contains("leave --pace out"));
}

TEST_CASE("the server's processes are those with its socket, where its address is")
{
    const ScratchDirectory scratch;
    const std::filesystem::path proc = scratch.file("proc");
    put_process(proc, "7", "A", "111", "na\x1bmed");
    put_process(proc, "8", "A", "111", "worker");
    put_process(proc, "9", "A", "222", "other");
    put_process(proc, "10", "B", "333", "elsewhere");
    put_process(proc, "self", "A", "", "tester");
    for (const char *process : {"7", "8", "9"}) {
        put(proc / process / "net/fib_trie", fib_trie);
        put(proc / process / "net/udp",
            udp_heads + socket_line("00000000:0035", "111") + socket_line("00000000:1F40", "222"));
        put(proc / process / "net/tcp", udp_heads + socket_line("00000000:0035", "222", "0A"));
        put(proc / process / "net/ipv6_route",
            ipv6_route("20010002000000000000000000000000", "40", "00000001") +
                ipv6_route("20010002000000000000000000000002", "80", "80200001") +
                ipv6_route("20010002000000800000000000000000", "40", "80000001"));
        put(proc / process / "net/udp6",
            udp_heads + socket_line("02000120000000000000000002000000:0035", "222") +
                socket_line("00000000000000000000000000000000:1F41", "111"));
    }
    put(proc / "10/net/udp", udp_heads + socket_line("00000000:0035", "333"));
    const auto at = [&](const char *server, std::uint16_t port, bool is_tcp = false) {
        std::vector<int> found;
        for (const ProcessMemory &one : server_memory(
                 {.address = parse_ip_address(server), .port = port, .is_tcp = is_tcp}, "", proc))
            found.push_back(one.process);
        return found;
    };
    CHECK(at("198.18.0.2", 53) == std::vector<int>{7, 8});
    CHECK(at("198.18.0.2", 8000) == std::vector<int>{9});
    CHECK(at("198.18.0.2", 53, true) == std::vector<int>{9});
    CHECK(at("198.18.0.9", 53).empty());
    CHECK(at("198.18.0.20", 53).empty());
    // A socket at 0.0.0.0 takes nothing by IPv6, one at :: takes IPv4.
    CHECK(at("2001:2::2", 53) == std::vector<int>{9});
    CHECK(at("2001:2::3", 53).empty());
    // Every address of a prefix that is the host's.
    CHECK(at("198.18.128.1", 53) == std::vector<int>{7, 8});
    CHECK(at("198.18.255.254", 53) == std::vector<int>{7, 8});
    CHECK(at("198.19.0.1", 53).empty());
    CHECK(at("2001:2:0:80::1", 8001) == std::vector<int>{7, 8});
    CHECK(at("2001:2:0:81::1", 8001).empty());
    const std::vector<ProcessMemory> found =
        server_memory({.address = parse_ip_address("198.18.0.2")}, "", proc);
    CHECK(found.front() == ProcessMemory{7, "na?med", 3072 * 1024});

    // Another namespace may have the address of a server elsewhere: no veth pair leads there.
    put(proc / "10/net/fib_trie", fib_trie);
    CHECK(at("198.18.0.2", 53) == std::vector<int>{7, 8});
    for (const char *process : {"7", "8", "9"})
        std::filesystem::remove(proc / process / "net/fib_trie");
    CHECK(at("198.18.0.2", 53).empty());
}
