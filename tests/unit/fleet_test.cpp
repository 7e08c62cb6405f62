// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/fleet.h"

#include "dns/query_mix.h"
#include "fleet/clock_readings.h"
#include "fleet/follower.h"
#include "fleet/leader.h"
#include "fleet/measurement_json.h"
#include "fleet/talk.h"
#include "fleet/tester_options.h"
#include "options/access.h"
#include "options/option_error.h"
#include "record/json.h"
#include "record/machine_fields.h"
#include "support/scratch_directory.h"
#include "support/some_capture.h"
#include "support/some_part.h"
#include "system/setup_error.h"
#include "trial/conclusion.h"
#include "trial/trial_options.h"
#include "workload/captured_queries.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using namespace std::chrono_literals;
using Catch::Contains;

namespace
{

// Messages between threads of this process.
class Hall
{
public:
    explicit Hall(std::uint32_t size) : size_(size) {}

    [[nodiscard]] std::uint32_t size() const { return size_; }
    void put(std::uint32_t from, std::uint32_t to, const std::string &text)
    {
        const std::lock_guard lock(mutex_);
        queues_[{from, to}].push_back(text);
        changed_.notify_all();
    }
    std::optional<std::string> take(std::uint32_t from, std::uint32_t to, Nanoseconds deadline)
    {
        std::unique_lock lock(mutex_);
        auto &queue = queues_[{from, to}];
        const std::chrono::steady_clock::time_point until(deadline);
        if (!changed_.wait_until(lock, until, [&queue] { return !queue.empty(); }))
            return std::nullopt;
        std::string text = queue.front();
        queue.pop_front();
        return text;
    }
    bool has(std::uint32_t from, std::uint32_t to)
    {
        const std::lock_guard lock(mutex_);
        return !queues_[{from, to}].empty();
    }

private:
    std::uint32_t size_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::deque<std::string>> queues_;
};

class Seat : public Channel
{
public:
    Seat(Hall &hall, std::uint32_t rank) : hall_(hall), rank_(rank) {}
    [[nodiscard]] std::uint32_t rank() const override { return rank_; }
    [[nodiscard]] std::uint32_t size() const override { return hall_.size(); }
    [[nodiscard]] bool send(std::uint32_t to, const std::string &text, Nanoseconds /*deadline*/,
                            Wait /*wait*/) override
    {
        hall_.put(rank_, to, text);
        return true;
    }
    [[nodiscard]] std::optional<std::string> receive(std::uint32_t from, Nanoseconds deadline,
                                                     Wait /*wait*/) override
    {
        return hall_.take(from, rank_, deadline);
    }
    [[nodiscard]] bool has_message(std::uint32_t from) override { return hall_.has(from, rank_); }

private:
    Hall &hall_;
    std::uint32_t rank_;
};

// Waits no longer for the answer to that ping, as though the time were over.
class HastySeat final : public Seat
{
public:
    HastySeat(Hall &hall, std::uint32_t rank, int ping) : Seat(hall, rank), ping_(ping) {}
    [[nodiscard]] std::optional<std::string> receive(std::uint32_t from, Nanoseconds deadline,
                                                     Wait wait) override
    {
        if (wait == Wait::spinning && --ping_ == 0)
            return std::nullopt;
        return Seat::receive(from, deadline, wait);
    }

private:
    int ping_;
};

const std::vector<std::string> command{"dnsgauge-mpi", "trial", "--interface", "g{rank}"};

// The set-up of a Tester, by two of its options.
TesterSetup setup_of(const TrialPlan &plan)
{
    if (plan.interface == "down")
        throw SetupError("interface down is down");
    TesterSetup setup;
    setup.version = "1.0";
    setup.host = "other";
    setup.link_mbps = 10'000;
    setup.interface = plan.interface;
    setup.sender_cpus = plan.cpus;
    TrialPlan values = plan;
    values.sender_queues = {1, 2};
    setup.options = setup_values(tester_options(values));
    return setup;
}

// Returns the thread of a Tester that makes its parts until it is sent home.
std::jthread follow(Channel &seat, ServerOf server_of = {})
{
    return std::jthread([&seat, server_of = std::move(server_of)] {
        const std::atomic<bool> never{false};
        Follower(seat, command, setup_of, server_of).serve(never);
    });
}

// Two Testers: this thread leads, and another one follows.
struct Pair {
    explicit Pair(TesterOptions options = {}) : leader(fleet, std::move(options)) {}

    Hall hall{2};
    Seat first{hall, 0};
    Seat second{hall, 1};
    std::jthread other = follow(second);
    Fleet fleet{first, command};
    Leader leader;
};

std::string words(const std::vector<GivenOption> &values)
{
    std::string text;
    for (const GivenOption &one : values)
        text += (text.empty() ? "" : " ") + one.option + "=" + one.text;
    return text;
}

// A command without --sender-queues.
Options own_options()
{
    Options options;
    for (const std::string &name : options_of_one_tester())
        if (name != "sender-queues")
            options.emplace_back(name, OptionAccess{},
                                 OptionForm{.is_required = name == "interface"});
    return options;
}

TesterOptions with_interfaces(const std::string &first, const std::string &second)
{
    return {.differing = {"interface"},
            .by_rank = {{{"interface", first}}, {{"interface", second}}}};
}

// The source address tells Testers apart.
Circumstances circumstances_of(std::uint32_t rank)
{
    std::mt19937 random(1);
    return some_part(random, rank, 2).measured->circumstances;
}

} // namespace

