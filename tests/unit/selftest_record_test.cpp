// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/machine_fields.h"
#include "record/selftest_record.h"
#include "record/selftest_result.h"
#include "record/trial_fields.h"
#include "result/labels.h"
#include "selftest/selftest_run.h"
#include "support/scratch_directory.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <functional>
#include <set>

using namespace dnsgauge;
using namespace std::chrono_literals;
using Catch::Contains;
using Json = nlohmann::ordered_json;

namespace
{

TesterSetup setup()
{
    TesterSetup setup;
    setup.version = "0.1.0";
    setup.kernel = "Linux 6.1 x86_64";
    setup.host = "tester";
    setup.cpu_model = "CPU";
    setup.cpus = 8;
    setup.interface = "eth1";
    setup.driver = "ice";
    setup.mtu = 1500;
    setup.link_mbps = 25000;
    setup.receive_queues = 4;
    setup.transmit_queues = 4;
    setup.sender_cpus = {2, 3};
    setup.options = {{"sender_queues", std::vector<unsigned>()},
                     {"xdp_mode", "auto"},
                     {"busy_poll", false},
                     {"vlan", std::monostate()}};
    return setup;
}

SelftestResult passed()
{
    SelftestResult result;
    result.delta = 0.1;
    result.timeout = 250ms;
    result.duration = 60s;
    result.max_lateness = 50ms;
    result.max_overrun = 1ms;
    result.allowed = Rate{1000};
    result.finished = "2026-11-21T14:00:00Z";
    result.setup = setup();
    result.circumstances.modes = {{"xdp_mode", "native"}, {"af_xdp_mode", "copy"}};
    return result;
}

const CoverWanted wanted{.rate = Rate{1000},
                         .timeout = 250ms,
                         .duration = 60s,
                         .max_lateness = 50ms,
                         .max_overrun = 1ms};

std::string write(const ScratchDirectory &scratch, const SelftestResult &result)
{
    const std::string path = scratch.file("record");
    write_file(path, to_json(result).dump(2) + "\n");
    return path;
}

} // namespace

TEST_CASE("a record covers what its self-test was at least as strict for")
{
    const ScratchDirectory scratch;
    const std::string path = write(scratch, passed());
    const SelftestCover cover = look_up_cover(path, setup(), wanted);
    CHECK(cover.covers());
    CHECK(cover.record == path);
    CHECK(cover.finished == "2026-11-21T14:00:00Z");
    CHECK(cover.allowed == Rate{1000});
    CHECK(cover.modes == std::vector<std::string>{"XDP native and AF_XDP copy"});
    CHECK(cover_text(cover) ==
          "self-test of 2026-11-21T14:00:00Z: allows 1000 queries/s (" + path + ")");

    const CoverWanted easier{
        .rate = Rate{1}, .timeout = 1s, .duration = 1s, .max_lateness = 1s, .max_overrun = 1s};
    CHECK(look_up_cover(path, setup(), easier).covers());
}

TEST_CASE("what the self-test itself lacked is said where it covers")
{
    const ScratchDirectory scratch;
    SelftestResult result = passed();
    result.confirm = 5;
    result.caveats.deviations = {"a failed trial was tried again, up to 5 times"};
    const std::string path = write(scratch, result);
    const SelftestCover cover = look_up_cover(path, setup(), wanted);
    CHECK(cover.covers());
    CHECK(cover.deviations == result.caveats.deviations);
    CHECK(cover_text(cover) == "self-test of 2026-11-21T14:00:00Z: allows 1000 queries/s (" + path +
                                   "); itself not compliant with RFC 8219: a failed trial was "
                                   "tried again, up to 5 times");
    CHECK(written(cover)["rfc8219"] ==
          Json{{"compliant", false}, {"deviations", result.caveats.deviations}});
    CHECK(written(look_up_cover(write(scratch, passed()), setup(),
                                wanted))["rfc8219"]["compliant"] == true);
    CHECK(written(look_up_cover(scratch.file("none"), setup(), wanted))["rfc8219"].is_null());
}

