// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Journals and results of each kind of series that dnsgauge made in a lab on 2026-11-25, before the
// kinds had one form: a journal is still resumed, and then tells what its result told.
#include "record/json.h"
#include "record/json_text.h"
#include "series/mlr/loss_search.h"
#include "series/replay/replay.h"
#include "series/search/search.h"
#include "series/soak/soak.h"
#include "series/sweep/sweep.h"
#include "support/scratch_directory.h"

#include <catch2/catch.hpp>

#include <stdexcept>

using namespace dnsgauge;
using Json = Journal::Json;

namespace
{

const TrialRunner no_more = [](const SearchPlace &place) -> std::optional<TrialResult> {
    throw std::logic_error("a finished series makes a trial at " +
                           std::to_string(place.turn.rate.per_second));
};

std::string path_of(const std::string &name)
{
    return std::string(DNSGAUGE_TEST_DATA) + "/series/" + name;
}

Json recorded(const std::string &kind)
{
    return as_series(parse_json(read_file(path_of(kind + ".json"))));
}

Rate rate(const Json &object, const char *member)
{
    return Rate{whole_number(object.at(member))};
}

unsigned number(const Json &object, const char *member)
{
    return static_cast<unsigned>(whole_number(object.at(member)));
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

// Goes on with the journal by `run`, and checks the members that follow from the journal. Members
// that a newer version adds are ignored, at any depth.
template <class Run>
void check_retold(const std::string &kind, std::vector<const char *> members, Run run)
{
    const ScratchDirectory scratch;
    const std::string lines = read_file(path_of(kind + ".jsonl"));
    write_file(scratch.file("journal"), lines);
    Json header = parse_json(lines.substr(0, lines.find('\n')));
    header["schema"] = "dnsgauge/series-journal/1";
    header["kind"] = kind;
    Journal journal = Journal::resume(scratch.file("journal"), header);
    const auto result = run(journal, header.at("options"));
    const Json told = parse_json(json_text(dnsgauge::to_json(result, header)));
    const Json was = recorded(kind);
    for (const char *member : {"schema", "kind", "trials_made", "invalid_trials", "resumed",
                               "circumstances", "placement", "setup", "options", "end", "why"})
        members.push_back(member);
    for (const char *member : members) {
        CAPTURE(kind, member);
        CHECK(without_new(told.at(member), was.at(member)) == was.at(member));
    }
    REQUIRE(told.at("trials").size() == was.at("trials").size());
    for (std::size_t i = 0; i < was.at("trials").size(); i++)
        for (const auto &[member, value] : was.at("trials").at(i).items()) {
            CAPTURE(kind, i, member);
            CHECK(without_new(told.at("trials").at(i).at(member), value) == value);
        }
    CHECK(read_file(scratch.file("journal")) == lines);
}

} // namespace

TEST_CASE("a sweep's journal tells its steps again")
{
    check_retold("sweep", {"min_rate", "max_rate", "rates_wanted", "spacing", "repeat"},
                 [](Journal &journal, const Json &options) {
                     SweepPlan plan;
                     plan.min = rate(options, "min-rate");
                     plan.max = rate(options, "max-rate");
                     plan.rates = whole_number(options.at("steps"));
                     plan.spacing = Spacing::bisected;
                     plan.repeat = number(options, "repeat");
                     return run_sweep(plan, journal, no_more);
                 });
}

TEST_CASE("a soak's journal tells its rows and the server's memory again")
{
    check_retold("soak", {"rate", "rows_wanted", "total", "rows_with_new_processes"},
                 [](Journal &journal, const Json &options) {
                     return run_soak({.rate = rate(options, "rate"),
                                      .rows = whole_number(recorded("soak").at("rows_wanted"))},
                                     journal, no_more, [] { return std::vector<ProcessMemory>(); });
                 });
}

TEST_CASE("a search's journal tells its searches again")
{
    check_retold("search",
                 {"min_rate", "max_rate", "resolution", "repeat", "confirm", "rates", "at_least",
                  "statistics", "repetitions"},
                 [](Journal &journal, const Json &options) {
                     SearchPlan plan{{rate(options, "min-rate"), rate(options, "max-rate"),
                                      whole_number(options.at("resolution"))}};
                     plan.repeat = number(options, "repeat");
                     plan.confirm = number(options, "confirm");
                     return run_search(plan, journal, no_more);
                 });
    CHECK(
        read_found_rate(path_of("search.json")).rate.per_second ==
        static_cast<std::uint64_t>(recorded("search").at("statistics").at("median").get<double>()));
}

TEST_CASE("the journal of a search for loss ratios tells its bounds again")
{
    check_retold(
        "loss-search",
        {"min_rate", "max_rate", "exceed_percent", "width_percent", "first_duration_s",
         "duration_sum_s", "goals"},
        [](Journal &journal, const Json &options) {
            LossSearchRequest request;
            request.search.range = {rate(options, "min-rate"), rate(options, "max-rate"), 1};
            request.trial.duration = read_seconds(options.at("duration"));
            request.loss.loss_percents = {0, 20};
            request.loss.width_percent = options.at("width").get<double>();
            request.loss.first_duration = read_seconds(options.at("first-duration"));
            request.loss.duration_sum = read_seconds(options.at("duration-sum"));
            return run_series(request, journal, no_more);
        });
    CHECK(Json(read_found_rate(path_of("loss-search.json")).rate.per_second) ==
          recorded("loss-search").at("goals").at(0).at("lower_bound"));
}

TEST_CASE("a replay's journal tells its runs and bands again")
{
    check_retold("replay", {"runs_wanted", "bands"}, [](Journal &journal, const Json &options) {
        // The rate follows from the capture, which is not kept.
        const Json first = journal.records().front().value.at("trial");
        return run_replay({.runs = number(options, "runs"), .rates = {rate(first, "rate")}},
                          journal, no_more);
    });
}
