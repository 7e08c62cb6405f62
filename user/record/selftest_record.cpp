// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/selftest_record.h"

#include "record/json_text.h"
#include "record/machine_fields.h"
#include "record/record_file.h"
#include "record/selftest_result.h"
#include "system/listed.h"
#include "units/rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace dnsgauge
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr RecordKind selftest_kind{.file = "selftest",
                                   .test = "self-test",
                                   .what = "the record of a self-test",
                                   .schema = selftest_schema};

constexpr const char *queues_key = "sender_queues"; // of a set-up's options

// A record keeps at most this many self-tests. Each covers trials that no other one covers.
constexpr std::size_t tests_most = 8;

// One self-test of a record.
struct RecordedTest : SelftestResult {
    Json json{};                      // the whole self-test
    std::optional<Rate> failed{};     // the rate that the Tester did not keep
    std::vector<std::string> modes{}; // by rank; empty for an engine without modes
};

RecordedTest read_test(Json json)
{
    json.erase("others");
    json.erase("placements");
    RecordedTest test{read_fields<SelftestResult>(json), json};
    if (test.stopped_by)
        test.failed = test.stopped_by->trial.rate;
    const auto add = [&test](const Circumstances &with) {
        test.modes.push_back(modes_text(with.modes, " and "));
    };
    add(test.circumstances);
    std::ranges::for_each(test.other_circumstances, add);
    return test;
}

// Returns the self-tests of a record, the best one first. Throws Json::exception if `record` lacks
// anything.
std::vector<RecordedTest> read_tests(const Json &record)
{
    std::vector<RecordedTest> tests{read_test(record)};
    const auto others = record.find("others");
    if (others == record.end())
        return tests;
    for (const Json &other : *others) {
        if (other.at("setup") != record.at("setup"))
            throw Json::other_error::create(501, "a record is of one set-up", nullptr);
        tests.push_back(read_test(other));
    }
    return tests;
}

std::string more_than(const char *what, Nanoseconds theirs, Nanoseconds ours)
{
    return fmt::format("was made with {} of {:g} s, not at most {:g} s", what, seconds(theirs),
                       seconds(ours));
}

// Returns what the self-test lacks, as the end of a sentence; empty if it lacks nothing.
std::string shortfall(const RecordedTest &test, const CoverWanted &wanted)
{
    if (!test.allowed)
        return "was not passed: " + (test.stopped_by ? test.stopped_by->trial.why : "");
    if (*test.allowed < wanted.rate)
        return fmt::format("allows {} queries/s, not {}", test.allowed->per_second,
                           wanted.rate.per_second);
    if (test.timeout > wanted.timeout)
        return more_than("a timeout", test.timeout, wanted.timeout);
    if (test.duration < wanted.duration)
        return fmt::format("was made with trials of {:g} s, not {:g} s", seconds(test.duration),
                           seconds(wanted.duration));
    if (test.max_lateness > wanted.max_lateness)
        return more_than("--max-lateness", test.max_lateness, wanted.max_lateness);
    if (test.max_overrun > wanted.max_overrun)
        return more_than("--max-overrun", test.max_overrun, wanted.max_overrun);
    return {};
}

// Returns whether the self-test covers trials like those wanted, at the rate that it allows.
bool covers_at_its_rate(const RecordedTest &test, CoverWanted wanted)
{
    wanted.rate = test.allowed.value_or(wanted.rate);
    return shortfall(test, wanted).empty();
}

// Puts into `cover` whether a self-test in `record` covers the wanted trials. Throws
// Json::exception if `record` lacks anything.
void find_cover(const Json &record, const CoverWanted &wanted, SelftestCover &cover)
{
    const std::vector<RecordedTest> tests = read_tests(record);
    const RecordedTest *covering = nullptr;
    std::string lacks;
    for (const RecordedTest &test : tests) {
        const std::string lack = shortfall(test, wanted);
        if (!lack.empty())
            lacks += lacks.empty() ? fmt::format("the self-test of {} on this set-up ({}) {}",
                                                 test.finished, cover.record, lack)
                                   : fmt::format("; the self-test of {} {}", test.finished, lack);
        else if (covering == nullptr ||
                 (!covering->caveats.deviations.empty() && test.caveats.deviations.empty()))
            covering = &test;
    }
    // The best self-test comes first.
    const auto slower = std::ranges::find_if(
        tests, [&wanted](const RecordedTest &test) { return covers_at_its_rate(test, wanted); });
    const RecordedTest &told = covering != nullptr     ? *covering
                               : slower != tests.end() ? *slower
                                                       : tests.front();
    cover.finished = told.finished;
    cover.allowed = told.allowed;
    cover.was_asked_no_more = told.allowed && !told.failed;
    cover.deviations = told.caveats.deviations;
    cover.modes = told.modes;
    if (covering == nullptr)
        cover.why_not = lacks;
}

