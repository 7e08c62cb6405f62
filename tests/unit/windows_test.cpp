// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sweeps of windows, of a simulated server: which windows are tried, that journals tell them again,
// and what is told of the result.
#include "series/windows/windows.h"

#include "record/json.h"
#include "support/scratch_directory.h"
#include "support/some_part.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>

using namespace dnsgauge;
using Catch::Contains;
using Json = Journal::Json;

namespace
{

const Json header = {{"schema", "dnsgauge/series-journal/1"},
                     {"kind", "window-sweep"},
                     {"setup", {{"kernel", "6.1"}}},
                     {"options", {{"windows", "1,10,40,100,400"}}}};
const WindowsPlan plan{.windows = {1, 10, 40, 100, 400}, .repeat = 3};

// A server that takes a millisecond for each query, and answers `capacity` queries a second.
struct Server {
    double capacity = 50'000;
    std::vector<SearchPlace> asked{};

    TrialResult operator()(const SearchPlace &place)
    {
        asked.push_back(place);
        const Pace pace = place.turn.pace.value();
        const auto open = static_cast<double>(pace.window);
        // No two runs are alike.
        const double rate = std::min(1'000 * open, capacity) * (1 + 0.001 * place.turn.repetition);
        TrialResult trial;
        trial.pace = pace;
        trial.rate = Rate{static_cast<std::uint64_t>(rate)};
        trial.queries.sent = trial.queries.valid = trial.rate.per_second;
        trial.window = WindowSummary{.places = pace.window,
                                     .answered_rate = rate,
                                     .mean_open = open,
                                     .mean_open_by_rtt = open * (pace.window == 40 ? 1.02 : 1.01)};
        trial.rtt.count = trial.queries.valid;
        trial.rtt.p50 = trial.rtt.p99 = static_cast<std::uint64_t>(1e9 * open / rate);
        trial.verdict = Verdict::pass;
        if (pace.window == 1)
            trial.caveats.doubts = {"0.8" + std::to_string(place.turn.repetition) +
                                    " of 1 query was open on average"};
        return trial;
    }
};

WindowsResult sweep(Server &server, const std::string &path, bool is_new = true)
{
    Journal journal = is_new ? Journal::create(path, header) : Journal::resume(path, header);
    return run_windows(plan, journal,
                       [&server](const SearchPlace &place) { return server(place); });
}

} // namespace

TEST_CASE("each repetition tries all windows, upwards, and the knee is told with its interval")
{
    const ScratchDirectory scratch;
    Server server;
    const WindowsResult result = sweep(server, scratch.file("journal"));
    REQUIRE(result.rows.size() == 15);
    CHECK(result.end == TrialsEnd::complete);
    CHECK(server.asked.front().left.count == 15);
    CHECK(server.asked.back().left.count == 1);
    for (std::size_t i = 0; i < result.rows.size(); i++) {
        CAPTURE(i);
        CHECK(result.rows[i].window->places == plan.windows[i % 5]);
        CHECK(result.rows[i].repetition == i / 5 + 1);
    }
    const Knee knee = result.knee();
    REQUIRE(knee.open);
    CHECK(knee.open->value == Approx(50).epsilon(0.01));
    CHECK(knee.runs == 3);
    const std::string text = to_text(result);
    CHECK_THAT(text, Contains("The knee lies at 50 open queries (95 %: ") &&
                         Contains("differ from the open queries by 2 % at most (window of 40)") &&
                         Contains("windows of 1 to 400: 15 of 15 steps"));
    CHECK(result.caveats.doubts ==
          std::vector<std::string>{"window of 1: 0.81 of 1 query was open on average"});
    CHECK_THAT(to_text(result, TableForm::csv),
               Catch::StartsWith("window,repetition,mean_open,mean_open_by_rtt,answered_rate,"));
    const Json json = dnsgauge::to_json(result, header);
    CHECK(json.at("kind") == "window-sweep");
    CHECK(json.at("trials").at(1).at("answered_rate").get<double>() == Approx(10'010));
    CHECK(json.at("knee").at("open").at("value").get<double>() == Approx(knee.open->value));
    CHECK(json.at("knee").at("falls_from").is_null());
}

TEST_CASE("a sweep of windows that is killed goes on, and a finished one is told again")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Server server;
    const WindowsResult whole = sweep(server, path);
    Server none;
    CHECK(dnsgauge::to_json(sweep(none, path, false), header) == dnsgauge::to_json(whole, header));
    CHECK(none.asked.empty());
    const std::string content = read_file(path);
    std::size_t end = 0;
    for (int lines = 0; lines < 8; lines++)
        end = content.find('\n', end) + 1;
    write_file(path, content.substr(0, end + 20));
    Server again;
    const WindowsResult result = sweep(again, path, false);
    CHECK(again.asked.size() == 8);
    CHECK(result.trials == whole.trials);
    CHECK(result.knee().open->value == whole.knee().open->value);
}

TEST_CASE("a sweep of windows that is cut short has the knee of its complete runs")
{
    const ScratchDirectory scratch;
    Server server;
    Journal journal = Journal::create(scratch.file("journal"), header);
    const WindowsResult result = run_windows(
        plan, journal, [&server](const SearchPlace &place) -> std::optional<TrialResult> {
            if (server.asked.size() == 12)
                return std::nullopt;
            return server(place);
        });
    CHECK(result.end == TrialsEnd::interrupted);
    CHECK(result.knee().runs == 2);
    CHECK_THAT(to_text(result), Contains("No knee is told: its interval takes 3 runs"));
    CHECK(dnsgauge::to_json(result, header).at("knee").at("open").is_null());
}

TEST_CASE("an invalid trial is made again, at its window")
{
    const ScratchDirectory scratch;
    Server server;
    Journal journal = Journal::create(scratch.file("journal"), header);
    const WindowsResult result = run_windows(plan, journal, [&server](const SearchPlace &place) {
        TrialResult trial = server(place);
        if (server.asked.size() == 4)
            trial.verdict = Verdict::invalid;
        return std::optional(trial);
    });
    CHECK(result.end == TrialsEnd::complete);
    CHECK(result.rows.size() == 15);
    CHECK(result.invalid_trials == 1);
    CHECK(server.asked.at(4).turn.pace->window == 100);
    CHECK(result.made_again(false) == 1);
}

TEST_CASE("a journal of other windows is refused")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("journal");
    Server server;
    (void)sweep(server, path);
    Journal journal = Journal::resume(path, header);
    WindowsPlan other = plan;
    other.windows[1] = 20;
    CHECK_THROWS_WITH(
        run_windows(other, journal, [&server](const SearchPlace &place) { return server(place); }),
        Contains("line 3: a trial of a window of 10 where the sweep makes one of 20"));
}

TEST_CASE("windows that make no sweep are refused")
{
    const auto refused = [](const char *windows, const std::string &message) {
        std::vector<std::uint64_t> read;
        CHECK_THROWS_WITH(windows_option(read).access.set(windows, "--windows"), Contains(message));
    };
    refused("5", "--windows: write two windows or more, from the smallest up");
    refused("5,5", "from the smallest up");
    refused("10,5", "from the smallest up");
    refused("1,,5", "--windows");
    refused("", "--windows");
    refused("0,5", "--windows");
    refused("1,10001", "--windows");
}
