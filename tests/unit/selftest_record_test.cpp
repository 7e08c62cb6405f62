// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/json.h"
#include "record/selftest_json.h"
#include "record/selftest_record.h"
#include "result/labels.h"
#include "support/scratch_directory.h"
#include "text/selftest_text.h"

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
    setup.xdp_mode = "auto";
    setup.af_xdp = "auto";
    setup.timestamps = "auto";
    setup.source_ports = 4000;
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
    result.circumstances.xdp_mode = "native";
    result.circumstances.af_xdp_mode = "copy";
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
    CHECK(cover.xdp_mode == "native");
    CHECK(cover.af_xdp_mode == "copy");
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
    result.deviations = {"a failed trial was tried again, up to 5 times"};
    const std::string path = write(scratch, result);
    const SelftestCover cover = look_up_cover(path, setup(), wanted);
    CHECK(cover.covers());
    CHECK(cover.deviations == result.deviations);
    CHECK(cover_text(cover) == "self-test of 2026-11-21T14:00:00Z: allows 1000 queries/s (" + path +
                                   "); itself not compliant with RFC 8219: a failed trial was "
                                   "tried again, up to 5 times");
    CHECK(cover_json(cover)["rfc8219"] ==
          Json{{"compliant", false}, {"deviations", result.deviations}});
    CHECK(cover_json(look_up_cover(write(scratch, passed()), setup(),
                                   wanted))["rfc8219"]["compliant"] == true);
    CHECK(cover_json(look_up_cover(scratch.file("none"), setup(), wanted))["rfc8219"].is_null());
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
        {"xdp_mode", [](TesterSetup &one) { one.xdp_mode = "generic"; }},
        {"af_xdp", [](TesterSetup &one) { one.af_xdp = "copy"; }},
        {"busy_poll", [](TesterSetup &one) { one.busy_poll = true; }},
        {"idle_cpus", [](TesterSetup &one) { one.idle_cpus = "sleep"; }},
        {"timestamps", [](TesterSetup &one) { one.timestamps = "on"; }},
        {"source_ports", [](TesterSetup &one) { one.source_ports = 1; }},
        {"vlan", [](TesterSetup &one) { one.vlan = 7; }},
        {"ip_version", [](TesterSetup &one) { one.is_ipv6 = true; }},
    };
    // None is forgotten here.
    CHECK(setup_json(setup()).size() == changes.size());

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