TEST_CASE("and nothing beyond that")
{
    const ScratchDirectory scratch;
    const std::string path = write(scratch, passed());
    CoverWanted more = wanted;
    std::string why;
    SECTION("a higher rate")
    {
        more.rate = Rate{1001};
        why = "allows 1000 queries/s, not 1001";
    }
    SECTION("a shorter timeout")
    {
        more.timeout = 250ms - 1ns;
        why = "a timeout of 0.25 s";
    }
    SECTION("longer trials")
    {
        more.duration = 61s;
        why = "trials of 60 s, not 61 s";
    }
    SECTION("less lateness")
    {
        more.max_lateness = 10ms;
        why = "--max-lateness of 0.05 s, not at most 0.01 s";
    }
    SECTION("less overrun")
    {
        more.max_overrun = 10us;
        why = "--max-overrun of 0.001 s";
    }
    const SelftestCover cover = look_up_cover(path, setup(), more);
    CHECK_FALSE(cover.covers());
    CHECK_THAT(cover.why_not, Contains(why) && Contains("2026-11-21T14:00:00Z") && Contains(path));
    CHECK(cover_text(cover) == std::string(beyond_selftest) + ": " + cover.why_not);
}

TEST_CASE("a self-test that was not passed covers nothing, and says why")
{
    const ScratchDirectory scratch;
    SelftestResult result = passed();
    result.allowed.reset();
    result.stopped_by = SelftestTrial{Rate{5},
                                      {.rate = Rate{11},
                                       .verdict = Verdict::fail,
                                       .sent = 11,
                                       .valid = 8,
                                       .why = "3 of 11 lost"}};
    CoverWanted little = wanted;
    little.rate = Rate{1};
    const SelftestCover cover = look_up_cover(write(scratch, result), setup(), little);
    CHECK_FALSE(cover.covers());
    CHECK_THAT(cover.why_not, Contains("was not passed: 3 of 11 lost"));
}

TEST_CASE("another set-up has another record, and is told from it")
{
    using Change = std::function<void(TesterSetup &)>;
    const std::vector<std::pair<std::string, Change>> changes = {
        {"version", [](TesterSetup &one) { one.version = "0.2.0"; }},
        {"kernel", [](TesterSetup &one) { one.kernel = "Linux 6.18 x86_64"; }},
        {"host", [](TesterSetup &one) { one.host = "other"; }},
        {"cpu_model", [](TesterSetup &one) { one.cpu_model = "other"; }},
        {"cpus", [](TesterSetup &one) { one.cpus = 4; }},
        {"interface", [](TesterSetup &one) { one.interface = "eth2"; }},
        {"driver", [](TesterSetup &one) { one.driver = "veth"; }},
        {"mtu", [](TesterSetup &one) { one.mtu = 9000; }},
        {"link_mbps", [](TesterSetup &one) { one.link_mbps = 0; }},
        {"receive_queues", [](TesterSetup &one) { one.receive_queues = 1; }},
        {"transmit_queues", [](TesterSetup &one) { one.transmit_queues = 8; }},
        {"sender_cpus", [](TesterSetup &one) { one.sender_cpus = {2}; }},
        {"sender_queues",
         [](TesterSetup &one) { one.options.at(0).second = std::vector<unsigned>{1}; }},
        {"xdp_mode", [](TesterSetup &one) { one.options.at(1).second = "generic"; }},
        {"busy_poll", [](TesterSetup &one) { one.options.at(2).second = true; }},
        {"vlan", [](TesterSetup &one) { one.options.at(3).second = std::uint64_t{7}; }},
        {"ip_version", [](TesterSetup &one) { one.is_ipv6 = true; }},
        {"other_testers", [](TesterSetup &one) { one.others = {setup()}; }},
    };
    // This test tries every member. A Tester that is alone has no others.
    CHECK(written(setup()).size() == changes.size() - 1);

    const ScratchDirectory scratch;
    const std::string path = write(scratch, passed());
    std::set<std::string> paths{record_path(setup())};
    for (const auto &[name, change] : changes) {
        CAPTURE(name);
        TesterSetup other = setup();
        change(other);
        CHECK(paths.insert(record_path(other)).second);
        const SelftestCover cover = look_up_cover(path, other, wanted);
        CHECK_FALSE(cover.covers());
        CHECK_THAT(cover.why_not, Contains("another set-up: " + name + " was "));
    }
}

