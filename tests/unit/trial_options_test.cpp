// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "options/option_error.h"
#include "options/options_json.h"
#include "streams/stream_engine.h"
#include "trial/trial_options.h"
#include "xdp/xdp_options.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

using namespace dnsgauge;
using Catch::Contains;

namespace
{

using Given = std::vector<GivenOption>;

Options options_of(TrialPlan &plan)
{
    Options options = trial_options(plan);
    append(options, replay_options(plan));
    return options;
}

// Returns the plan that these options make of the defaults, of which tests need no more.
TrialPlan plan_of(Given given)
{
    given.push_back({"interface", "g0"});
    given.push_back({"server", "192.0.2.1"});
    TrialPlan plan = usual_plan();
    read_options(options_of(plan), given);
    complete(plan);
    return plan;
}

// Checks that the options make the same plan in every order, and returns it.
TrialPlan plan_in_any_order(Given given)
{
    const auto by_name = [](const GivenOption &one, const GivenOption &other) {
        return one.option < other.option;
    };
    TrialPlan first = plan_of(given);
    const nlohmann::ordered_json journal = journal_options(options_of(first));
    std::ranges::sort(given, by_name);
    do {
        TrialPlan plan = plan_of(given);
        REQUIRE(journal_options(options_of(plan)) == journal);
        REQUIRE(plan.workload.index() == first.workload.index());
    } while (std::ranges::next_permutation(given, by_name).found);
    return first;
}

} // namespace

TEST_CASE("options say which workload a trial has, in any order")
{
    const TrialPlan names = plan_in_any_order(
        {{"names", "10.0.0.0/8"}, {"edns-size", "1232"}, {"dnssec-ok", ""}, {"qtype", "A"}});
    CHECK(std::get<NamesWorkload>(names.workload).qtype == DNS_TYPE_A);
    CHECK(std::get<NamesWorkload>(names.workload).dnssec_ok);

    const TrialPlan mix = plan_in_any_order({{"names", "10.0.0.0/8"},
                                             {"do", "50"},
                                             {"edns-options", "nsid"},
                                             {"recursion-desired", ""},
                                             {"letter-case", "exact"}});
    CHECK(std::get<MixWorkload>(mix.workload).with_do == 50);
    CHECK(std::get<MixWorkload>(mix.workload).recursion_desired);
    CHECK(std::get<MixWorkload>(mix.workload).edns.text == "nsid");

    const TrialPlan list = plan_in_any_order({{"queries", "file"},
                                              {"shuffle", "7"},
                                              {"expect", "answered"},
                                              {"edns-options", "nsid"},
                                              {"recursion-desired", ""}});
    CHECK(std::get<ListWorkload>(list.workload).file == "file");
    CHECK(std::get<ListWorkload>(list.workload).shuffle_seed == 7);
    CHECK(std::get<ListWorkload>(list.workload).recursion_desired);

    const TrialPlan captures = plan_in_any_order({{"capture", "file"},
                                                  {"expect", "captured"},
                                                  {"edns-options", "subnet=client"},
                                                  {"mix-case", "3"},
                                                  {"speed", "2"}});
    CHECK(std::get<CaptureWorkload>(captures.workload).speed == 2);
    CHECK(std::get<CaptureWorkload>(captures.workload).edns.client_subnet);
    CHECK(letters_of(captures.workload).letter_case == LetterCase::exact);
}

TEST_CASE("a mix without shares is no mix")
{
    const TrialPlan plan = plan_of({{"names", "10.0.0.0/8"}, {"do", "0"}, {"nxdomain", "0"}});
    CHECK(std::holds_alternative<NamesWorkload>(plan.workload));
}

TEST_CASE("a journal has the defaults of options that belong to other workloads")
{
    TrialPlan list = plan_of({{"queries", "file"}});
    const nlohmann::ordered_json of_list = journal_options(options_of(list));
    CHECK(of_list["queries"] == "file");
    CHECK(of_list["names"].is_null());
    CHECK(of_list["zone"] == "dns64perf.test");
    CHECK(of_list["name-order"] == "ascending");
    CHECK(of_list["qtype"] == "AAAA");
    CHECK(of_list["answer-prefix"] == "2001:db8::/96");
    CHECK(of_list["aaaa-prefix"] == "2001:db8::/96");
    CHECK(of_list["speed"] == 1);
    TrialPlan names = plan_of({{"names", "10.0.0.0/8"}});
    const nlohmann::ordered_json of_names = journal_options(options_of(names));
    CHECK(of_names["queries"].is_null());
    CHECK(of_names["expect"].is_null());
    CHECK(of_names["do"] == 0);
}