TEST_CASE("a part is the same on both sides of the channel")
{
    std::mt19937 random(3);
    TesterPart part = some_part(random, 0, 1, 7);
    part.measured->losses.interface_doubtful = 2;
    part.measured->losses.kinds.at(0).is_of_stall = true;
    part.measured->tally.replies.queries.rtts =
        RttTally(RttTally::Numbers{.count = 1, .squares_high = 5});
    part.measured->circumstances.command = command;
    part.measured->tally.lanes[0].stalls = {
        {.since = 400ms, .until = 520ms, .longest = 110ms, .burst = 120, .stalls = 1}};
    part.measured->tally.lanes[0].forgotten_stalls = 3;
    part.measured->tally.lanes[0].window = {.places = 5, .open = 4s, .ran = 1s};
    ConnectionTally &connections = part.measured->tally.lanes[0].connections;
    connections.counts = {.opened = 3, .lost_reset = 2, .unstamped = 1};
    connections.handshakes = RttTally(RttTally::Numbers{.count = 3, .min = 7});
    connections.waited = RttTally(RttTally::Numbers{.count = 2, .min = 9});
    connections.tls_full = RttTally(RttTally::Numbers{.count = 1, .min = 5});
    connections.tls_suites = {
        {.version = "TLSv1.3", .cipher = "a cipher", .alpn = "dot", .connections = 3}};
    connections.tls_failure = "a reason";
    connections.quic = {.datagrams_sent = 5, .cancelled = 2};
    part.measured->server_stalls = {
        {.who = Stalled::server, .since = 900ms, .until = 993ms, .longest = 80ms, .stalls = 2}};
    TesterPart copy = part;
    copy.measured = read_measurement(Message::parse(measurement_json(*part.measured).dump()));
    const auto result = [](const TesterPart &one) {
        return to_json(conclude(some_joint_plan(), {one}, 1));
    };
    CHECK(result(copy) == result(part));
    CHECK(result(copy)["stalls"]["server"]["lost"] == 7);
    CHECK(result(copy)["stalls"]["tester"]["largest_burst"] == 120);
    CHECK(result(copy)["stalls"]["forgotten"] == 3);
    CHECK(measurement_json(*copy.measured) == measurement_json(*part.measured));
    CHECK(copy.measured->losses.kinds.at(0).is_of_stall);
    const ConnectionTally &copied = copy.measured->tally.lanes[0].connections;
    CHECK(copied.counts == connections.counts);
    CHECK(copied.handshakes.summary().count == 3);
    CHECK(copied.waited.summary().count == 2);
    CHECK(copied.tls_full.summary().count == 1);
    CHECK(copied.tls_suites.at(0).connections == 3);
    CHECK(copied.tls_failure == "a reason");
    CHECK(copied.quic == connections.quic);
    const WindowTally &window = copy.measured->tally.lanes[0].window;
    CHECK(window.places == 5);
    CHECK(window.open == 4s);
    CHECK(window.ran == 1s);
    SECTION("faults are told")
    {
        RunFaults &faults = part.measured->faults;
        LaneTally &lane = part.measured->tally.lanes[0];
        bool *const all[] = {&faults.interrupted,
                             &faults.link_failed,
                             &faults.next_hop_moved,
                             &faults.not_counted,
                             &part.measured->tally.log_failed,
                             &lane.link_failed};
        for (bool *fault : all) {
            *fault = true;
            copy.measured = read_measurement(measurement_json(*part.measured));
            CHECK(result(copy)["why"] == result(part)["why"]);
            CHECK(result(copy)["verdict"] == "invalid");
            *fault = false;
        }
        part.measured->doubts = {"g0 was renamed"};
        copy.measured = read_measurement(measurement_json(*part.measured));
        CHECK(result(copy)["doubts"] == result(part)["doubts"]);
        CHECK(result(copy)["doubts"][0] == "g0 was renamed");
        lane.is_pinned = false;
        copy.measured = read_measurement(measurement_json(*part.measured));
        CHECK_THAT(result(copy)["why"].get<std::string>(), Contains("could not be pinned"));
    }
}

TEST_CASE("the shortest round trip tells a clock's offset, within its bound")
{
    std::mt19937_64 random(4);
    for (int turn = 0; turn < 1000; turn++) {
        const Nanoseconds truth(static_cast<std::int64_t>(random() % 2'000'000'000'000) -
                                1'000'000'000'000);
        std::vector<RoundTrip> trips;
        Nanoseconds now = 1h;
        Nanoseconds shortest = 1h;
        for (int i = 0; i < 20; i++) {
            const Nanoseconds there(1000 + random() % 1'000'000);
            const Nanoseconds back(1000 + random() % 1'000'000);
            trips.push_back(
                {.sent = now, .theirs = now + there + truth, .received = now + there + back});
            shortest = std::min(shortest, there + back);
            now += 1ms;
        }
        const ClockReading reading = reading_of(trips);
        const Nanoseconds error = reading.offset - truth;
        REQUIRE(std::chrono::abs(error) <= reading.bound);
        REQUIRE(reading.bound <= shortest / 2 + 2ns);
    }
}

