// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/leader.h"

#include "fleet/clock_readings.h"
#include "fleet/measurement_json.h"
#include "fleet/plan_words.h"
#include "input/input_file.h"
#include "record/selftest_json.h"
#include "trial/trial_options.h"
#include "userland/random.h"
#include "userland/setup_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <utility>

namespace dnsgauge
{

namespace
{

using namespace std::chrono_literals;

constexpr Nanoseconds set_up_patience = 60s; // a card may take its time to bring its link up
// Octets a second, of a packed file on a slow disk.
constexpr std::uintmax_t reading_speed = 2U << 20U;
constexpr Nanoseconds patience = 10s;        // for what takes no time
constexpr Nanoseconds last_patience = 2s;    // for what may be in vain
constexpr Nanoseconds patience_to_stop = 5s; // for a Tester that still sends
// A launcher that ends all Testers gives them a second.
constexpr Nanoseconds patience_when_interrupted = 500ms;
constexpr Nanoseconds start_delay = 200ms; // enough for messages and threads
constexpr Nanoseconds start_delay_each = 2ms;

// Returns the longest time that a Tester takes to read the files of the plan's queries.
Nanoseconds reading_time(const TrialPlan &plan)
{
    std::uintmax_t octets = 0;
    for (const QueryFile &file : files_of(plan.workload)) {
        std::error_code error;
        const std::uintmax_t size = std::filesystem::file_size(file.path, error);
        octets += error ? 0 : size;
    }
    return std::chrono::seconds(octets / reading_speed);
}

bool overlap(const IpPrefix &one, const IpPrefix &other)
{
    return one.contains(other.first) || other.contains(one.first);
}

} // namespace

class Leader::LedTrial final : public JointTrial
{
public:
    LedTrial(Leader &leader, const TrialPlan &plan, std::uint32_t senders)
        : leader_(leader), channel_(leader.channel_), shares_(senders),
          length_(plan.duration + 2 * plan.timeout), before_(channel_.size())
    {
        leader_.trials_++;
    }
    LedTrial(const LedTrial &) = delete;
    LedTrial &operator=(const LedTrial &) = delete;
    // Calls the trial off unless it is over.
    ~LedTrial() override;

    // Has all Testers set the trial up. Throws SetupError if one cannot.
    void prepare(const TrialPlan &plan);

    [[nodiscard]] Shares shares() const override
    {
        return {.first = 0, .all = shares_, .order = order_};
    }
    std::vector<ReadyTester> get_ready(const Readiness &mine) override;
    [[nodiscard]] Nanoseconds common_start() override;
    [[nodiscard]] bool is_stopped() override { return false; }
    [[nodiscard]] std::vector<TesterPart> exchange(Measurement mine) override;

private:
    bool awaits_pings(std::uint32_t rank, Nanoseconds deadline);
    void check_links(const std::vector<Readiness> &all) const;
    void fetch(TesterPart &part, Nanoseconds deadline, bool is_interrupted);