// Returns whether the terms of `lax` are no stricter than the terms of `strict`, so that a Tester
// that passes under the terms of `strict` also passes under the terms of `lax`.
bool is_no_stricter(const RecordedTest &lax, const RecordedTest &strict)
{
    return lax.timeout >= strict.timeout && lax.duration <= strict.duration &&
           lax.max_lateness >= strict.max_lateness && lax.max_overrun >= strict.max_overrun;
}

// Returns whether `other` covers every trial that `one` covers.
bool adds_nothing(const RecordedTest &one, const RecordedTest &other)
{
    if (!one.allowed)
        return true;
    return other.allowed && *other.allowed >= *one.allowed && is_no_stricter(one, other) &&
           (other.caveats.deviations.empty() || !one.caveats.deviations.empty());
}

// Returns why the self-test `now` refutes `old`; empty if `old` still holds.
std::string refutation(const RecordedTest &old, const RecordedTest &now)
{
    if (old.modes.size() != now.modes.size())
        return "one of the two does not tell the modes of each Tester";
    for (std::size_t rank = 0; rank < now.modes.size(); rank++)
        if (old.modes[rank] != now.modes[rank])
            return fmt::format("it used {}, this one {}{}", old.modes[rank], now.modes[rank],
                               now.modes.size() == 1 ? "" : fmt::format(", of Tester {}", rank));
    const std::optional<Rate> kept = old.kept();
    if (now.failed && kept && *now.failed <= *kept && is_no_stricter(now, old) &&
        now.confirm >= old.confirm)
        return fmt::format("this one failed at {} queries/s under terms no stricter, where that "
                           "one kept {}",
                           now.failed->per_second, kept->per_second);
    return {};
}

// Returns "the self-test of 2026-11-21T14:00:00Z (dnsgauge selftest --rate 1000)".
std::string name_of(const RecordedTest &test)
{
    const std::string command = join(plain_texts(test.json.at("command")), " ");
    return fmt::format("the self-test of {}{}", test.finished,
                       command.empty() ? "" : " (" + one_line(command) + ")");
}

// Puts the self-tests that `now` neither refutes nor makes needless into `holding`. Adds to `notes`
// what becomes of the others.
void weigh(const std::vector<RecordedTest> &old, const RecordedTest &now,
           std::vector<RecordedTest> &holding, std::vector<std::string> &notes)
{
    for (const RecordedTest &test : old) {
        if (!test.allowed)
            continue;
        const std::string was =
            fmt::format("{}, which allowed {} queries/s", name_of(test), test.allowed->per_second);
        if (const std::string why = refutation(test, now); !why.empty())
            notes.push_back(fmt::format("no longer has {}: {}", was, why));
        else if (adds_nothing(test, now))
            notes.push_back("has this one in place of " + was);
        else
            holding.push_back(test);
    }
}

// Returns nothing if the record has no placements. Throws Json::exception.
std::optional<FoundPlacement> read_found_placement(const Json &record)
{
    const auto walk = record.find("placements");
    if (walk == record.end())
        return std::nullopt;
    const Json &stages = walk->at("stages");
    FoundPlacement found;
    found.finished = plain_text(walk->at("finished"));
    found.sender_cpu = static_cast<unsigned>(whole_number(walk->at("sender_cpu")));
    found.sender_queue = number_or_none<unsigned>(walk->at("sender_queue"));
    found.sender_found = plain_text(stages.at(0).at("found"));
    for (const auto &[name, value] : walk->at("settings").items())
        found.settings[name] = plain_text(value);
    for (const Json &stage : stages) {
        const std::string part = plain_text(stage.at("part"));
        if (part == transmit_part)
            found.queue_found = plain_text(stage.at("found"));
        if (part == receive_part)
            found.settings_found = plain_text(stage.at("found"));
    }
    return found;
}