TEST_CASE("what is left of a reading of clocks is taken for nothing else")
{
    Pair pair(with_interfaces("g0", "g1"));
    pair.hall.put(1, 0, "123456789");
    pair.hall.put(0, 1, "ping");
    CHECK(pair.leader.others(some_joint_plan()).size() == 1);
    CHECK(pair.fleet.dismiss());
}

TEST_CASE("a reading of a clock that is given up spoils nothing else")
{
    // The readings before the trial and after it have 64 pings each.
    const int given_up = GENERATE(3, 66);
    Hall hall(2);
    HastySeat first(hall, 0, given_up);
    std::jthread other([&] {
        Seat seat(hall, 1);
        Follower follower(seat, command, setup_of);
        static_cast<void>(hear(seat, 0, after(5s)));
        follower.join(1);
        std::mt19937 random(1);
        const auto trial = follower.begin(some_joint_plan(), 1);
        trial->get_ready({circumstances_of(1), {}});
        static_cast<void>(trial->common_start());
        static_cast<void>(trial->exchange(*some_part(random, 1, 2).measured));
    });
    Fleet fleet(first, command);
    Leader leader(fleet);
    const auto trial = leader.begin(some_joint_plan(), 1);
    trial->get_ready({circumstances_of(0), {}});
    static_cast<void>(trial->common_start());
    std::mt19937 random(9);
    const auto parts = trial->exchange(*some_part(random, 0, 2).measured);
    CHECK(fleet.dismiss());
    REQUIRE(parts.size() == 2);
    CHECK(parts[1].measured);
    const ClockComparison &clock = parts[1].clock;
    CHECK(std::chrono::abs(clock.before.offset) <= clock.before.bound);
    REQUIRE(clock.after.has_value());
    CHECK(std::chrono::abs(clock.after->offset) <= clock.after->bound);
}

TEST_CASE("all Testers of a trial order its names by one key, which each trial draws anew")
{
    const auto key_of = [](const Shares &shares) { return packed(shares.order).dump(); };
    Hall hall(2);
    Seat first(hall, 0);
    std::string seen;
    std::jthread other([&] {
        Seat seat(hall, 1);
        Follower follower(seat, command, setup_of);
        static_cast<void>(hear(seat, 0, after(5s))); // to prepare
        follower.join(1);
        const Shares shares = follower.begin(some_joint_plan(), 1)->shares();
        seen = key_of(shares);
        CHECK(shares.first == 1);
        CHECK(shares.all == 2);
    });
    Fleet fleet(first, command);
    Leader leader(fleet);
    const std::string own = key_of(leader.begin(some_joint_plan(), 1)->shares());
    other.join();
    CHECK(seen == own);
    CHECK(own != key_of(make_alone(1)->shares()));
    CHECK(key_of(make_alone(1)->shares()) != key_of(make_alone(1)->shares()));
}

TEST_CASE("a Tester that is told to stop before its clock is read answers pings, and no order")
{
    Hall hall(2);
    Seat first(hall, 0);
    std::jthread other([&] {
        Seat seat(hall, 1);
        Follower follower(seat, command, setup_of);
        std::mt19937 random(1);
        const auto trial = follower.begin(some_joint_plan(), 1);
        trial->get_ready({circumstances_of(1), {}});
        static_cast<void>(trial->common_start());
        static_cast<void>(trial->exchange(*some_part(random, 1, 2).measured));
    });
    const auto tell = [&](Order order, const Message &with = {}) {
        REQUIRE(say_to(first, 1, packed(Told{.order = order, .with = with}), after(5s)));
    };
    const auto answered = [&] {
        return unpacked<Answered>(hear(first, 1, after(5s)).value()).order;
    };
    REQUIRE(hear(first, 1, after(5s))); // who it is
    tell(Order::share, packed(Shares{.first = 1, .all = 2}));
    CHECK(answered() == Order::prepare);
    CHECK(answered() == Order::share);
    tell(Order::pings);
    CHECK(answered() == Order::pings);
    REQUIRE(read_clock(first, 1));
    tell(Order::start, 0);
    tell(Order::pings);
    tell(Order::stop);
    CHECK(answered() == Order::pings);
    const std::optional<ClockReading> reading = read_clock(first, 1);
    REQUIRE(reading);
    CHECK(std::chrono::abs(reading->offset) <= reading->bound);
    tell(Order::part);
    CHECK(answered() == Order::part);
    other.join();
    CHECK_FALSE(hall.has(1, 0));
}