TEST_CASE("an option of another workload is refused, by what it belongs to")
{
    const Given names{{"names", "10.0.0.0/8"}};
    const Given list{{"queries", "file"}};
    const Given capture{{"capture", "file"}};
    const auto refused = [](Given given, const GivenOption &more) -> std::string {
        given.push_back(more);
        try {
            static_cast<void>(plan_of(given));
        } catch (const OptionError &error) {
            CHECK(std::ranges::find(error.options(), more.option) != error.options().end());
            return error.what();
        }
        return {};
    };
    CHECK(refused(names, {"shuffle", "1"}) ==
          "--shuffle belongs to a list: give --queries, or leave --shuffle out");
    CHECK_THAT(refused(names, {"mix-case", "1"}), Contains("belongs to a list or a capture: give "
                                                           "--queries or --capture"));
    CHECK_THAT(refused(names, {"edns-options", "nsid"}),
               Contains("a list, a mix or a capture: give --queries, --types, --do"));
    CHECK_THAT(refused(names, {"clients", "10.0.0.0/8"}), Contains("belongs to a capture"));
    for (const char *option : {"zone", "name-order", "qtype", "answer", "answer-prefix",
                               "allow-repeats", "aaaa-share", "aaaa-prefix", "cached-share"}) {
        const std::string text = option == std::string("zone")             ? "a.test"
                                 : option == std::string("name-order")     ? "random"
                                 : option == std::string("qtype")          ? "A"
                                 : option == std::string("answer")         ? "any"
                                 : std::string(option).ends_with("prefix") ? "64:ff9b::/96"
                                 : std::string(option).ends_with("share")  ? "50"
                                                                           : "";
        CAPTURE(option);
        CHECK_THAT(refused(list, {option, text}), Contains("belongs to names: give --names"));
        CHECK_THAT(refused(capture, {option, text}), Contains("belongs to names: give --names"));
    }
    for (const char *option : {"recursion-desired", "dnssec-ok"})
        CHECK_THAT(refused(capture, {option, ""}), Contains("belongs to names or a list"));
    CHECK_THAT(refused(list, {"do", "50"}), Contains("--do excludes --queries"));
    CHECK_THAT(refused(list, {"speed", "2"}), Contains("--speed belongs to a capture"));
    CHECK_THAT(refused(list, {"names", "10.0.0.0/8"}), Contains("--queries excludes --names"));
    CHECK_THAT(refused(capture, {"queries", "file"}), Contains("--capture excludes --queries"));
    CHECK_THAT(refused(capture, {"shuffle", "1"}), Contains("--shuffle belongs to a list"));
    const Given mix{{"names", "10.0.0.0/8"}, {"do", "50"}};
    CHECK_THAT(refused(mix, {"aaaa-prefix", "64:ff9b::/96"}),
               Contains("--do excludes --aaaa-prefix: leave one of them out"));
    CHECK_THAT(refused(mix, {"queries", "file"}), Contains("--queries excludes --names"));
    for (const Given &given : {list, capture})
        CHECK_THAT(refused(given, {"signed", ""}), Contains("excludes"));
}

TEST_CASE("handshakes alone have no queries and no options of queries")
{
    const TrialPlan plan = plan_in_any_order({{"handshakes", ""}, {"transport", "dot"}});
    CHECK(std::holds_alternative<HandshakesWorkload>(plan.workload));
    CHECK(shared_connections(plan) == 0);
    CHECK(judged_by(plan).rules.empty());
    CHECK_THROWS_WITH(plan_of({{"handshakes", ""}}), Contains("belongs to --transport tcp or dot"));
    CHECK_THROWS_WITH(plan_of({{"handshakes", ""}, {"transport", "doq"}}),
                      Contains("belongs to --transport tcp or dot"));
    for (const auto &[option, text] : std::vector<std::pair<std::string, std::string>>{
             {"names", "10.0.0.0/8"}, {"connections", "5"}, {"queries", "file"}, {"do", "50"}})
        CHECK_THROWS_WITH(plan_of({{"handshakes", ""}, {"transport", "tcp"}, {option, text}}),
                          Contains("excludes"));
    CHECK_THROWS_WITH(plan_of({{"handshakes", ""}, {"transport", "tcp"}, {"qtype", "A"}}),
                      Contains("--qtype belongs to"));
}