    Leader &leader_;
    Channel &channel_;
    std::uint32_t shares_;
    identity_key order_ = new_identity_key();
    Nanoseconds length_; // until no reply can count any more
    Nanoseconds start_{};
    std::vector<ClockReading> before_; // by rank
    bool is_over_ = false;
};

void Leader::LedTrial::prepare(const TrialPlan &plan)
{
    const std::vector<std::string> checksums = leader_.checksums(plan);
    for (const std::uint32_t rank : leader_.other_ranks()) {
        ToldPlan told = leader_.plan_for(rank, plan);
        told.files_crc64 = checksums;
        leader_.tell(rank, Order::prepare, plan_json(told), after(patience));
    }
    std::vector<std::uint32_t> firsts(channel_.size());
    for (const std::uint32_t rank : leader_.other_ranks()) {
        const Nanoseconds deadline = after(set_up_patience + reading_time(plan));
        firsts[rank] = shares_;
        shares_ += leader_.must_answer(rank, Order::prepare, deadline).get<std::uint32_t>();
    }
    for (const std::uint32_t rank : leader_.other_ranks())
        leader_.tell(rank, Order::share,
                     shares_json({.first = firsts[rank], .all = shares_, .order = order_}),
                     after(patience));
}

Leader::LedTrial::~LedTrial()
{
    if (!is_over_)
        leader_.tell_all(Order::off, {}, last_patience);
}

bool Leader::LedTrial::awaits_pings(std::uint32_t rank, Nanoseconds deadline)
{
    return leader_.tell(rank, Order::pings, {}, deadline) &&
           leader_.answer(rank, Order::pings, deadline);
}

// Two Testers that send from one address would get each other's replies.
void Leader::LedTrial::check_links(const std::vector<Readiness> &all) const
{
    for (std::uint32_t one = 0; one < all.size(); one++)
        for (std::uint32_t other = one + 1; other < all.size(); other++) {
            const Circumstances &a = all[one].circumstances;
            const Circumstances &b = all[other].circumstances;
            if (a.source_address == b.source_address)
                throw SetupError(fmt::format(
                    "{} and {} both send from {}: replies would reach one of them; give each an "
                    "address of its own (--interface, --source)",
                    leader_.name_of(one), leader_.name_of(other), a.source_address));
            if (all[one].clients && all[other].clients &&
                overlap(*all[one].clients, *all[other].clients))
                throw SetupError(fmt::format(
                    "--clients: {} has {}, and {} {}: replies would reach one of them; give each a "
                    "prefix of its own ({{rank}} in --clients), which the server reaches through "
                    "that Tester",
                    leader_.name_of(one), to_string(*all[one].clients), leader_.name_of(other),
                    to_string(*all[other].clients)));
        }
}

std::vector<ReadyTester> Leader::LedTrial::get_ready(const Readiness &mine)
{
    std::vector<Readiness> all{mine};
    for (const std::uint32_t rank : leader_.other_ranks())
        all.push_back(
            read_readiness(leader_.must_answer(rank, Order::share, after(set_up_patience))));
    check_links(all);
    for (const std::uint32_t rank : leader_.other_ranks()) {
        const auto reading =
            awaits_pings(rank, after(patience)) ? read_clock(channel_, rank) : std::nullopt;
        if (!reading)
            leader_.lose(rank);
        before_[rank] = *reading;
    }
    std::vector<ReadyTester> testers;
    for (std::uint32_t rank = 0; rank < all.size(); rank++)
        testers.push_back({leader_.name_of(rank), std::move(all[rank].circumstances)});
    return testers;
}

Nanoseconds Leader::LedTrial::common_start()
{
    start_ = after(start_delay + channel_.size() * start_delay_each);
    for (const std::uint32_t rank : leader_.other_ranks())
        leader_.tell(rank, Order::start, {{"at", (start_ + before_[rank].offset).count()}},
                     after(patience));
    return start_;
}

// Completes a Tester's part: its clock after the trial, and what it measured. Both are missing if
// it does not answer.
void Leader::LedTrial::fetch(TesterPart &part, Nanoseconds deadline, bool is_interrupted)
{
    // An earlier Tester may have taken all of the time.
    if (!is_interrupted)
        deadline = std::max(deadline, after(last_patience));
    bool is_here = awaits_pings(part.rank, deadline);
    // A Tester that is far too slow still sends. After an interruption the launcher soon ends this
    // Tester. All others share one time limit: some may have been killed.
    const Nanoseconds last = is_interrupted ? deadline + patience_to_stop : after(patience_to_stop);
    if (!is_here && leader_.tell(part.rank, Order::stop, {}, after(last_patience))) {
        is_here = leader_.answer(part.rank, Order::pings, last).has_value();
        part.was_told_to_stop = !is_interrupted;
    }
    if (is_here)
        part.clock.after = read_clock(channel_, part.rank);
    if (!part.clock.after || !leader_.tell(part.rank, Order::part, {}, after(patience)))
        return;
    if (const auto measured = leader_.answer(part.rank, Order::part, after(patience)))
        part.measured = read_measurement(*measured);
}

std::vector<TesterPart> Leader::LedTrial::exchange(Measurement mine)
{
    Nanoseconds deadline = std::max(start_ + length_, after({})) + patience;
    const bool is_interrupted = mine.faults.interrupted;
    if (is_interrupted) {
        deadline = after(patience_when_interrupted);
        for (const std::uint32_t rank : leader_.other_ranks())
            leader_.tell(rank, Order::stop, {}, deadline);
    }
    std::vector<TesterPart> parts(1);
    parts.front().host = leader_.testers_.front().host;
    parts.front().machine = leader_.testers_.front().machine;
    parts.front().clock.after = ClockReading{};
    parts.front().measured = std::move(mine);
    for (const std::uint32_t rank : leader_.other_ranks()) {
        TesterPart part{.rank = rank,
                        .host = leader_.testers_[rank].host,
                        .machine = leader_.testers_[rank].machine,
                        .clock = {.before = before_[rank]},
                        .measured = {}};
        fetch(part, deadline, is_interrupted);
        if (!part.measured)
            leader_.note_lost(rank);
        parts.push_back(std::move(part));
    }
    is_over_ = true;
    return parts;
}

// The Testers with values of their own, whatever they had before.
class Leader::Settled final : public Testers
{
public:
    Settled(Leader &leader, OwnValues own, std::vector<GivenOption> given)
        : leader_(leader), own_(std::move(own)), given_(std::move(given))
    {
    }