TEST_CASE("{rank} is the Tester's number, in values that may differ")
{
    const std::vector<GivenOption> given{
        {"interface", "g{rank}{rank}-{rank"}, {"rate", "1000"}, {"cpus", "{rank}"}};
    const TesterOptions testers = tester_options_by_rank(own_options(), given, {}, {"a", "a", "b"});
    CHECK(testers.differing == std::vector<std::string>{"interface", "cpus"});
    CHECK(words(testers.by_rank.at(2)) == "interface=g22-{rank rate=1000 cpus=2");
    CHECK_THROWS_WITH(tester_options_by_rank(own_options(), {{"rate", "{rank}000"}}, {}, {"a"}),
                      Contains("--rate {rank}000: all Testers have the same value there"));
}

TEST_CASE("a file has the values of each host")
{
    const ScratchDirectory scratch;
    const std::string file = scratch.file("hosts.toml");
    const std::vector<std::string> hosts{"a", "b.example", "a"};
    const auto own = [&](const std::string &text, const std::vector<GivenOption> &given) {
        write_file(file, text);
        return tester_options_by_rank(own_options(), given, read_hosts(file), hosts);
    };
    SECTION("a table of all Testers of a host")
    {
        const TesterOptions got = own("[a]\ninterface = \"eth{rank}\"\ncpus = [2, 3]\n"
                                      "sender-queues = 1\n[\"b.example\"]\nvlan = 7\n",
                                      {{"interface", "eth9"}, {"rate", "5"}});
        CHECK(words(got.by_rank.at(0)) == "rate=5 interface=eth0 cpus=2,3");
        CHECK(words(got.by_rank.at(1)) == "interface=eth9 rate=5 vlan=7");
        CHECK(words(got.by_rank.at(2)) == "rate=5 interface=eth2 cpus=2,3");
    }
    SECTION("a table for each Tester")
    {
        const TesterOptions got = own("[[a]]\ninterface = \"x\"\n[[a]]\ninterface = \"y\"\n"
                                      "[\"b.example\"]\ninterface = \"z\"\n",
                                      {});
        CHECK(words(got.by_rank.at(0)) == "interface=x");
        CHECK(words(got.by_rank.at(1)) == "interface=z");
        CHECK(words(got.by_rank.at(2)) == "interface=y");
    }
    SECTION("a table of a host where no Tester runs")
    {
        write_file(file, "[a]\n[\"b.example\"]\n[c]\n");
        const std::vector<HostEntry> idle = entries_without_tester(read_hosts(file), hosts);
        REQUIRE(idle.size() == 1);
        CHECK(idle[0].name == "c");
        CHECK(idle[0].place.line == 3);
    }
    SECTION("wrong files")
    {
        const std::vector<std::pair<std::string, std::string>> wrong{
            {"[a]\ncpus = [2\n", ":2: \"cpus = [2\": Error while parsing"},
            {"interface = \"g0\"\n", ":1: interface: stands in no table"},
            {"[a]\n[a.example]\nvlan = 1\n", ":2: a.example: is a table within a table: quote"},
            {"[a]\ncpu = 3\n", ":2: a.cpu: no such key: did you mean cpus?"},
            {"[a]\nrate = 3\n", ":2: a.rate: no such key: keys are interface, server,"},
            {"[a]\nvlan = true\n", ":2: a.vlan: must be a text or a number"},
            {"[a]\nsource = [\"a\"]\n", ":2: a.source: a list must have numbers"},
            {"[a]\n", "there is no table for b.example, where Tester 1 runs"},
            {"[[a]]\n[\"b.example\"]\n", ":1: a: 1 table for 2 Testers: write one [[a]]"},
            {"[a]\ninterface = \"x\"\n[\"b.example\"]\n", "the table of b.example lacks interface"},
            {"", "the file has no table"},
            {"[a]\nper-query = \"q\"\n[\"b.example\"]\n",
             "--per-query q: Tester 0 and Tester 2 would both write it on a"}};
        for (const auto &[text, why] : wrong) {
            INFO(text);
            CHECK_THROWS_WITH(own(text, {}), Contains(why));
        }
    }
}

TEST_CASE("other Testers make the same plan of its words")
{
    TrialPlan plan = some_joint_plan();
    plan.interface = "g0";
    plan.server = parse_ip_address("2001:2::2");
    plan.timeout = 123'456'789ns;
    plan.tolerances.lateness = 333'333'333ns;
    plan.accept_percent = 99.999999;
    plan.cpus = {0, 2, 3};
    plan.sender_queues = {0, 1, 2}; // the usual ones, which win over what a self-test found
    auto &mix = give_part<MixWorkload>(plan.workload);
    mix.recursion_desired = true;
    mix.types = parse_mix_types("A=60,AAAA=40");
    plan.pace = parse_pace("poisson=7");
    plan.per_query_file = "queries0.csv";
    const std::vector<std::string> line = words_of(plan);
    const TrialPlan copy = plan_of(line, {});
    CHECK(words_of(copy) == line);
    CHECK(copy.timeout == plan.timeout);
    CHECK(copy.tolerances.lateness == plan.tolerances.lateness);
    CHECK(copy.rate == plan.rate);
    CHECK(part_of<MixWorkload>(copy.workload)->names == mix.names);
    CHECK(copy.interval == plan.interval);
    const TrialPlan own =
        plan_of(line, {{"interface", "g1"}, {"cpus", "1"}, {"per-query", "queries1.csv"}});
    CHECK(own.interface == "g1");
    CHECK(own.cpus == std::vector<unsigned>{1});
    CHECK(own.per_query_file == "queries1.csv");
    CHECK_THROWS_WITH(plan_of(line, {{"source", "nonsense"}}), Contains("--source"));
    // A Tester that has no value for what differs has the usual one.
    CHECK(plan_of(words_of(plan, {"cpus", "interface"}), {{"interface", "g1"}}).cpus.empty());
}