TEST_CASE("options of one transport are refused over the other one")
{
    for (const auto &[option, text] :
         std::vector<std::pair<const char *, const char *>>{{"source-ports", "10"},
                                                            {"first-source-port", "2000"},
                                                            {"server-mac", "02:00:00:00:00:01"},
                                                            {"vlan", "7"},
                                                            {"sender-queues", "1"},
                                                            {"xdp-mode", "generic"},
                                                            {"af-xdp", "copy"},
                                                            {"busy-poll", ""},
                                                            {"hardware-timestamps", "off"}}) {
        CAPTURE(option);
        CHECK_NOTHROW(plan_of({{"names", "10.0.0.0/8"}, {option, text}}));
        CHECK_THROWS_WITH(
            plan_of({{"names", "10.0.0.0/8"}, {option, text}, {"transport", "tcp"}}),
            fmt::format("--{} belongs to --transport udp or capture: give that, or leave --{} out",
                        option, option));
    }
    CHECK_THROWS_WITH(plan_of({{"capture", "file"}, {"idle-timeout", "5"}}),
                      Contains("belongs to --transport tcp"));
    for (const char *option : {"connections", "queries-per-connection", "pipeline"})
        CHECK_THROWS_WITH(plan_of({{"names", "10.0.0.0/8"}, {option, "5"}}),
                          Contains("belongs to --transport tcp, dot, doh, doq or capture"));
    for (const auto &[option, text] : std::vector<std::pair<std::string, std::string>>{
             {"resumption", "ticket"}, {"tls-name", "dns.test"}, {"key-log", "keys"}})
        CHECK_THROWS_WITH(
            plan_of({{"names", "10.0.0.0/8"}, {option, text}, {"transport", "tcp"}}),
            fmt::format(
                "--{0} belongs to --transport dot, doh or doq: give that, or leave --{0} out",
                option));
    for (const auto &[option, text] : std::vector<std::pair<std::string, std::string>>{
             {"http-method", "get"}, {"doh-path", "/q"}})
        CHECK_THROWS_WITH(
            plan_of({{"names", "10.0.0.0/8"}, {option, text}, {"transport", "dot"}}),
            fmt::format("--{0} belongs to --transport doh: give that, or leave --{0} out", option));
    CHECK_THROWS_WITH(plan_of({{"names", "10.0.0.0/8"}, {"acks", "quick"}, {"transport", "doq"}}),
                      Contains("--acks belongs to --transport tcp, dot, doh or capture"));
    CHECK_THROWS_WITH(plan_of({{"names", "10.0.0.0/8"}, {"tls-ca", "file"}, {"transport", "dot"}}),
                      Contains("--tls-ca needs --tls-name"));
    const TrialPlan plan = plan_in_any_order({{"names", "10.0.0.0/8"},
                                              {"transport", "tcp"},
                                              {"connections", "5"},
                                              {"queries-per-connection", "3"},
                                              {"pipeline", "2"},
                                              {"acks", "delayed"}});
    CHECK(plan.transport == Transport::tcp);
    CHECK(plan.connections == 5);
    CHECK(plan.queries_per_connection == 3);
    CHECK(plan.pipeline == 2);
    CHECK(plan.server_port == 53);
    CHECK(plan.acks == Acks::delayed);
    CHECK(plan_of_one(plan, plan.workload).transport == Transport::tcp);
}

TEST_CASE("another transport, or other connections, make another set-up")
{
    TrialPlan plan = usual_plan();
    std::vector<std::vector<std::pair<std::string, OptionValue>>> setups;
    const auto add = [&] {
        setups.push_back(setup_values(tester_options(plan)));
        for (std::size_t i = 0; i + 1 < setups.size(); i++)
            CHECK(setups[i] != setups.back());
    };
    add();
    plan.transport = Transport::tcp;
    add();
    plan.connections = 5;
    add();
    plan.queries_per_connection = 3;
    add();
}

TEST_CASE("a trial over QUIC has its port, or is refused by a program without QUIC")
{
    const Given given{{"names", "10.0.0.0/8"}, {"transport", "doq"}, {"pipeline", "5"}};
    if (!speaks_quic()) {
        CHECK_THROWS_WITH(plan_of(given),
                          Contains("--transport doq") && Contains("libngtcp2 1.11"));
        return;
    }
    const TrialPlan plan = plan_of(given);
    CHECK(plan.transport == Transport::doq);
    CHECK(plan.server_port == 853);
    CHECK(plan.pipeline == 5);
}