    void check_others(const TrialPlan &plan) override { settled().check_others(plan); }
    [[nodiscard]] std::unique_ptr<JointTrial> begin(const TrialPlan &plan,
                                                    std::uint32_t senders) override
    {
        return settled().begin(plan, senders);
    }
    [[nodiscard]] std::vector<TesterSetup> others(const TrialPlan &plan) override
    {
        return settled().others(plan);
    }
    [[nodiscard]] std::vector<std::string> servers(const TrialPlan &plan) const override
    {
        return settled().servers(plan);
    }
    [[nodiscard]] std::unique_ptr<RunningServer> serve(const TrialPlan &plan,
                                                       const std::string &faults) override
    {
        return settled().serve(plan, faults);
    }

private:
    [[nodiscard]] Leader &settled() const
    {
        leader_.settle(own_, given_);
        return leader_;
    }

    Leader &leader_;
    OwnValues own_;
    std::vector<GivenOption> given_;
};

class Leader::OtherServers final : public RunningServer
{
public:
    explicit OtherServers(Leader &leader) : leader_(leader) {}
    OtherServers(const OtherServers &) = delete;
    OtherServers &operator=(const OtherServers &) = delete;
    ~OtherServers() override
    {
        try {
            ask(Order::rest);
        } catch (const std::exception &) {
            // A Tester that does not answer is noted as lost, and not asked about its server any
            // more.
        }
    }
    void check_alive() const override { ask(Order::check); }

private:
    void ask(Order order) const
    {
        leader_.trials_++;
        leader_.tell_all(order, {}, patience);
        leader_.all_answer(order, patience);
    }