TEST_CASE("Testers of another version or with other options make no trial together")
{
    Hall hall(2);
    Seat first(hall, 0);
    Seat second(hall, 1);
    SECTION("alike")
    {
        const Follower follower(second, command, setup_of);
        CHECK(Fleet(first, command).disagreement().empty());
    }
    SECTION("other options")
    {
        const Follower follower(second, {"dnsgauge-mpi", "trial", "--interface", "g1"}, setup_of);
        CHECK_THAT(Fleet(first, command).disagreement(),
                   Catch::StartsWith("Tester 1 (") && Contains("has other options than Tester 0"));
    }
    SECTION("another version")
    {
        Message other = introduction_json(introduce(command));
        other["version"] = "dnsgauge 0.0.9";
        other.erase("machine");
        REQUIRE(say_to(second, 0, other, after(1s)));
        CHECK_THAT(Fleet(first, command).disagreement(),
                   Contains("is dnsgauge 0.0.9, but Tester 0"));
    }
}

TEST_CASE("a Tester that cannot set its part up is named, and the next trial is none the wiser")
{
    Pair pair(with_interfaces("g0", "no-such-link"));
    for (int turn = 0; turn < 2; turn++)
        CHECK_THROWS_WITH(pair.leader.begin(some_joint_plan(), 1),
                          Catch::StartsWith("Tester 1 (") && Contains("no-such-link"));
    CHECK(pair.fleet.dismiss());
}

TEST_CASE("what each Tester is given is checked as a whole")
{
    const ScratchDirectory scratch;
    const std::string file = scratch.file("hosts.toml");
    Hall hall(2);
    Seat first(hall, 0);
    Message other = introduction_json(introduce(command));
    other["host"] = "beta";
    Seat second(hall, 1);
    REQUIRE(say_to(second, 0, other, after(1s)));
    Fleet fleet(first, command);
    HostsFile tables;
    const auto hosts = [&](const std::string &table) {
        write_file(file, "[\"" + fleet.hosts()[0] + "\"]\ninterface = \"g0\"\n[beta]\n" + table);
        tables = read_hosts(file);
    };
    const auto leader_for = [&](const Options &options, const std::vector<GivenOption> &given) {
        return std::make_shared<Leader>(
            fleet, tester_options_by_rank(options, given, tables, fleet.hosts()));
    };
    // Completes the plan that these options make of the plan of a capture.
    const auto complete_with = [&](std::vector<GivenOption> given) {
        given.push_back({"interface", "g{rank}"});
        const auto leader = leader_for(own_options(), given);
        TrialPlan plan = usual_plan();
        give_part<CaptureWorkload>(plan.workload).files = {"some.pcap"};
        plan = plan_of(words_of(plan), leader->options_of(0));
        plan.testers = leader;
        // The command of rank 0 runs so.
        leader->name_errors(0, [&plan] { complete(plan); });
    };
    const GivenOption server{"server", "192.0.2.1"};
    SECTION("no table")
    {
        complete_with({server, {"clients", "10.{rank}.0.0/16"}});
        CHECK_THROWS_WITH(complete_with({server, {"vlan", "4{rank}94"}}),
                          Catch::StartsWith("Tester 1 (beta): --vlan 4194: must be "));
        CHECK_THROWS_WITH(complete_with({server, {"per-query", "q.csv"}}),
                          Contains("each Tester writes a file of its own"));
    }
    SECTION("a server of another family, and the clients of all")
    {
        hosts("\nserver = \"2001:db8::1\"\n");
        complete_with({server});
        CHECK_THROWS_WITH(complete_with({server, {"clients", "10.0.0.0/16"}}),
                          "Tester 1 (beta): --clients and " + file +
                              ":5: beta.server must be of one family, IPv4 or IPv6");
    }
    SECTION("both are of the table")
    {
        hosts("server = \"192.0.2.2\"\nclients = \"2001:db8::/64\"\n");
        CHECK_THROWS_WITH(complete_with({server}),
                          "Tester 1 (beta): " + file + ":5: beta.clients and " + file +
                              ":4: beta.server must be of one family, IPv4 or IPv6");
    }
    SECTION("an option of no trial")
    {
        hosts("fault-cpu = 5000\n");
        unsigned cpu = 0;
        std::string interface;
        const Options options{{"interface", text(interface)}, {"fault-cpu", whole(cpu, 0, 1023)}};
        const auto leader = leader_for(options, {{"interface", "g0"}});
        CHECK_THROWS_WITH(
            leader->name_errors(1, [&] { read_options(options, leader->options_of(1)); }),
            "Tester 1 (beta): " + file +
                ":4: beta.fault-cpu 5000: must be a whole number, 0 to 1023");
    }
    SECTION("what is wrong for all is nobody's own")
    {
        hosts("vlan = 7\n");
        const auto leader = leader_for(own_options(), {{"interface", "g{rank}"}});
        CHECK_THROWS_WITH(leader->name_errors(1, [] { throw OptionError({"rate"}, "--rate x"); }),
                          "--rate x");
    }
}

