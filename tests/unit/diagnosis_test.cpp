// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/diagnosis.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace dnsgauge;
using Catch::Contains;
using Catch::EndsWith;

namespace
{

Diagnosis some_diagnosis()
{
    return {
        .interface = "eth1",
        .driver = "ice",
        .kernel = "6.1.0-18-amd64",
        .findings = {
            {"link", Severity::ok, true, "up", "nothing can be sent", ""},
            {"rings", Severity::warn, true, "receive 256", "bursts are lost", "ethtool -G eth1"},
            {"timestamps", Severity::note, false, "not reported", "RTTs", ""},
            {"threads", Severity::note, true, "off", "CPUs", "echo 1"},
        }};
}

} // namespace

TEST_CASE("the text has a line per finding, why it matters, and what mends it")
{
    CHECK(to_text(some_diagnosis()) ==
          "eth1 (ice), Linux 6.1.0-18-amd64\n"
          "ok    link             up\n"
          "warn  rings            receive 256\n"
          "                       why:  bursts are lost\n"
          "                       mend: ethtool -G eth1\n"
          "note  timestamps       not reported\n"
          "note  threads          off\n"
          "                       why:  CPUs\n"
          "                       or:   echo 1\n"
          "eth1: 0 fail, 1 warn, 2 note, 1 ok: a benchmark is possible, but this is not at its "
          "best\n");
}

TEST_CASE("the last line tells whether a benchmark can be")
{
    Diagnosis diagnosis = some_diagnosis();
    diagnosis.findings[1].severity = Severity::ok;
    CHECK_THAT(to_text(diagnosis), EndsWith("0 fail, 0 warn, 2 note, 2 ok: ready\n"));
    diagnosis.findings[0].severity = Severity::fail;
    CHECK_THAT(to_text(diagnosis),
               EndsWith("1 fail, 0 warn, 2 note, 1 ok: no benchmark is possible like this\n"));
    diagnosis.driver.clear();
    CHECK_THAT(to_text(diagnosis), Contains("eth1 (driver not known)"));
}

TEST_CASE("the object has every field of its schema")
{
    const auto json = written(some_diagnosis());
    CHECK(json.at("schema") == "dnsgauge/doctor/1");
    CHECK(json.at("interface") == "eth1");
    CHECK(json.at("driver") == "ice");
    CHECK(json.at("kernel") == "6.1.0-18-amd64");
    CHECK(json.at("counts").dump() == R"({"fail":0,"warn":1,"note":2,"ok":1})");
    REQUIRE(json.at("findings").size() == 4);
    CHECK(json.at("findings")[1].dump() ==
          R"({"topic":"rings","severity":"warn","known":true,"seen":"receive 256",)"
          R"("why":"bursts are lost","command":"ethtool -G eth1"})");
    CHECK(json.at("findings")[2].at("known") == false);
    CHECK(json.at("findings")[2].at("command").is_null());
}
