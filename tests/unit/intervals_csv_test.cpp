// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/trial_text.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace dnsgauge;
using namespace std::chrono_literals;

namespace
{

std::vector<std::string> split(const std::string &text, char separator)
{
    std::vector<std::string> parts;
    std::string::size_type at = 0;
    for (auto end = text.find(separator); end != std::string::npos;
         end = text.find(separator, at)) {
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    parts.push_back(text.substr(at));
    return parts;
}

} // namespace

TEST_CASE("an interval is a line with a cell for each head")
{
    TrialResult result;
    IntervalSummary interval;
    interval.since = 250ms;
    interval.queries = {.sent = 10, .valid = 6, .late = 1, .lost = 2, .invalid = {}};
    interval.queries.invalid.truncated = 1;
    interval.rcodes[3] = 8;
    result.intervals.push_back(interval);
    interval.rtt = {.count = 6, .min = 1, .mean = 2.5, .p50 = 2, .p90 = 3, .p99 = 4, .max = 6};
    result.intervals.push_back(interval);
    std::string csv = intervals_csv(result);
    std::erase(csv, '\r');
    const std::vector<std::string> lines = split(csv, '\n');
    REQUIRE(lines.size() == 4); // the last one is empty
    const std::vector<std::string> heads = split(lines[0], ',');
    const auto cell = [&](std::size_t line, const std::string &head) {
        const auto cells = split(lines[line], ',');
        REQUIRE(cells.size() == heads.size());
        const auto at = std::ranges::find(heads, head);
        REQUIRE(at != heads.end());
        return cells[static_cast<std::size_t>(at - heads.begin())];
    };
    CHECK(cell(1, "since_s") == "0.25");
    CHECK(cell(1, "sent") == "10");
    CHECK(cell(1, "invalid") == "1");
    CHECK(cell(1, "invalid_truncated") == "1");
    CHECK(cell(1, "invalid_rcode") == "0");
    CHECK(cell(1, "rcode_NXDOMAIN") == "8");
    CHECK(cell(1, "rtt_p50_ns").empty());
    CHECK(cell(1, "rtt_mean_ns").empty());
    CHECK(cell(2, "rtt_p50_ns") == "2");
    CHECK(cell(2, "rtt_mean_ns") == "2.5");
}