TEST_CASE("the set-up of all has each Tester's set-up")
{
    Hall hall(2);
    Seat first(hall, 0);
    Seat second(hall, 1);
    const auto with = [&](const std::string &interface, const auto &test) {
        const std::jthread other = follow(second);
        Fleet fleet(first, command);
        Leader leader(fleet, with_interfaces("g0", interface));
        test(leader);
        CHECK(fleet.dismiss());
    };
    TrialPlan plan = some_joint_plan();
    plan.cpus = {3};
    with("g1", [&](Leader &leader) {
        const std::vector<TesterSetup> others = leader.others(plan);
        REQUIRE(others.size() == 1);
        plan.interface = "g1";
        CHECK(written(others[0]) == written(setup_of(plan)));
        CHECK(others[0].sender_cpus == std::vector<unsigned>{3});
    });
    with("down", [&](Leader &leader) {
        CHECK_THROWS_WITH(leader.others(plan),
                          Catch::StartsWith("Tester 1 (") && Contains("interface down is down"));
    });
}

TEST_CASE("the servers of all Testers are known, and asked for in any form that names them")
{
    Hall hall(3);
    Seat first(hall, 0);
    Seat second(hall, 1);
    Seat third(hall, 2);
    const std::jthread one = follow(second);
    const std::jthread other = follow(third);
    TrialPlan plan = some_joint_plan();
    {
        Fleet fleet(first, command);
        const std::string mine = to_string(plan.server);
        CHECK(Leader(fleet).servers(plan) == std::vector<std::string>{mine, mine, mine});
        const TesterOptions options{
            .differing = {"server"},
            .by_rank = {{{"server", mine}}, {{"server", "2001:DB8:0::1"}}, {{"server", mine}}}};
        plan.testers = std::make_shared<Leader>(fleet, options);
        CHECK(plan.testers->servers(plan) == std::vector<std::string>{mine, "2001:db8::1", mine});
        CHECK(servers_of(plan) == std::vector<std::string>{mine, "2001:db8::1"});
        plan.testers.reset();
        CHECK(servers_of(plan) == std::vector<std::string>{mine});
        CHECK(fleet.dismiss());
    }
}

TEST_CASE("what is known of a Tester chooses its sender before each trial, unless --cpus does")
{
    Hall hall(2);
    Seat first(hall, 0);
    Seat second(hall, 1);
    std::jthread other([&second] {
        const std::atomic<bool> never{false};
        const auto choose = [](const TrialPlan &plan) -> TesterSetup {
            throw SetupError("the sender of " + plan.interface + " is chosen");
        };
        Follower(second, command, choose).serve(never);
    });
    Fleet fleet(first, command);
    Leader leader(fleet, with_interfaces("g0", "no-such-link"));
    TrialPlan plan = some_joint_plan();
    CHECK_THROWS_WITH(leader.begin(plan, 1), Catch::StartsWith("Tester 1 (") &&
                                                 Contains("the sender of no-such-link is chosen"));
    plan.cpus = {0};
    CHECK_THROWS_WITH(leader.begin(plan, 1), Contains("no-such-link") && !Contains("chosen"));
    CHECK(fleet.dismiss());
}

namespace
{

// A server of a Tester, which notes what it is told, and ends with the object.
class NotedServer final : public RunningServer
{
public:
    NotedServer(std::string &notes, bool dies) : notes_(notes), dies_(dies) {}
    NotedServer &operator=(NotedServer &&) = delete;
    ~NotedServer() override { notes_ += " ends"; }
    void check_alive() const override
    {
        notes_ += " lives";
        if (dies_ && notes_.ends_with("lives lives"))
            throw SetupError("fakedns ended while it was needed");
    }

private:
    std::string &notes_;
    bool dies_;
};

} // namespace

TEST_CASE("each other Tester runs its own server until nobody needs it")
{
    const bool dies = GENERATE(false, true);
    Hall hall(2);
    Seat first(hall, 0);
    Seat second(hall, 1);
    std::string notes;
    {
        const auto server_of = [&](const TrialPlan &plan, const std::vector<GivenOption> &given,
                                   const std::string &faults) {
            if (faults == "nonsense")
                throw SetupError("fakedns does not run");
            notes = plan.interface + " " + words(given) + " " + faults;
            return std::make_unique<NotedServer>(notes, dies);
        };
        const std::jthread other = follow(second, server_of);
        Fleet fleet(first, command);
        Leader leader(fleet, tester_options_by_rank(
                                 own_options(),
                                 {{"interface", "g{rank}"}, {"fakedns-interface", "d{rank}"}}, {},
                                 fleet.hosts()));
        CHECK_THROWS_WITH(leader.serve(some_joint_plan(), "nonsense"),
                          Catch::StartsWith("Tester 1 (") && Contains("fakedns does not run"));
        auto servers = leader.serve(some_joint_plan(), "loss=1%");
        if (dies)
            CHECK_THROWS_WITH(servers->check_alive(),
                              Catch::StartsWith("Tester 1 (") && Contains("ended while"));
        else
            servers->check_alive();
        servers.reset();
        CHECK(fleet.dismiss());
    }
    CHECK(notes == "g1 interface=g1 fakedns-interface=d1 loss=1% lives lives ends");
}