TEST_CASE("a record is in the directory that the environment names")
{
    unsetenv("DNSGAUGE_STATE");
    CHECK_THAT(record_path(setup()),
               Catch::StartsWith("/var/lib/dnsgauge/selftest-eth1-") && Catch::EndsWith(".json"));
    const std::string usual = record_path(setup());
    setenv("DNSGAUGE_STATE", "", 1);
    CHECK(record_path(setup()) == usual);
    setenv("DNSGAUGE_STATE", "/elsewhere", 1);
    CHECK(record_path(setup()) == "/elsewhere" + usual.substr(usual.rfind('/')));
    unsetenv("DNSGAUGE_STATE");
}

TEST_CASE("the CPUs on which a sender of this set-up has a record are found")
{
    const ScratchDirectory scratch;
    setenv("DNSGAUGE_STATE", scratch.path().c_str(), 1);
    TesterSetup one = setup();
    one.sender_cpus = {3};
    write_file(record_path(one), "a record");
    TesterSetup both = setup();
    both.sender_cpus = {2, 3};
    write_file(record_path(both), "a record");
    CHECK(cpus_with_record(setup(), {1, 2, 3}) == std::vector<unsigned>{3});
    CHECK(cpus_with_record(setup(), {1, 2}).empty());
    one.mtu = 9000;
    CHECK(cpus_with_record(one, {3}).empty());
    unsetenv("DNSGAUGE_STATE");
}

TEST_CASE("no record, or none that can be read, covers nothing")
{
    const ScratchDirectory scratch;
    CHECK_THAT(look_up_cover(scratch.file("none"), setup(), wanted).why_not,
               Contains("there was no self-test on this set-up") && Contains("none is not there"));
    CHECK_THAT(look_up_cover(scratch.path(), setup(), wanted).why_not, Contains("cannot read"));
    const std::string path = scratch.file("file");
    for (const char *content : {"", "Dear Sir or Madam", "[]", "7", "null", "{}",
                                R"({"schema": "dnsgauge/selftest/1"})"}) {
        CAPTURE(content);
        write_file(path, content);
        const SelftestCover cover = look_up_cover(path, setup(), wanted);
        CHECK_THAT(cover.why_not, Contains(path + " is not the record of a self-test"));
        CHECK_FALSE(cover.allowed);
    }
    write_file(path, R"({"schema": "dnsgauge/trial/1"})");
    CHECK_THAT(look_up_cover(path, setup(), wanted).why_not, Contains("of this version"));
}

TEST_CASE("a record that was cut off anywhere covers nothing")
{
    const ScratchDirectory scratch;
    const std::string path = write(scratch, passed());
    const std::string content = read_file(path);
    // A record without its last line break is whole.
    for (std::size_t size = 0; size + 1 < content.size(); size++) {
        write_file(path, content.substr(0, size));
        CAPTURE(size);
        REQUIRE_FALSE(look_up_cover(path, setup(), wanted).covers());
    }
}