// Returns the set-up with the CPU and the transmit queue of the record's only sender; nothing if
// the file is no such record, or if the CPU is not in `cpus`.
std::optional<TesterSetup> with_sender_of(const std::string &path, TesterSetup setup,
                                          const std::vector<unsigned> &cpus)
{
    try {
        const TesterSetup theirs = read_fields<TesterSetup>(read_json_file(path).at("setup"));
        if (theirs.sender_cpus.size() != 1 ||
            std::ranges::find(cpus, theirs.sender_cpus.front()) == cpus.end())
            return std::nullopt;
        setup.sender_cpus = theirs.sender_cpus;
        for (auto &[key, value] : setup.options)
            for (const auto &[their_key, their_value] : theirs.options)
                if (key == queues_key && key == their_key)
                    value = their_value;
        return setup;
    } catch (const std::exception &) {
        return std::nullopt;
    }
}

} // namespace

std::string record_path(const TesterSetup &setup)
{
    return record_path(selftest_kind, setup);
}

std::vector<unsigned> cpus_with_record(const TesterSetup &setup, const std::vector<unsigned> &cpus)
{
    std::vector<unsigned> found;
    for (const unsigned cpu : cpus) {
        TesterSetup other = setup;
        other.sender_cpus = {cpu};
        std::error_code error;
        if (std::filesystem::exists(record_path(other), error))
            found.push_back(cpu);
    }
    return found;
}

std::optional<FoundPlacement> found_placement(const TesterSetup &setup,
                                              const std::vector<unsigned> &cpus)
{
    std::optional<FoundPlacement> latest;
    for (const std::string &path : record_paths(selftest_kind, setup.interface)) {
        const std::optional<TesterSetup> walked = with_sender_of(path, setup, cpus);
        if (!walked || record_path(*walked) != path)
            continue;
        std::optional<FoundPlacement> found;
        const RecordFault fault =
            read_record(path, selftest_kind, *walked,
                        [&found](const Json &record) { found = read_found_placement(record); });
        if (fault.message.empty() && found &&
            std::ranges::find(cpus, found->sender_cpu) != cpus.end() &&
            (!latest || latest->finished < found->finished))
            latest = std::move(found);
    }
    return latest;
}

SelftestCover look_up_cover(const std::string &path, const TesterSetup &setup,
                            const CoverWanted &wanted)
{
    SelftestCover cover;
    cover.record = path;
    const RecordFault fault = read_record(
        path, selftest_kind, setup, [&](const Json &record) { find_cover(record, wanted, cover); });
    if (!fault.message.empty())
        return {.record = path, .why_not = fault.message};
    return cover;
}

RecordUpdate update_record(const std::string &path, const SelftestResult &result)
{
    const RecordedTest now = read_test(to_json(result));
    RecordUpdate update;
    std::vector<RecordedTest> old;
    Json walk = written(result.placements);
    const RecordFault fault =
        read_record(path, selftest_kind, result.setup, [&](const Json &record) {
            old = read_tests(record);
            if (walk.is_null())
                walk = record.value("placements", Json());
        });
    if (!fault.flaw.empty())
        update.notes.push_back("is replaced: what was there before " + fault.flaw);
    std::vector<RecordedTest> holding;
    weigh(old, now, holding, update.notes);
    for (const RecordedTest &test : holding)
        update.notes.push_back(fmt::format("keeps {}, which allows {} queries/s", name_of(test),
                                           test.allowed->per_second));
    if (std::ranges::none_of(holding,
                             [&](const RecordedTest &test) { return adds_nothing(now, test); }))
        holding.insert(holding.begin(), now);
    else
        update.notes.emplace_back("does not change: the self-tests that it keeps allow as much");
    std::ranges::stable_sort(holding, std::ranges::greater(), &RecordedTest::allowed);
    holding.resize(std::min(holding.size(), tests_most));
    update.record = holding.front().json;
    if (!walk.is_null())
        update.record["placements"] = walk;
    for (std::size_t i = 1; i < holding.size(); i++)
        update.record["others"].push_back(holding[i].json);
    return update;
}

} // namespace dnsgauge