TEST_CASE("a list that differs between hosts is refused, and the Tester named")
{
    const ScratchDirectory scratch;
    const std::string mine = scratch.file("queries");
    write_file(mine, "a.test A\n");
    Pair pair;
    TrialPlan plan = some_joint_plan();
    give_part<ListWorkload>(plan.workload).file = mine;
    plan.interface = "no-such-link";
    // The list is the same: the trial comes as far as the interface.
    CHECK_THROWS_WITH(pair.leader.begin(plan, 1), Contains("no-such-link"));
    write_file(mine, "b.test A\n");
    // Both have the list in memory; what is read anew is compared anew.
    CHECK_THROWS_WITH(pair.leader.begin(plan, 1), Contains("no-such-link"));
    give_part<ListWorkload>(plan.workload).shuffle_seed = 1;
    CHECK_THROWS_WITH(pair.leader.begin(plan, 1),
                      Catch::StartsWith("Tester 1 (") && Contains("is another file here (CRC-64 "));
    CHECK(pair.fleet.dismiss());
}

TEST_CASE("a capture that differs between hosts is refused, and read once for many trials")
{
    const ScratchDirectory scratch;
    const std::string file = scratch.file("some.pcap");
    const auto write = [&](const std::string &client) {
        write_capture(file, {client, "192.0.2.2"});
    };
    write("192.0.2.1");
    Pair pair;
    TrialPlan plan = some_joint_plan();
    auto &capture = give_part<CaptureWorkload>(plan.workload);
    capture.files = {file};
    plan.interface = "no-such-link";
    load_list(plan);
    // The capture is the same: the trial comes as far as the interface.
    CHECK_THROWS_WITH(pair.leader.begin(plan, 1), Contains("no-such-link"));
    write("192.0.2.3");
    // Both have it in memory.
    CHECK_THROWS_WITH(pair.leader.begin(plan, 1), Contains("no-such-link"));
    // What is read anew is compared anew.
    capture.speed = 2;
    CHECK_THROWS_WITH(pair.leader.begin(plan, 1), Catch::StartsWith("Tester 1 (") &&
                                                      Contains("--capture " + file) &&
                                                      Contains("is another file here (CRC-64 "));
    CHECK(pair.fleet.dismiss());
}

TEST_CASE("another Tester gets the duration that was asked for, by which it finds the same queries")
{
    const ScratchDirectory scratch;
    const std::string file = scratch.file("some.pcap");
    write_capture(file, {"192.0.2.1", "192.0.2.2", "192.0.2.1"});
    TrialPlan plan = some_joint_plan();
    auto &capture = give_part<CaptureWorkload>(plan.workload);
    capture.files = {file};
    plan.duration = std::chrono::seconds(10);
    load_list(plan);
    REQUIRE(capture.queries->size() == 3);
    CHECK(plan.duration != std::chrono::seconds(10));
    TrialPlan copy = plan_of(words_of(plan), {});
    CHECK(copy.duration == std::chrono::seconds(10));
    load_list(copy);
    CHECK(part_of<CaptureWorkload>(copy.workload)->queries->size() == 3);
    CHECK(copy.duration == plan.duration);
    CHECK(copy.rate == plan.rate);
}

TEST_CASE("Testers share a schedule, begin at one moment, and exchange parts")
{
    Hall hall(3);
    Seat first(hall, 0);
    std::vector<std::jthread> others;
    std::map<std::uint32_t, Shares> shares;
    std::map<std::uint32_t, Nanoseconds> starts;
    std::mutex mutex;
    for (std::uint32_t rank = 1; rank < 3; rank++)
        others.emplace_back([&, rank] {
            Seat seat(hall, rank);
            Follower follower(seat, command, setup_of);
            // As serve() does: the order, which serve() reads, comes first.
            static_cast<void>(hear(seat, 0, after(5s)));
            follower.join(1);
            std::mt19937 random(rank);
            const auto trial = follower.begin(some_joint_plan(), 1);
            trial->get_ready({circumstances_of(rank), {}});
            const Nanoseconds start = trial->common_start();
            static_cast<void>(trial->exchange(*some_part(random, rank, 3).measured));
            const std::lock_guard lock(mutex);
            shares[rank] = trial->shares();
            starts[rank] = start;
        });
    Fleet fleet(first, command);
    Leader leader(fleet);
    std::vector<TesterPart> parts;
    Nanoseconds start{};
    {
        const auto trial = leader.begin(some_joint_plan(), 1);
        const std::vector<ReadyTester> ready = trial->get_ready({circumstances_of(0), {}});
        REQUIRE(ready.size() == 3);
        for (std::uint32_t rank = 0; rank < 3; rank++) {
            CHECK_THAT(ready[rank].name,
                       Catch::StartsWith("Tester " + std::to_string(rank) + " ("));
            CHECK(ready[rank].circumstances.interface == circumstances_of(rank).interface);
        }
        start = trial->common_start();
        std::mt19937 random(9);
        parts = trial->exchange(*some_part(random, 0, 3).measured);
        CHECK(trial->shares().all == 3);
    }
    others.clear();
    REQUIRE(parts.size() == 3);
    for (std::uint32_t rank = 1; rank < 3; rank++) {
        CHECK(shares[rank].first == rank);
        CHECK(shares[rank].all == 3);
        // One clock: its offset is zero, within the bound.
        const ClockComparison &clock = parts[rank].clock;
        CHECK(std::chrono::abs(clock.before.offset) <= clock.before.bound);
        REQUIRE(clock.after.has_value());
        CHECK(std::chrono::abs(clock.after->offset) <= clock.after->bound);
        CHECK(starts[rank] - start == clock.before.offset);
        CHECK(parts[rank].measured->circumstances.interface == "g" + std::to_string(rank));
    }
    CHECK(conclude(some_joint_plan(), parts, 3).queries.sent == 1000);
}