TEST_CASE("a record in which a member has no sense covers nothing")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("record");
    const Json good = to_json(passed());
    const auto check = [&](const std::string &member, const Json &value) {
        CAPTURE(member, value);
        Json changed = good;
        changed[member] = value;
        write_file(path, changed.dump());
        CHECK_FALSE(look_up_cover(path, setup(), wanted).covers());
    };
    for (const char *member : {"allowed_rate", "timeout_s", "duration_s", "max_lateness_s",
                               "max_overrun_s", "finished", "setup", "circumstances", "rfc8219"}) {
        check(member, nullptr);
        check(member, -1);
        check(member, std::string(member) == "finished" ? Json(1) : Json("1"));
    }
    check("allowed_rate", 1e300);
    check("duration_s", 1e300);
    check("timeout_s", -0.1);
    check("finished", "2026\x1b[2J\n");
}

namespace
{

// Returns a self-test of a later day that kept 2*r*(1+0.1) and that no failed trial stopped.
SelftestResult passed_at(std::uint64_t rate, const std::string &finished)
{
    SelftestResult result = passed();
    result.allowed = Rate{rate};
    result.finished = finished;
    result.command = {"dnsgauge", "selftest", "--rate", std::to_string(rate)};
    return result;
}

SelftestResult failed_at(std::uint64_t rate, const std::string &finished)
{
    SelftestResult result = passed_at(rate, finished);
    result.allowed.reset();
    result.stopped_by = SelftestTrial{
        Rate{rate}, {.rate = Rate{rate * 22 / 10}, .verdict = Verdict::fail, .why = "3 lost"}};
    return result;
}

// Makes the self-tests one after the other; returns what the last one has to say of the record.
std::vector<std::string> record_all(const std::string &path,
                                    const std::vector<SelftestResult> &results)
{
    std::vector<std::string> notes;
    for (const SelftestResult &result : results) {
        RecordUpdate update = update_record(path, result);
        write_file(path, update.record.dump(2) + "\n");
        notes = update.notes;
    }
    return notes;
}

std::optional<Rate> allowed_by(const std::string &path, const CoverWanted &what)
{
    const SelftestCover cover = look_up_cover(path, setup(), what);
    return cover.covers() ? cover.allowed : std::nullopt;
}

const std::string monday = "2026-11-23T10:00:00Z";
const std::string tuesday = "2026-11-24T10:00:00Z";

} // namespace

TEST_CASE("the first self-test is the record, and nothing is to be said")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("record");
    for (const SelftestResult &first : {passed_at(500, monday), failed_at(500, monday)}) {
        const RecordUpdate update = update_record(path, first);
        CHECK(update.record == to_json(first));
        CHECK(update.notes.empty());
    }
    write_file(path, "");
    CHECK(update_record(path, passed_at(500, monday)).notes.empty());
}

