// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The metrics of fakedns for Prometheus, and their histogram.
#include "base/rate_limiter.h"
#include "server/counters.h"

#include <catch2/catch.hpp>

#include <netinet/in.h>

#include <cstring>
#include <regex>
#include <set>
#include <sstream>

using namespace dnsgauge;

namespace
{

bool has_line(const std::string &text, const std::string &line)
{
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

ServerCounters some_counters()
{
    ServerCounters counters;
    counters.queues = {{"d0", 0, {}}, {"d0", 1, {}}};
    counters.programs = {{"d0", true}, {"d1", false}};
    counters.queues[1].counters.add(ANSWER_NXDOMAIN, FAKEDNS_TYPE_AAAA, 7);
    counters.queues[1].counters.add(FAKEDNS_PASSED, FAKEDNS_TYPE_OTHER, 3);
    counters.udp.add(FAKEDNS_LIMITED, FAKEDNS_TYPE_OTHER, 2);
    counters.tcp.add(ANSWER_A, FAKEDNS_TYPE_A, 5);
    counters.https.add(ANSWER_NXDOMAIN, FAKEDNS_TYPE_A, 6);
    counters.https_handshakes.resumed = 4;
    counters.quic.add(ANSWER_A, FAKEDNS_TYPE_A, 8);
    counters.quic_handshakes.full = 9;
    counters.xdp_times.add(127, 2);
    counters.xdp_times.add(128, 1);
    counters.udp_times.add(100'000'000'000, 1);
    return counters;
}

} // namespace

TEST_CASE("metrics say what was counted")
{
    const std::string text = metrics_text(some_counters());
    CHECK(has_line(text, "fakedns_answers_total{path=\"xdp\",transport=\"udp\",interface=\"d0\","
                         "queue=\"1\",type=\"AAAA\",rcode=\"NXDOMAIN\"} 7"));
    CHECK(has_line(text, "fakedns_answers_total{path=\"socket\",transport=\"tcp\",type=\"A\","
                         "rcode=\"NOERROR\"} 5"));
    CHECK(has_line(text, "fakedns_answers_total{path=\"socket\",transport=\"https\",type=\"A\","
                         "rcode=\"NXDOMAIN\"} 6"));
    CHECK(has_line(text, "fakedns_answers_total{path=\"socket\",transport=\"quic\",type=\"A\","
                         "rcode=\"NOERROR\"} 8"));
    CHECK(has_line(text, "fakedns_tls_handshakes_total{transport=\"https\",how=\"resumed\"} 4"));
    CHECK(has_line(text, "fakedns_tls_handshakes_total{transport=\"quic\",how=\"full\"} 9"));
    CHECK(has_line(
        text, "fakedns_answers_by_kind_total{path=\"xdp\",transport=\"udp\",kind=\"NXDOMAIN\"} 7"));
    CHECK(
        has_line(text, "fakedns_packets_total{path=\"xdp\",transport=\"udp\",fate=\"passed\"} 3"));
    CHECK(has_line(text,
                   "fakedns_packets_total{path=\"socket\",transport=\"udp\",fate=\"limited\"} 2"));
}

TEST_CASE("metrics say from which interface the kernel program was detached")
{
    const std::string text = metrics_text(some_counters());
    CHECK(has_line(text, "fakedns_xdp_attached{interface=\"d0\"} 1"));
    CHECK(has_line(text, "fakedns_xdp_attached{interface=\"d1\"} 0"));
}

TEST_CASE("a duration is in the buckets from its own on")
{
    const std::string text = metrics_text(some_counters());
    const std::string xdp = "{path=\"xdp\",transport=\"udp\"";
    CHECK(has_line(text, "fakedns_query_seconds_bucket" + xdp + ",le=\"0.000000063\"} 0"));
    CHECK(has_line(text, "fakedns_query_seconds_bucket" + xdp + ",le=\"0.000000127\"} 2"));
    CHECK(has_line(text, "fakedns_query_seconds_bucket" + xdp + ",le=\"0.000000255\"} 3"));
    CHECK(has_line(text, "fakedns_query_seconds_bucket" + xdp + ",le=\"+Inf\"} 3"));
    CHECK(has_line(text, "fakedns_query_seconds_count" + xdp + "} 3"));
    CHECK(has_line(text, "fakedns_query_seconds_sum" + xdp + "} 0.000000382"));
    // This is longer than the last bucket's limit.
    const std::string udp = "{path=\"socket\",transport=\"udp\"";
    CHECK(has_line(text, "fakedns_query_seconds_bucket" + udp + ",le=\"1.073741823\"} 0"));
    CHECK(has_line(text, "fakedns_query_seconds_bucket" + udp + ",le=\"+Inf\"} 1"));
}

TEST_CASE("every line is a sample or a comment, and no sample comes twice")
{
    const std::regex sample("[a-z_]+\\{([a-z]+=\"[^\"]*\",?)+\\} [0-9.]+");
    std::istringstream lines(metrics_text(some_counters()));
    std::set<std::string> names;
    for (std::string line; std::getline(lines, line);) {
        CAPTURE(line);
        if (line.starts_with("# "))
            continue;
        CHECK(std::regex_match(line, sample));
        CHECK(names.insert(line.substr(0, line.rfind(' '))).second);
    }
    CHECK(names.size() > 100);
}

TEST_CASE("the sockets' limit is each network's own")
{
    const auto client = [](std::uint32_t address) {
        sockaddr_in ipv4{};
        ipv4.sin_family = AF_INET;
        ipv4.sin_addr.s_addr = htonl(address);
        sockaddr_storage storage{};
        std::memcpy(&storage, &ipv4, sizeof(ipv4));
        return storage;
    };
    RateLimiter limiter;
    for (int i = 0; i < 1000; i++)
        REQUIRE(limiter.may_answer(client(0xc0000201), 1));
    limiter.set(2);
    CHECK(limiter.may_answer(client(0xc0000201), 10 * TOKEN_BUCKET_SECOND));
    CHECK(limiter.may_answer(client(0xc0000202), 10 * TOKEN_BUCKET_SECOND));
    CHECK_FALSE(limiter.may_answer(client(0xc0000203), 10 * TOKEN_BUCKET_SECOND));
    CHECK(limiter.may_answer(client(0xc0000301), 10 * TOKEN_BUCKET_SECOND));
    for (std::uint32_t network = 0; network < 70'000; network++)
        REQUIRE(limiter.may_answer(client(network << 8), 10 * TOKEN_BUCKET_SECOND));
}