TEST_CASE("a trial over TLS has its port and its options")
{
    const TrialPlan plan = plan_in_any_order({{"names", "10.0.0.0/8"},
                                              {"transport", "dot"},
                                              {"resumption", "ticket"},
                                              {"tls-name", "dns.test"},
                                              {"tls-ca", "root.pem"},
                                              {"key-log", "keys"}});
    CHECK(plan.transport == Transport::dot);
    CHECK(plan.server_port == 853);
    CHECK(plan.resumption == Resumption::ticket);
    CHECK(plan.tls_name == "dns.test");
    CHECK(plan.tls_ca == "root.pem");
    CHECK(plan.key_log == "keys");
    CHECK(plan_of_one(plan, plan.workload).tls_name == "dns.test");
    CHECK(plan_in_any_order({{"names", "10.0.0.0/8"}, {"transport", "dot"}, {"port", "53"}})
              .server_port == 53);
}

TEST_CASE("a trial over HTTPS has its port, its requests and the server's name in them")
{
    const Given given = {{"names", "10.0.0.0/8"}, {"transport", "doh"}};
    const auto with = [&](const Given &more) {
        Given all = given;
        all.insert(all.end(), more.begin(), more.end());
        return plan_in_any_order(all);
    };
    const TrialPlan plan = with({{"tls-name", "dns.test"}, {"pipeline", "2"}});
    CHECK(plan.server_port == 443);
    CHECK(plan.http_method == HttpMethod::post);
    CHECK(plan.doh_path == "/dns-query");
    CHECK(http_authority(plan) == "dns.test");
    const TrialPlan other = with({{"http-method", "get"}, {"doh-path", "/q"}, {"port", "8443"}});
    CHECK(other.http_method == HttpMethod::get);
    CHECK(other.doh_path == "/q");
    CHECK(http_authority(other) == to_string(other.server) + ":8443");
    TrialPlan ipv6 = with({});
    ipv6.server = parse_ip_address("2001:db8::1");
    CHECK(http_authority(ipv6) == "[2001:db8::1]");
    for (const char *path : {"", "dns-query", "/a b", "/a#b", "/\xc3\xa4"})
        CHECK_THROWS_WITH(with({{"doh-path", path}}), Contains("doh-path"));
}

TEST_CASE("a capture's clients have connections of their own over TCP, unless they share some")
{
    const Given captured = {{"capture", "file"}, {"transport", "tcp"}};
    const auto with = [&](const Given &more) {
        Given given = captured;
        given.insert(given.end(), more.begin(), more.end());
        return plan_in_any_order(given);
    };
    const TrialPlan own = with({{"clients", "10.0.0.0/8"}, {"idle-timeout", "0=40,10=60"}});
    CHECK(has_client_connections(own));
    CHECK(shared_connections(own) == 0);
    CHECK(to_string(own.idle_times) == "0=40,10=60");
    CHECK(to_string(with({}).idle_times) == "10");
    const TrialPlan shared = with({{"connections", "5"}});
    CHECK(!has_client_connections(shared));
    CHECK(shared_connections(shared) == 5);
    for (const auto &[option, text] : std::vector<std::pair<const char *, const char *>>{
             {"clients", "10.0.0.0/8"}, {"idle-timeout", "5"}})
        CHECK_THROWS_WITH(with({{"connections", "5"}, {option, text}}), Contains("--connections"));
    const TrialPlan names = plan_of({{"names", "10.0.0.0/8"}, {"transport", "tcp"}});
    CHECK(!has_client_connections(names));
    CHECK(shared_connections(names) == 10);
    CHECK_THROWS_WITH(
        plan_of({{"names", "10.0.0.0/8"}, {"transport", "tcp"}, {"idle-timeout", "5"}}),
        Contains("belongs to a capture"));
    CHECK(!has_client_connections(plan_of({{"capture", "file"}})));
}

TEST_CASE("a trial of one query has the same server and means, and nothing else of the trial")
{
    TrialPlan plan = plan_of({{"names", "10.0.0.0/8"},
                              {"vlan", "7"},
                              {"cpus", "1,2"},
                              {"timeout", "0.5"},
                              {"pace", "poisson=1"},
                              {"accept", "50"},
                              {"catch-up", "2"}});
    plan.interval = std::chrono::seconds(1);
    plan.per_query_file = "file";
    plan.rate = Rate{1000};
    const TrialPlan one = plan_of_one(plan, plan.workload);
    CHECK(one.interface == "g0");
    CHECK(one.server == plan.server);
    CHECK(xdp_options_in(one.engine_options).vlan == 7);
    CHECK(one.cpus == plan.cpus);
    CHECK(one.timeout == plan.timeout);
    CHECK(count_queries(one) == 1);
    CHECK_FALSE(one.pace);
    CHECK_FALSE(one.catch_up);
    CHECK_FALSE(one.interval);
    CHECK_FALSE(one.per_query_file);
    CHECK(one.accept_percent == 100);
}
