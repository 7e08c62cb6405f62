// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Journals and results of each kind of series that dnsgauge made in a lab. All but the window sweep
// are of 2026-11-25, before the kinds had one form. A journal is still resumed: a whole one tells
// what its result told, and a cut one goes on with the trial that follows.
#include "record/json.h"
#include "record/json_text.h"
#include "series/mlr/loss_search.h"
#include "series/replay/replay.h"
#include "series/search/search.h"
#include "series/soak/soak.h"
#include "series/sweep/sweep.h"
#include "series/windows/windows.h"
#include "support/scratch_directory.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <stdexcept>

using namespace dnsgauge;
using Json = Journal::Json;

namespace
{

// A kind of series, and what a test of its files needs to know.
struct Kind {
    const char *name; // as results and journals have it
    // What the journal decides of a result, besides what it decides in all kinds.
    std::vector<const char *> members;
    // Goes on with the journal. Returns the result.
    std::function<Json(Journal &journal, const TrialRunner &make)> go_on;
};

std::string path_of(const std::string &name)
{
    return std::string(DNSGAUGE_TEST_DATA) + "/series/" + name;
}

Json recorded(const std::string &kind)
{
    return as_series(parse_json(read_file(path_of(kind + ".json"))));
}

std::vector<std::string> recorded_lines(const std::string &kind)
{
    const std::string text = read_file(path_of(kind + ".jsonl"));
    std::vector<std::string> lines;
    for (std::size_t from = 0, to = 0; from < text.size(); from = to) {
        to = text.find('\n', from) + 1;
        lines.push_back(text.substr(from, to - from));
    }
    return lines;
}

Rate rate(const Json &object, const char *member)
{
    return Rate{whole_number(object.at(member))};
}

unsigned number(const Json &object, const char *member)
{
    return static_cast<unsigned>(whole_number(object.at(member)));
}

// `run` goes on with a journal, as the options in its header say.
template <class Run>
Kind kind(const char *name, const std::vector<const char *> &members, Run run)
{
    return {name, members, [run](Journal &journal, const TrialRunner &make) {
                const auto result = run(journal, journal.header().at("options"), make);
                return parse_json(json_text(dnsgauge::to_json(result, journal.header())));
            }};
}

SweepResult go_on_with_sweep(Journal &journal, const Json &options, const TrialRunner &make)
{
    SweepPlan plan;
    plan.min = rate(options, "min-rate");
    plan.max = rate(options, "max-rate");
    plan.rates = whole_number(options.at("steps"));
    plan.spacing = Spacing::bisected;
    plan.repeat = number(options, "repeat");
    return run_sweep(plan, journal, make);
}

WindowsResult go_on_with_windows(Journal &journal, const Json &options, const TrialRunner &make)
{
    WindowsPlan plan;
    windows_option(plan.windows).access.set(plain_text(options.at("windows")), "--windows");
    plan.repeat = number(options, "repeat");
    return run_windows(plan, journal, make);
}

SoakResult go_on_with_soak(Journal &journal, const Json &options, const TrialRunner &make)
{
    return run_soak(
        {.rate = rate(options, "rate"), .rows = whole_number(recorded("soak").at("rows_wanted"))},
        journal, make, [] { return std::vector<ProcessMemory>(); });
}

SearchResult go_on_with_search(Journal &journal, const Json &options, const TrialRunner &make)
{
    SearchPlan plan{{rate(options, "min-rate"), rate(options, "max-rate"),
                     whole_number(options.at("resolution"))}};
    plan.repeat = number(options, "repeat");
    plan.confirm = number(options, "confirm");
    return run_search(plan, journal, make);
}

LossSearchResult go_on_with_loss_search(Journal &journal, const Json &options,
                                        const TrialRunner &make)
{
    LossSearchRequest request;
    request.search.range = {rate(options, "min-rate"), rate(options, "max-rate"), 1};
    request.trial.duration = read_seconds(options.at("duration"));
    request.loss.loss_percents = {0, 20};
    request.loss.width_percent = options.at("width").get<double>();
    request.loss.first_duration = read_seconds(options.at("first-duration"));
    request.loss.duration_sum = read_seconds(options.at("duration-sum"));
    return run_series(request, journal, make);
}

ReplayResult go_on_with_replay(Journal &journal, const Json &options, const TrialRunner &make)
{
    // The rate follows from the capture, which is not kept.
    const Json first = journal.records().front().value.at("trial");
    return run_replay({.runs = number(options, "runs"), .rates = {rate(first, "rate")}}, journal,
                      make);
}

std::vector<Kind> kinds()
{
    return {
        kind("sweep", {"min_rate", "max_rate", "rates_wanted", "spacing", "repeat"},
             go_on_with_sweep),
        kind("window-sweep", {"windows", "repeat", "knee", "doubts"}, go_on_with_windows),
        kind("soak", {"rate", "rows_wanted", "total", "rows_with_new_processes"}, go_on_with_soak),
        kind("search",
             {"min_rate", "max_rate", "resolution", "repeat", "confirm", "rates", "at_least",
              "statistics", "repetitions"},
             go_on_with_search),
        kind("loss-search",
             {"min_rate", "max_rate", "exceed_percent", "width_percent", "first_duration_s",
              "duration_sum_s", "goals"},
             go_on_with_loss_search),
        kind("replay", {"runs_wanted", "bands"}, go_on_with_replay)};
}

// Opens a copy of a recorded journal, which `content` has, as --resume does.
Journal resume(const std::string &path, const Kind &kind, const std::string &content)
{
    write_file(path, content);
    Json header = parse_json(content.substr(0, content.find('\n')));
    header["schema"] = "dnsgauge/series-journal/1";
    header["kind"] = kind.name;
    return Journal::resume(path, header);
}

// Returns `told` without the members, at any depth, of objects that `was` lacks.
Json without_new(const Json &told, const Json &was)
{
    if (told.is_object() && was.is_object()) {
        Json kept = Json::object();
        for (const auto &[member, value] : told.items())
            if (was.contains(member))
                kept[member] = without_new(value, was.at(member));
        return kept;
    }
    if (told.is_array() && was.is_array() && told.size() == was.size()) {
        Json kept = Json::array();
        for (std::size_t i = 0; i < was.size(); i++)
            kept.push_back(without_new(told.at(i), was.at(i)));
        return kept;
    }
    return told;
}

// Checks that `told` has the first `count` trials of `was`, and no other trial. Members that a
// newer version adds are ignored, at any depth.
void check_trials(const Json &told, const Json &was, std::size_t count)
{
    REQUIRE(told.size() == count);
    REQUIRE(was.size() >= count);
    for (std::size_t i = 0; i < count; i++)
        for (const auto &[member, value] : was.at(i).items()) {
            CAPTURE(i, member);
            CHECK(without_new(told.at(i).at(member), value) == value);
        }
}

// Checks that `turn` makes the trial that the journal's record tells of.
void check_turn(const SearchTurn &turn, const Json &record)
{
    const Json &trial = record.at("trial");
    CHECK(turn.repetition == number(record, "repetition"));
    CHECK(turn.trial == number(record, "number"));
    if (turn.pace)
        CHECK(turn.pace->window == whole_number(trial.at("pace").at("window")));
    else
        CHECK(turn.rate == rate(trial, "rate"));
    if (turn.duration)
        CHECK(*turn.duration == read_seconds(trial.at("duration_s")));
}

} // namespace

