// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Tests the verifier's work. The verifier gives up at 1,000,000 instructions. The number of
// instructions that it looks at depends on its version, and on the program's configuration, which
// it knows. A program that is far below the limit on this kernel and on the oldest one (tests/vm)
// is accepted by other kernels, too.
#include "dns/fault_text.h"
#include "support/prog_run.h"
#include "support/program_configs.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

constexpr std::uint32_t absence_clock_budget = 10000;
constexpr std::uint32_t arrival_clock_budget = 10000;
constexpr std::uint32_t echo_budget = 250000;
constexpr std::uint32_t fakedns_budget = 250000;
constexpr std::uint32_t faulty_budget = 350000;
constexpr std::uint32_t all_options_budget = 600000;
constexpr std::uint32_t internet_budget = 10000;
constexpr std::uint32_t probe_budget = 10000;
constexpr std::uint32_t reply_clock_budget = 300000;

constexpr const char *longest_zone =
    "a-rather-long-label-of-a-zone.another-long-label-of-it.testin";

void check(const char *name, int program_fd, std::uint32_t budget)
{
    const std::uint32_t instructions = verified_instructions(program_fd);
    if (instructions == 0)
        WARN("this kernel does not tell");
    WARN("verified instructions of " << name << ": " << instructions);
    CHECK(instructions <= budget);
}

} // namespace

TEST_CASE("absence_clock is within its verifier budget")
{
    const AbsenceClockProgram program;
    check("absence_clock", program.fd(), absence_clock_budget);
}

TEST_CASE("arrival_clock is within its verifier budget")
{
    const ArrivalClockProgram program{{.first = 10U << 24U, .port = 53}, 1U << 22U};
    check("arrival_clock", program.fd(), arrival_clock_budget);
}

TEST_CASE("echo is within its verifier budget")
{
    const EchoProgram program{53};
    check("echo", program.fd(), echo_budget);
    check("echo_to_socket", program.to_socket_fd(), echo_budget);
}

TEST_CASE("fakedns is within its verifier budget")
{
    const std::string zone = GENERATE(as<std::string>{}, "dns64perf.test", "t", longest_zone);
    CAPTURE(zone);
    const FakednsProgram program{fakedns_test_config(zone)};
    check("fakedns", program.fd(), fakedns_budget);
}

TEST_CASE("fakedns with as many zones as it takes, a limit and timing is, too")
{
    fakedns_config config = fakedns_many_zones_config();
    config.time_every = 100;
    config.rate_interval_ns = 1000;
    const FakednsProgram program{config, true};
    check("fakedns with all options", program.fd(), all_options_budget);
}

TEST_CASE("fakedns with every fault is within its verifier budget")
{
    const std::string zone = GENERATE(as<std::string>{}, "dns64perf.test", "t", longest_zone);
    CAPTURE(zone);
    fault_config faults{};
    parse_faults("loss=5%,delay=5%:1ms,late=5%:3s,duplicate=5%,wrong-address=5%,wrong-question=5%,"
                 "wrong-id=5%,servfail=5%,truncated=5%,empty=5%,garbage=5%,wrong-owner=5%,"
                 "extra-record=5%,missing-record=5%,trailing-octets=5%,extended-rcode=5%,"
                 "not-authoritative=5%",
                 faults.plan);
    faults.plan.pad_to = 1232;
    faults.has_holder = 1;
    const FaultyProgram program{fakedns_test_config(zone), faults, true};
    check("fakedns_faulty", program.fd(), faulty_budget);
}

TEST_CASE("internet is within its verifier budget")
{
    const InternetProgram program{{.ipv4 = {}, .ipv6 = {}, .port = 53, .has_ipv6 = 1}};
    check("internet", program.fd(), internet_budget);
}

TEST_CASE("each program of the probe is within its verifier budget")
{
    const ProbePrograms programs;
    for (const auto &[name, fd] : programs.fds())
        check(name.c_str(), fd, probe_budget);
}

TEST_CASE("reply_clock is within its verifier budget")
{
    const std::string zone = GENERATE(as<std::string>{}, "dns64perf.test", "t", longest_zone);
    const bool is_ipv6 = GENERATE(false, true);
    const auto type = GENERATE(as<__u16>{}, DNS_TYPE_A, DNS_TYPE_AAAA);
    const auto aaaa_share = GENERATE(as<__u8>{}, 0, 50);
    CAPTURE(zone, is_ipv6, type, aaaa_share);
    reply_clock_config config = reply_clock_test_config(is_ipv6, zone);
    config.rule.type = type;
    config.rule.aaaa_share = aaaa_share;
    config.rule.aaaa_prefix = parse_pref64("2001:db8::/40");
    config.senders = 4; // a single sender needs one division less
    const ReplyClockProgram program{config};
    check("reply_clock", program.fd(), reply_clock_budget);
}

TEST_CASE("reply_clock that judges by the question is within its verifier budget")
{
    const bool is_ipv6 = GENERATE(false, true);
    const auto [has_clients, reads_data] =
        GENERATE(table<bool, bool>({{false, false}, {true, false}, {false, true}}));
    CAPTURE(is_ipv6, has_clients, reads_data);
    reply_clock_config config = reply_clock_test_config(is_ipv6);
    config.senders = 4; // one needs a division less
    config.has_clients = has_clients;
    config.id_bits = has_clients ? 14 : 0;
    config.reads_data = reads_data;
    const ReplyClockProgram program{config, Expects::question};
    check("reply_clock_questions", program.fd(), reply_clock_budget);
}