    Leader &leader_;
};

Leader::Leader(Channel &channel, std::vector<std::string> words)
    : channel_(channel), testers_{introduce(std::move(words))}
{
    for (const std::uint32_t rank : other_ranks()) {
        const std::optional<Message> message = hear(channel_, rank, after(set_up_patience));
        if (!message) {
            lost_ = fmt::format("Tester {}", rank);
            throw SetupError(fmt::format("Tester {} does not say who it is within {:g} s: do all "
                                         "hosts run dnsgauge-mpi?",
                                         rank, seconds(set_up_patience)));
        }
        testers_.push_back(read_introduction(*message));
    }
}

std::string Leader::disagreement() const
{
    const Introduction &first = testers_.front();
    for (std::uint32_t rank = 1; rank < testers_.size(); rank++) {
        const Introduction &other = testers_[rank];
        if (other.version != first.version)
            return fmt::format("{} is {}, but {} is {}: install one version on all hosts",
                               name_of(rank), other.version, name_of(0), first.version);
        if (other.words != first.words)
            return fmt::format("{} has other options than {}: give all the same, and {{rank}} in "
                               "the values that differ",
                               name_of(rank), name_of(0));
    }
    return {};
}

std::vector<std::string> Leader::hosts() const
{
    std::vector<std::string> hosts;
    for (const Introduction &tester : testers_)
        hosts.push_back(tester.host);
    return hosts;
}

void Leader::read_all(const std::function<void(const std::vector<GivenOption> &)> &read) const
{
    for (std::uint32_t rank = 0; rank < channel_.size(); rank++)
        name_errors(rank, [&] { read(options_of_rank(given_, own_, rank)); });
}

void Leader::check_others(const TrialPlan &plan)
{
    const std::vector<std::string> words = words_of(plan, own_.options);
    for (const std::uint32_t rank : other_ranks())
        name_errors(rank, [&] {
            TrialPlan theirs = plan_of(words, own_of_trials(rank));
            complete(theirs);
        });
}

std::unique_ptr<JointTrial> Leader::begin(const TrialPlan &plan, std::uint32_t senders)
{
    check(plan);
    auto trial = std::make_unique<LedTrial>(*this, plan, senders);
    trial->prepare(plan);
    return trial;
}

std::vector<TesterSetup> Leader::others(const TrialPlan &plan)
{
    check(plan);
    trials_++;
    std::vector<TesterSetup> setups;
    for (const std::uint32_t rank : other_ranks())
        tell(rank, Order::describe, plan_json(plan_for(rank, plan)), after(patience));
    for (const Message &setup : all_answer(Order::describe, set_up_patience))
        setups.push_back(read_setup(setup));
    return setups;
}

std::vector<std::string> Leader::servers(const TrialPlan &plan) const
{
    const std::vector<std::string> words = words_of(plan, own_.options);
    std::vector<std::string> servers{to_string(plan.server)};
    for (const std::uint32_t rank : other_ranks())
        servers.push_back(to_string(plan_of(words, own_of_trials(rank)).server));
    return servers;
}

std::unique_ptr<RunningServer> Leader::serve(const TrialPlan &plan, const std::string &faults)
{
    check(plan);
    trials_++;
    auto servers = std::make_unique<OtherServers>(*this);
    for (const std::uint32_t rank : other_ranks()) {
        ToldPlan told = plan_for(rank, plan);
        told.given = options_of_rank(given_, own_, rank);
        told.faults = faults;
        tell(rank, Order::serve, plan_json(told), after(patience));
    }
    all_answer(Order::serve, set_up_patience);
    return servers;
}

Team Leader::team(const Options &options, const std::vector<GivenOption> &given)
{
    OwnValues own = own_values(options, given, tables_, hosts());
    std::vector<GivenOption> mine = options_of_rank(given, own, 0);
    return {std::move(mine), std::make_shared<Settled>(*this, std::move(own), given)};
}

void Leader::settle(OwnValues own, std::vector<GivenOption> given)
{
    own_ = std::move(own);
    given_ = std::move(given);
}

std::vector<GivenOption> Leader::settle(const Options &options,
                                        const std::vector<GivenOption> &given)
{
    settle(own_values(options, given, tables_, hosts()), given);
    return options_of_rank(given_, own_, 0);
}

// Throws SetupError if these Testers cannot make the trial.
void Leader::check(const TrialPlan &plan) const
{
    if (!lost_.empty())
        throw SetupError(lost_ + " stopped answering in an earlier trial: start all Testers anew");
    if (plan.per_query_file && std::ranges::find(own_.options, "per-query") == own_.options.end())
        throw SetupError(fmt::format("--per-query {}: each Tester writes a file of its own: put "
                                     "{{rank}} into the name",
                                     *plan.per_query_file));
}

bool Leader::tell(std::uint32_t rank, Order order, Message with, Nanoseconds deadline)
{
    const bool was_taken =
        say_to(channel_, rank,
               told_json({.order = order, .trial = trials_, .with = std::move(with)}), deadline);
    if (!was_taken)
        note_lost(rank);
    return was_taken;
}

std::vector<std::uint32_t> Leader::other_ranks() const
{
    std::vector<std::uint32_t> ranks(channel_.size() - 1);
    std::iota(ranks.begin(), ranks.end(), 1);
    return ranks;
}

void Leader::tell_all(Order order, const Message &with, Nanoseconds time)
{
    for (const std::uint32_t rank : other_ranks())
        tell(rank, order, with, after(time));
}

// Returns the answer's value; nothing if no answer came. Throws SetupError if the Tester reports
// an error.
std::optional<Message> Leader::answer(std::uint32_t rank, Order order, Nanoseconds deadline)
{
    while (const std::optional<Message> message = hear(channel_, rank, deadline)) {
        Answered answered = read_answered(*message);
        if (answered.trial != trials_)
            continue;
        if (!answered.error.empty())
            throw SetupError(name_of(rank) + ": " + answered.error);
        if (answered.to == order)
            return std::move(answered.value);
    }
    return std::nullopt;
}

Message Leader::must_answer(std::uint32_t rank, Order order, Nanoseconds deadline)
{
    std::optional<Message> message = answer(rank, order, deadline);
    if (!message)
        lose(rank);
    return *std::move(message);
}

std::vector<Message> Leader::all_answer(Order order, Nanoseconds time)
{
    std::vector<Message> answers;
    for (const std::uint32_t rank : other_ranks())
        answers.push_back(must_answer(rank, order, after(time)));
    return answers;
}

std::vector<GivenOption> Leader::own_of_trials(std::uint32_t rank) const
{
    std::vector<GivenOption> own;
    if (!own_.by_rank.empty())
        std::ranges::copy_if(own_.by_rank.at(rank), std::back_inserter(own),
                             [](const GivenOption &one) { return is_of_trials(one.option); });
    return own;
}

ToldPlan Leader::plan_for(std::uint32_t rank, const TrialPlan &plan) const
{
    return {.words = words_of(plan, own_.options),
            .own = own_of_trials(rank),
            .files_crc64 = {},
            .given = {},
            .faults = {}};
}

// Returns the checksum of each file that the plan's queries are read from, in their order. Reads a
// file once: the trials of a search have its queries in memory.
std::vector<std::string> Leader::checksums(const TrialPlan &plan)
{
    std::vector<std::string> checksums;
    for (const QueryFile &file : files_of(plan.workload)) {
        std::string &known = checksums_[file.path];
        if (known.empty())
            known = file_checksum(file.option, file.path);
        checksums.push_back(known);
    }
    return checksums;
}

void Leader::dismiss()
{
    tell_all(Order::leave, {}, last_patience);
}

std::string Leader::name_of(std::uint32_t rank) const
{
    return tester_name(rank, testers_.at(rank).host);
}

void Leader::refuse_options(std::uint32_t rank, const OptionError &error) const
{
    const std::vector<std::string> &named = error.options();
    if (std::ranges::find_first_of(named, own_.options) == named.end())
        throw error;
    const std::vector<HostSetting> settings = settings_by_rank(tables_, hosts()).at(rank);
    const auto find = [&settings](const std::string &option) {
        return std::ranges::find(settings, option, &HostSetting::option);
    };
    const auto key = [&](const std::string &option) {
        return find(option) == settings.end() ? "--" + option : option;
    };
    for (const std::string &option : named)
        if (const auto set = find(option); set != settings.end())
            refuse(set->place, name_of(rank) + ": " + error.called(key));
    throw SetupError(name_of(rank) + ": " + error.what());
}

void Leader::lose(std::uint32_t rank)
{
    note_lost(rank);
    throw SetupError(name_of(rank) + " does not answer: it ended, hangs, or its network failed");
}

void Leader::note_lost(std::uint32_t rank)
{
    if (lost_.empty())
        lost_ = name_of(rank);
}

} // namespace dnsgauge