TEST_CASE("a recorded journal tells its result again")
{
    const Kind kind = GENERATE(from_range(kinds()));
    const ScratchDirectory scratch;
    const std::string lines = read_file(path_of(kind.name + std::string(".jsonl")));
    Journal journal = resume(scratch.file("journal"), kind, lines);
    const Json told =
        kind.go_on(journal, [](const SearchPlace &place) -> std::optional<TrialResult> {
            throw std::logic_error("a finished series makes a trial at " +
                                   std::to_string(place.turn.rate.per_second));
        });
    const Json was = recorded(kind.name);
    std::vector<const char *> members = kind.members;
    for (const char *member : {"schema", "kind", "trials_made", "invalid_trials", "resumed",
                               "circumstances", "placement", "setup", "options", "end", "why"})
        members.push_back(member);
    for (const char *member : members) {
        CAPTURE(kind.name, member);
        CHECK(without_new(told.at(member), was.at(member)) == was.at(member));
    }
    CAPTURE(kind.name);
    check_trials(told.at("trials"), was.at("trials"), was.at("trials").size());
    CHECK(read_file(scratch.file("journal")) == lines);
}

TEST_CASE("a recorded journal that was cut keeps its trials, and goes on with the next one")
{
    const Kind kind = GENERATE(from_range(kinds()));
    const bool is_torn = GENERATE(false, true); // in the middle of a line
    const std::vector<std::string> lines = recorded_lines(kind.name);
    std::string whole = lines.front();
    std::uint64_t made = 0;
    std::uint64_t invalid = 0;
    for (std::size_t kept = 1; kept + 1 < lines.size(); kept++) {
        CAPTURE(kind.name, is_torn, kept);
        whole += lines[kept];
        const Json last = parse_json(lines[kept]);
        if (last.at("record") == "trial") {
            made++;
            invalid += last.at("trial").at("verdict") == "invalid" ? 1U : 0U;
        }
        const std::string &next = lines[kept + 1];
        const std::string torn = is_torn ? next.substr(0, next.size() / 2) : "";
        const ScratchDirectory scratch;
        Journal journal = resume(scratch.file("journal"), kind, whole + torn);
        CHECK(journal.torn() == torn.size());
        std::optional<SearchTurn> turn;
        const Json told = kind.go_on(journal, [&turn](const SearchPlace &place) {
            turn = place.turn;
            return std::optional<TrialResult>();
        });
        REQUIRE(turn);
        const auto trial = std::find_if(
            lines.begin() + static_cast<std::ptrdiff_t>(kept) + 1, lines.end(),
            [](const std::string &line) { return parse_json(line).at("record") == "trial"; });
        REQUIRE(trial != lines.end());
        check_turn(*turn, parse_json(*trial));
        CHECK(told.at("trials_made") == made);
        CHECK(told.at("invalid_trials") == invalid);
        CHECK(told.at("resumed") == 1);
        CHECK(told.at("end") == "interrupted");
        check_trials(told.at("trials"), recorded(kind.name).at("trials"), made - invalid);
        CHECK(read_file(scratch.file("journal")) == whole + "{\"record\":\"resumed\"}\n");
    }
}

TEST_CASE("a recorded search tells the rate that it found")
{
    CHECK(
        read_found_rate(path_of("search.json")).rate.per_second ==
        static_cast<std::uint64_t>(recorded("search").at("statistics").at("median").get<double>()));
    CHECK(Json(read_found_rate(path_of("loss-search.json")).rate.per_second) ==
          recorded("loss-search").at("goals").at(0).at("lower_bound"));
}