namespace
{

// Returns what the Tester of rank 0 says when both Testers could begin; empty: nothing.
std::string said_when_ready(const Readiness &mine, const Readiness &others)
{
    Hall hall(2);
    Seat first(hall, 0);
    bool is_called_off = false;
    std::string said;
    {
        std::jthread other([&] {
            Seat seat(hall, 1);
            Follower follower(seat, command, setup_of);
            static_cast<void>(hear(seat, 0, after(5s)));
            follower.join(1);
            const auto trial = follower.begin(some_joint_plan(), 1);
            try {
                trial->get_ready(others);
                static_cast<void>(trial->common_start());
            } catch (const CalledOff &) {
                is_called_off = true;
            }
        });
        Fleet fleet(first, command);
        Leader leader(fleet);
        const auto trial = leader.begin(some_joint_plan(), 1);
        try {
            trial->get_ready(mine);
        } catch (const SetupError &error) {
            said = error.what();
        }
    }
    CHECK(is_called_off);
    return said;
}

} // namespace

TEST_CASE("two Testers that send from one address are refused")
{
    CHECK_THAT(said_when_ready({circumstances_of(0), {}}, {circumstances_of(0), {}}),
               Contains("both send from 198.18.0.1"));
    CHECK(said_when_ready({circumstances_of(0), {}}, {circumstances_of(1), {}}).empty());
}

TEST_CASE("each Tester uses the modes that it used in the self-test, or is named")
{
    const auto tester = [](const char *name, const char *xdp, const char *af_xdp) {
        ReadyTester ready{.name = name, .circumstances = {}};
        ready.circumstances.modes = {{"xdp_mode", xdp}, {"af_xdp_mode", af_xdp}};
        return ready;
    };
    const SelftestCover one{.record = "r", .modes = {"XDP native and AF_XDP copy"}};
    CHECK_NOTHROW(check_same_modes(one, {tester("", "native", "copy")}));
    CHECK_THROWS_WITH(check_same_modes(one, {tester("", "generic", "copy")}),
                      Catch::StartsWith("the self-test (r) used XDP native and AF_XDP copy, this "
                                        "trial XDP generic and AF_XDP copy: run"));
    const SelftestCover two{
        .record = "r", .modes = {"XDP native and AF_XDP copy", "XDP native and AF_XDP zero-copy"}};
    const ReadyTester first = tester("Tester 0 (a)", "native", "copy");
    CHECK_NOTHROW(check_same_modes(two, {first, tester("Tester 1 (b)", "native", "zero-copy")}));
    for (const ReadyTester &other :
         {tester("Tester 1 (b)", "native", "copy"), tester("Tester 1 (b)", "generic", "zero-copy")})
        CHECK_THROWS_WITH(check_same_modes(two, {first, other}),
                          Catch::StartsWith("Tester 1 (b): the self-test (r) used XDP native and "
                                            "AF_XDP zero-copy, this trial"));
    CHECK_THROWS_WITH(check_same_modes(one, {first, first}),
                      Contains("does not tell which modes each of the 2 Testers used"));
    const SelftestCover none{.record = "r", .why_not = "there is none"};
    CHECK_NOTHROW(check_same_modes(none, {first}));
}

TEST_CASE("two Testers whose clients share addresses are refused")
{
    const auto said = [](const char *mine, const char *others) {
        return said_when_ready({circumstances_of(0), parse_ip_prefix(mine)},
                               {circumstances_of(1), parse_ip_prefix(others)});
    };
    CHECK_THAT(said("10.0.0.0/8", "10.0.0.0/8"), Contains("--clients: Tester 0 ("));
    CHECK_THAT(said("10.0.0.0/8", "10.1.0.0/16"), Contains("10.0.0.0/8, and Tester 1 ("));
    CHECK_THAT(said("2001:db8::/64", "2001:db8::/120"), Contains("2001:db8::/120: replies would"));
    CHECK(said("10.0.0.0/16", "10.1.0.0/16").empty());
}