TEST_CASE("a self-test at a lower rate leaves the record that allows more")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("record");
    const auto notes = record_all(path, {passed_at(100'000, monday), passed_at(1000, tuesday)});
    CHECK(read_file(path) == to_json(passed_at(100'000, monday)).dump(2) + "\n");
    REQUIRE(notes.size() == 2);
    CHECK(notes[0] == "keeps the self-test of " + monday +
                          " (dnsgauge selftest --rate 100000), which allows 100000 queries/s");
    CHECK_THAT(notes[1], Contains("does not change"));

    SelftestResult told = passed_at(1000, tuesday);
    told.record = path;
    told.record_notes = notes;
    CHECK_THAT(to_text(told), Contains(path + "\n") && Contains("the record " + notes[0] + "\n"));
    CHECK(to_json(told)["record_notes"] == notes);
}

TEST_CASE("a self-test that allows as much or more takes the record's place, and says of which")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("record");
    const auto notes = record_all(path, {passed_at(1000, monday), passed_at(1000, tuesday)});
    CHECK(read_file(path) == to_json(passed_at(1000, tuesday)).dump(2) + "\n");
    CHECK(notes == std::vector<std::string>{"has this one in place of the self-test of " + monday +
                                            " (dnsgauge selftest --rate 1000), which allowed 1000 "
                                            "queries/s"});
}

TEST_CASE("a self-test that failed takes away what it refutes, and nothing else")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("record");
    SelftestResult failed = failed_at(50'000, tuesday);
    SECTION("above what the record allows")
    {
        CHECK_THAT(record_all(path, {passed_at(40'000, monday), failed}).front(),
                   Contains("keeps the self-test of " + monday));
        CHECK(allowed_by(path, wanted) == Rate{40'000});
    }
    SECTION("within what it allows")
    {
        CHECK_THAT(record_all(path, {passed_at(50'000, monday), failed}).front(),
                   Contains("no longer has the self-test of " + monday) &&
                       Contains("failed at 110000 queries/s") && Contains("kept 110000"));
        CHECK_FALSE(allowed_by(path, wanted));
        CHECK_THAT(look_up_cover(path, setup(), wanted).why_not, Contains("not passed: 3 lost"));
    }
    SECTION("what failed before has nothing to say any more")
    {
        CHECK(record_all(path, {failed, passed_at(10, monday)}).empty());
        CHECK(read_file(path) == to_json(passed_at(10, monday)).dump(2) + "\n");
    }
    SECTION("under stricter terms it says nothing of laxer ones")
    {
        SelftestResult lax = passed_at(50'000, monday);
        SECTION("of the timeout")
        {
            lax.timeout = 1s;
        }
        SECTION("of the trials' duration")
        {
            lax.duration = 1s;
        }
        SECTION("of lateness")
        {
            lax.max_lateness = 1s;
        }
        SECTION("of overrun")
        {
            lax.max_overrun = 1s;
        }
        SECTION("of failed trials")
        {
            lax.confirm = 1;
        }
        CHECK_THAT(record_all(path, {lax, failed}).front(), Contains("keeps"));
    }
    SECTION("under laxer terms it says all the more")
    {
        failed.timeout = 1s;
        failed.duration = 1s;
        failed.confirm = 1;
        record_all(path, {passed_at(50'000, monday), failed});
        CHECK_FALSE(allowed_by(path, wanted));
    }
}

TEST_CASE("self-tests of which each covers what no other does are all kept")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("record");
    SelftestResult quick = passed_at(100'000, tuesday);
    quick.duration = 1s;
    quick.caveats.deviations = {"trials of 1 s, not 60 s"};
    CoverWanted brief = wanted;
    brief.duration = 1s;
    const bool is_quick_first = GENERATE(false, true);
    if (is_quick_first)
        record_all(path, {quick, passed_at(1000, monday)});
    else
        CHECK_THAT(record_all(path, {passed_at(1000, monday), quick}).front(),
                   Contains("keeps the self-test of " + monday));
    CHECK(allowed_by(path, wanted) == Rate{1000});
    // Where both self-tests cover, the one that complies with RFC 8219 is better.
    CHECK(allowed_by(path, brief) == Rate{1000});
    brief.rate = Rate{1001};
    CHECK(allowed_by(path, brief) == Rate{100'000});
    brief.rate = Rate{100'001};
    CHECK_THAT(look_up_cover(path, setup(), brief).why_not,
               Contains("the self-test of " + tuesday + " on this set-up (" + path +
                        ") allows 100000 queries/s, not 100001; the self-test of " + monday +
                        " allows 1000 queries/s, not 100001"));
    // A self-test that is better at everything replaces both.
    record_all(path, {passed_at(200'000, tuesday)});
    CHECK(read_file(path) == to_json(passed_at(200'000, tuesday)).dump(2) + "\n");
}

TEST_CASE("where no self-test covers, the best one that covers slower trials is told")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("record");
    SelftestResult quick = passed_at(100'000, tuesday);
    quick.duration = 1s;
    record_all(path, {passed_at(1000, monday), quick});
    CoverWanted fast = wanted;
    fast.rate = Rate{2000};
    const SelftestCover slower = look_up_cover(path, setup(), fast);
    CHECK(!slower.covers());
    CHECK(slower.allowed == Rate{1000});
    CHECK(slower.finished == monday);
    fast.duration = 120s;
    const SelftestCover none = look_up_cover(path, setup(), fast);
    CHECK(!none.covers());
    CHECK(none.allowed == Rate{100'000});
}

TEST_CASE("what came to another mode of XDP than this self-test holds no more")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("record");
    SelftestResult generic = passed_at(10, tuesday);
    generic.circumstances.modes["xdp_mode"] = "generic";
    CHECK_THAT(record_all(path, {passed_at(1000, monday), generic}).front(),
               Contains("it used XDP native and AF_XDP copy, this one XDP generic and AF_XDP "
                        "copy"));
    CHECK_FALSE(allowed_by(path, wanted));
}

TEST_CASE("a record of several Testers has the modes of each, and other modes of any refute it")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("record");
    const auto of_two = [](std::uint64_t rate, const std::string &finished, const char *af_xdp) {
        SelftestResult result = passed_at(rate, finished);
        result.other_circumstances = {result.circumstances};
        result.other_circumstances.front().modes["af_xdp_mode"] = af_xdp;
        return result;
    };
    record_all(path, {of_two(1000, monday, "zero-copy")});
    CHECK(
        look_up_cover(path, setup(), wanted).modes ==
        std::vector<std::string>{"XDP native and AF_XDP copy", "XDP native and AF_XDP zero-copy"});
    CHECK_THAT(record_all(path, {of_two(10, tuesday, "copy")}).front(),
               Contains("it used XDP native and AF_XDP zero-copy, this one XDP native and AF_XDP "
                        "copy, of Tester 1"));
    CHECK_FALSE(allowed_by(path, wanted));
    CHECK_THAT(record_all(path, {passed_at(5, tuesday)}).front(),
               Contains("does not tell the modes of each Tester"));
}

TEST_CASE("what is no record of this set-up is replaced, and that is said")
{
    const ScratchDirectory scratch;
    const std::string path = scratch.file("record");
    SelftestResult other = passed_at(100'000, monday);
    other.setup.is_ipv6 = true;
    record_all(path, {other});
    CHECK_THAT(record_all(path, {passed_at(10, tuesday)}).front(),
               Contains("is replaced") &&
                   Contains("another set-up: ip_version was 6, now it is 4"));
    for (const char *text : {"Dear Sir or Madam", "[]", "7", R"({"schema": "dnsgauge/trial/1"})",
                             R"({"schema": "dnsgauge/selftest/1"})"}) {
        CAPTURE(text);
        write_file(path, text);
        CHECK_THAT(record_all(path, {passed_at(10, tuesday)}).front(), Contains("is replaced"));
        CHECK(read_file(path) == to_json(passed_at(10, tuesday)).dump(2) + "\n");
    }
}

TEST_CASE("the latest walk gives the best placement, until another walk")
{
    const ScratchDirectory scratch;
    setenv("DNSGAUGE_STATE", scratch.path().c_str(), 1);
    std::optional<unsigned> queue;
    const auto record = [&queue](unsigned cpu, const char *finished, bool walked) {
        SelftestResult result = passed();
        result.setup.sender_cpus = {cpu};
        if (queue)
            result.setup.options.front().second = std::vector<unsigned>{*queue};
        result.finished = finished;
        if (walked)
            result.placements = PlacementWalk{
                .finished = finished,
                .repeat = 5,
                .stages = {{.part = "sender",
                            .walked = {{.sender_cpu = cpu, .rates = {1, 2}}},
                            .found = std::string("found CPU ") + std::to_string(cpu) + " best"},
                           {.part = "transmit queue",
                            .walked = {{.sender_cpu = cpu, .rates = {1, 2}},
                                       {.sender_cpu = cpu, .sender_queue = 5, .rates = {1, 2}}},
                            .found = "found none better"},
                           {.part = "receiving queues",
                            .walked = {{.sender_cpu = cpu, .sender_queue = queue, .rates = {1, 2}},
                                       {.sender_cpu = cpu,
                                        .sender_queue = queue,
                                        .settings = {{"irq-cpus", "7"}},
                                        .rates = {3, 4}}},
                            .best = 1,
                            .found = "found interrupts on CPU 7 best"}},
                .not_walked = {}};
        const std::string path = record_path(result.setup);
        write_file(path, update_record(path, result).record.dump(2) + "\n");
    };
    const std::vector<unsigned> all = {2, 3, 4};
    CHECK_FALSE(found_placement(setup(), all));
    record(3, "2026-11-21T15:00:00Z", true);
    record(2, "2026-11-21T14:00:00Z", true);
    record(4, "2026-11-21T16:00:00Z", false);
    std::optional<FoundPlacement> found = found_placement(setup(), all);
    REQUIRE(found);
    CHECK(found->sender_cpu == 3);
    CHECK_FALSE(found->sender_queue);
    CHECK(found->sender_found == "found CPU 3 best");
    CHECK(found->queue_found == "found none better");
    CHECK(found->settings == std::map<std::string, std::string>{{"irq-cpus", "7"}});
    CHECK(found->settings_found == "found interrupts on CPU 7 best");
    record(3, "2026-11-21T17:00:00Z", false);
    found = found_placement(setup(), all);
    REQUIRE(found);
    CHECK(found->finished == "2026-11-21T15:00:00Z");
    TesterSetup other = setup();
    other.mtu = 9000;
    CHECK_FALSE(found_placement(other, all));
    queue = 5;
    record(2, "2026-11-21T18:00:00Z", true);
    found = found_placement(setup(), all);
    REQUIRE(found);
    CHECK(found->sender_queue == 5U);
    // It is found whatever queue the trials would have otherwise, and on this set-up alone.
    other = setup();
    other.options.front().second = std::vector<unsigned>{0};
    found = found_placement(other, all);
    REQUIRE(found);
    CHECK(found->sender_queue == 5U);
    other.transmit_queues = 8;
    CHECK_FALSE(found_placement(other, all));
    found = found_placement(setup(), {3, 4});
    REQUIRE(found);
    CHECK(found->sender_cpu == 3);
    CHECK_FALSE(found->sender_queue);
    // A walk that finds the usual queue best takes the place of one that did not.
    queue.reset();
    record(2, "2026-11-21T19:00:00Z", true);
    found = found_placement(setup(), all);
    REQUIRE(found);
    CHECK_FALSE(found->sender_queue);
    unsetenv("DNSGAUGE_STATE");
}

TEST_CASE("a self-test over TCP, which used no XDP, is recorded, and covers what has no XDP either")
{
    const ScratchDirectory scratch;
    SelftestResult over_tcp = passed();
    over_tcp.circumstances.modes.clear();
    over_tcp.setup.options.insert(over_tcp.setup.options.end(),
                                  {{"transport", "tcp"},
                                   {"connections", std::uint64_t{5}},
                                   {"queries_per_connection", std::uint64_t{0}}});
    const std::string path = scratch.file("record");
    write_file(path, update_record(path, over_tcp).record.dump(2) + "\n");
    const SelftestCover cover = look_up_cover(path, over_tcp.setup, wanted);
    CHECK(cover.covers());
    CHECK(cover.modes == std::vector<std::string>{""});
    CHECK(update_record(path, over_tcp).notes.size() == 1);
    CHECK_THAT(to_text(over_tcp), Contains("CPU , TCP, connections of each sender at once: 5\n"));
    over_tcp.setup.options.back().second = std::uint64_t{7};
    CHECK_FALSE(look_up_cover(path, over_tcp.setup, wanted).covers());
    CHECK_THAT(to_text(over_tcp), Contains("at once: 5, queries of each at most: 7\n"));
}
