// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/leader.h"

#include "fleet/clock_readings.h"
#include "fleet/measurement_json.h"
#include "fleet/talk.h"
#include "input/input_file.h"
#include "record/machine_fields.h"
#include "system/random.h"
#include "system/setup_error.h"
#include "trial/trial_options.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

namespace dnsgauge
{

namespace
{

using namespace std::chrono_literals;

// Octets per second of a packed file on a slow disk.
constexpr std::uintmax_t reading_speed = 2U << 20U;
constexpr Nanoseconds patience = Fleet::patience;
constexpr Nanoseconds patience_to_stop = 5s; // for a Tester that still sends
// After an interruption the launcher soon kills all Testers.
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

// Throws SetupError if two Testers would get each other's replies.
void check_links(const Fleet &fleet, const std::vector<Readiness> &all)
{
    for (std::uint32_t one = 0; one < all.size(); one++)
        for (std::uint32_t other = one + 1; other < all.size(); other++) {
            const Readiness &a = all[one];
            const Readiness &b = all[other];
            if (a.circumstances.source_address == b.circumstances.source_address)
                throw SetupError(
                    "{} and {} both send from {}: replies would reach one of them; give each an "
                    "address of its own (--interface, --source)",
                    fleet.name_of(one), fleet.name_of(other), a.circumstances.source_address);
            if (a.clients && b.clients && overlap(*a.clients, *b.clients))
                throw SetupError("--clients: {} has {}, and {} {}: replies would reach one of "
                                 "them; give each a prefix of its own ({{rank}} in --clients), "
                                 "which the server reaches through that Tester",
                                 fleet.name_of(one), to_string(*a.clients), fleet.name_of(other),
                                 to_string(*b.clients));
        }
}

class LedTrial final : public JointTrial
{
public:
    LedTrial(Fleet &fleet, const TrialPlan &plan, std::uint32_t senders)
        : fleet_(fleet), shares_{.first = 0, .all = senders, .order = new_scatter_key()},
          length_(plan.duration + 2 * plan.timeout)
    {
        for (const Introduction &tester : fleet_.testers())
            parts_.push_back({.rank = static_cast<std::uint32_t>(parts_.size()),
                              .host = tester.host,
                              .machine = tester.machine,
                              .clock = {},
                              .measured = {}});
    }

    LedTrial &operator=(LedTrial &&) = delete;
    ~LedTrial() override
    {
        if (!parts_.empty())
            fleet_.tell_all(Order::off, after(Fleet::last_patience));
    }

    // Makes all Testers set up the trial, which takes at most `time`. Throws SetupError if one
    // cannot.
    void prepare(Nanoseconds time, const Fleet::MessageFor &plan_for)
    {
        std::vector<std::uint32_t> firsts{0};
        for (const Message &senders : fleet_.begin(Order::prepare, time, plan_for)) {
            firsts.push_back(shares_.all);
            shares_.all += senders.get<std::uint32_t>();
        }
        for (std::uint32_t rank = 1; rank < parts_.size(); rank++) {
            Shares theirs = shares_;
            theirs.first = firsts[rank];
            fleet_.tell(rank, Order::share, packed(theirs), after(patience));
        }
    }

    [[nodiscard]] Shares shares() const override { return shares_; }
    std::vector<ReadyTester> get_ready(const Readiness &mine) override
    {
        std::vector<Readiness> all{mine};
        for (std::uint32_t rank = 1; rank < parts_.size(); rank++)
            all.push_back(read_readiness(
                fleet_.must_answer(rank, Order::share, after(Fleet::set_up_patience))));
        check_links(fleet_, all);
        std::vector<ReadyTester> testers;
        for (std::uint32_t rank = 0; rank < parts_.size(); rank++) {
            testers.push_back({fleet_.name_of(rank), std::move(all[rank].circumstances)});
            if (rank == 0)
                continue;
            const auto reading = awaits_pings(rank, after(patience))
                                     ? read_clock(fleet_.channel(), rank)
                                     : std::nullopt;
            if (!reading)
                fleet_.lose(rank);
            parts_[rank].clock.before = *reading;
        }
        return testers;
    }

    [[nodiscard]] Nanoseconds common_start() override
    {
        start_ = after(start_delay + parts_.size() * start_delay_each);
        for (std::uint32_t rank = 1; rank < parts_.size(); rank++)
            fleet_.tell(rank, Order::start, packed(start_ + parts_[rank].clock.before.offset),
                        after(patience));
        return start_;
    }

    [[nodiscard]] bool is_stopped() override { return false; }
    [[nodiscard]] std::vector<TesterPart> exchange(Measurement mine) override
    {
        Nanoseconds deadline = std::max(start_ + length_, after({})) + patience;
        const bool is_interrupted = mine.faults.interrupted;
        if (is_interrupted) {
            deadline = after(patience_when_interrupted);
            fleet_.tell_all(Order::stop, deadline);
        }
        parts_.front().clock.after = ClockReading{};
        parts_.front().measured = std::move(mine);
        for (std::uint32_t rank = 1; rank < parts_.size(); rank++) {
            fetch(parts_[rank], deadline, is_interrupted);
            if (!parts_[rank].measured)
                fleet_.note_lost(rank);
        }
        return std::exchange(parts_, {});
    }

private:
    [[nodiscard]] bool awaits_pings(std::uint32_t rank, Nanoseconds deadline)
    {
        return fleet_.tell(rank, Order::pings, {}, deadline) &&
               fleet_.answer(rank, Order::pings, deadline);
    }

    // Completes a Tester's part: adds the clock after the trial, and the measurement. Both stay
    // missing if the Tester does not answer.
    void fetch(TesterPart &part, Nanoseconds deadline, bool is_interrupted)
    {
        // Earlier Testers may have used up the time.
        if (!is_interrupted)
            deadline = std::max(deadline, after(Fleet::last_patience));
        bool is_here = awaits_pings(part.rank, deadline);
        // A Tester that is far too slow may still be sending. After an interruption all others
        // share one time limit: some may have been killed, and the launcher will soon kill this
        // Tester, too.
        const Nanoseconds last =
            is_interrupted ? deadline + patience_to_stop : after(patience_to_stop);
        if (!is_here && fleet_.tell(part.rank, Order::stop, {}, after(Fleet::last_patience))) {
            is_here = fleet_.answer(part.rank, Order::pings, last).has_value();
            part.was_told_to_stop = !is_interrupted;
        }
        if (is_here)
            part.clock.after = read_clock(fleet_.channel(), part.rank);
        if (!part.clock.after || !fleet_.tell(part.rank, Order::part, {}, after(patience)))
            return;
        if (const auto measured = fleet_.answer(part.rank, Order::part, after(patience)))
            part.measured = read_measurement(*measured);
    }

    Fleet &fleet_;
    Shares shares_;
    Nanoseconds length_; // the time until no reply can count any more
    Nanoseconds start_{};
    std::vector<TesterPart> parts_; // by rank, as far as they are known; empty after the trial
};

// The servers of all other Testers.
class OtherServers final : public RunningServer
{
public:
    explicit OtherServers(Fleet &fleet) : fleet_(fleet) {}
    OtherServers &operator=(OtherServers &&) = delete;
    ~OtherServers() override
    {
        try {
            fleet_.begin(Order::rest, patience);
        } catch (const std::exception &) {
            // A Tester that does not answer has been noted as lost, so no trial follows.
        }
    }

    void check_alive() const override { fleet_.begin(Order::check, patience); }

private:
    Fleet &fleet_;
};

} // namespace

Leader::Leader(Fleet &fleet, TesterOptions options) : fleet_(fleet), options_(std::move(options))
{
    options_.by_rank.resize(fleet_.testers().size());
}

void Leader::check_others(const TrialPlan &plan)
{
    if (plan.per_query_file && !options_.differs("per-query"))
        throw SetupError("--per-query {}: each Tester writes a file of its own: put "
                         "{{rank}} into the name",
                         *plan.per_query_file);
    for (std::uint32_t rank = 1; rank < options_.by_rank.size(); rank++)
        name_errors(rank, [&] {
            TrialPlan theirs = plan_of(plan_for(rank, plan));
            complete(theirs);
        });
}

std::unique_ptr<JointTrial> Leader::begin(const TrialPlan &plan, std::uint32_t senders)
{
    const std::vector<std::string> checksums = checksums_of(plan);
    auto trial = std::make_unique<LedTrial>(fleet_, plan, senders);
    trial->prepare(Fleet::set_up_patience + reading_time(plan), [&](std::uint32_t rank) {
        ToldPlan told = plan_for(rank, plan);
        told.files_crc64 = checksums;
        return packed(told);
    });
    return trial;
}

std::vector<TesterSetup> Leader::others(const TrialPlan &plan)
{
    std::vector<TesterSetup> setups;
    for (const Message &setup :
         fleet_.begin(Order::describe, Fleet::set_up_patience,
                      [&](std::uint32_t rank) { return packed(plan_for(rank, plan)); }))
        setups.push_back(read_fields<TesterSetup>(setup));
    return setups;
}

std::vector<std::string> Leader::servers(const TrialPlan &plan) const
{
    std::vector<std::string> servers{to_string(plan.server)};
    for (std::uint32_t rank = 1; rank < options_.by_rank.size(); rank++)
        servers.push_back(to_string(plan_of(plan_for(rank, plan)).server));
    return servers;
}

std::unique_ptr<RunningServer> Leader::serve(const TrialPlan &plan, const std::string &faults)
{
    auto servers = std::make_unique<OtherServers>(fleet_);
    fleet_.begin(Order::serve, Fleet::set_up_patience, [&](std::uint32_t rank) {
        ToldPlan told = plan_for(rank, plan);
        told.given = options_of(rank);
        told.faults = faults;
        return packed(told);
    });
    return servers;
}

ToldPlan Leader::plan_for(std::uint32_t rank, const TrialPlan &plan) const
{
    ToldPlan told{.words = words_of(plan, options_.differing), .own = {}};
    std::ranges::copy_if(options_of(rank), std::back_inserter(told.own),
                         [this](const GivenOption &one) { return options_.differs(one.option); });
    return told;
}

// Returns the checksum of each file that the plan's queries are read from, in their order. Reads a
// file once: the trials of a search have its queries in memory.
std::vector<std::string> Leader::checksums_of(const TrialPlan &plan)
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

void Leader::refuse_options(std::uint32_t rank, const OptionError &error) const
{
    const std::vector<std::string> &named = error.options();
    if (std::ranges::none_of(named, [this](const auto &name) { return options_.differs(name); }))
        throw error;
    throw SetupError(fleet_.name_of(rank) + ": " + error.called([&](const std::string &option) {
        const auto given = std::ranges::find(options_of(rank), option, &GivenOption::option);
        return given == options_of(rank).end() || given->place.empty() ? "--" + option
                                                                       : given->place;
    }));
}

} // namespace dnsgauge
