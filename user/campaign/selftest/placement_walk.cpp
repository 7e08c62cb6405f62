// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "selftest/selftest_run.h"

#include "machine/card.h"
#include "machine/topology.h"
#include "placement/placement.h"
#include "system/counted.h"
#include "system/listed.h"
#include "system/setup_error.h"
#include "system/standard_output.h"
#include "trial/circumstances.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

// The transmit queue of a sender if --sender-queues names none.
constexpr unsigned usual_queue = 0;

// Gives the machine these settings as long as the object exists.
class Placed
{
public:
    Placed(const Knobs &machine, const PlacementWishes &settings)
        : is_changed_(!settings.empty() && !apply_placement(machine, settings, record_).empty())
    {
    }
    ~Placed()
    {
        if (!is_changed_)
            return;
        try {
            const Restored restored = restore_placement(record_, "/");
            for (const std::string &note : restored.notes)
                say("dnsgauge: {}\n", note);
            for (const std::string &refusal : restored.refusals)
                say("dnsgauge: {}: put it back with dnsgauge placement restore\n", refusal);
        } catch (const std::exception &error) {
            say("dnsgauge: {}: put it back with dnsgauge placement restore\n", error.what());
        }
    }
    Placed &operator=(Placed &&) = delete;

    [[nodiscard]] bool is_changed() const { return is_changed_; }

private:
    std::string record_ = placement_record_path();
    bool is_changed_;
};

class Walker
{
public:
    Walker(SelftestRequest &request, const std::atomic<bool> &stop)
        : request_(request), stop_(stop), machine_(request.trial.interface, "/")
    {
    }

    [[nodiscard]] WalkOutcome walk()
    {
        walk_.repeat = request_.repeat;
        const bool decides = search_all(senders()) &&
                             search_if_choice(transmitters(walk_.best().sender_cpu)) &&
                             search_if_choice(receivers(walk_.best()));
        walk_.finished = machine_circumstances().started;
        if (!decides)
            return {.walk = std::move(walk_), .selftest = last_};
        const std::pair sender(walk_.best().sender_cpu, walk_.best().sender_queue);
        set_sender(request_, sender.first, sender.second);
        return {.walk = std::move(walk_), .selftest = least_.at(sender)};
    }

private:
    // Makes the stage's searches and adds the stage. Returns false if a search decided nothing.
    [[nodiscard]] bool search_all(PlacementStage stage)
    {
        // Goes on even with a single placement: there is nothing to choose, but a self-test to
        // make.
        for (std::uint64_t round = 0; round < request_.repeat; round++)
            for (WalkedPlacement &placement : stage.walked) {
                say("dnsgauge: round {} of {}: sender on {}\n", round + 1, request_.repeat,
                    placement_name(placement));
                last_ = search(placement);
                if (!is_decided(last_))
                    return false;
                placement.rates.push_back(last_.allowed ? last_.allowed->per_second : 0);
                if (!placement.settings.empty())
                    continue;
                const auto [least, is_first] =
                    least_.try_emplace({placement.sender_cpu, placement.sender_queue}, last_);
                if (!is_first && last_.allowed < least->second.allowed)
                    least->second = last_;
            }
        choose_best(stage, request_.plan.range.resolution);
        say("dnsgauge: {}: {}\n", stage.part, stage.found);
        walk_.stages.push_back(std::move(stage));
        return true;
    }

    [[nodiscard]] SelftestOutcome search(const WalkedPlacement &placement)
    {
        SelftestRequest request = request_;
        set_sender(request, placement.sender_cpu, placement.sender_queue);
        const Placed placed(machine_, placement.settings);
        return search_rates(request, std::exchange(has_searched_, true), stop_);
    }

    [[nodiscard]] PlacementStage senders() const
    {
        PlacementStage stage{.part = sender_part};
        stage.walked.push_back({.sender_cpu = request_.setup.sender_cpus.front()});
        for (const unsigned cpu : request_.walked_cpus)
            if (cpu != stage.walked.front().sender_cpu)
                stage.walked.push_back({.sender_cpu = cpu});
        return stage;
    }

    // Tries transmit queues, whose interrupts tell that the card has sent.
    [[nodiscard]] PlacementStage transmitters(unsigned sender_cpu)
    {
        PlacementStage stage{.part = transmit_part};
        stage.walked.push_back({.sender_cpu = sender_cpu});
        std::map<unsigned, unsigned> queues =
            transmit_queue_cpus(machine_.interface(), machine_.root());
        // A card keeps the interrupts of queues that are not in use.
        std::erase_if(queues, [this](const auto &one) {
            return one.first >= request_.setup.transmit_queues;
        });
        const auto left_out = [&](std::string why) {
            walk_.not_walked.push_back(std::move(why));
            return stage;
        };
        if (request_.trial.transport != Transport::udp)
            return left_out("over TCP the kernel chooses the transmit queue");
        if (request_.setup.transmit_queues < 2)
            return left_out(fmt::format("{} has a single transmit queue", machine_.interface()));
        if (queues.empty())
            return left_out(fmt::format(
                "{} has no interrupts of its own: no transmit queue is nearer to the sender",
                machine_.interface()));
        for (const unsigned queue :
             one_queue_of_each_nearness(sender_cpu, usual_queue, queues, cpu_places()))
            stage.walked.push_back({.sender_cpu = sender_cpu, .sender_queue = queue});
        if (stage.walked.size() == 1)
            walk_.not_walked.push_back(fmt::format("no transmit queue's interrupt is nearer to the "
                                                   "sender, or farther, than queue {}'s",
                                                   usual_queue));
        return stage;
    }

    [[nodiscard]] PlacementStage receivers(const WalkedPlacement &sender)
    {
        PlacementStage stage{.part = receive_part};
        stage.walked.push_back(
            {.sender_cpu = sender.sender_cpu, .sender_queue = sender.sender_queue});
        if (queue_interrupts(machine_.interface(), machine_.root()).empty())
            walk_.not_walked.push_back(
                fmt::format("{} has no interrupts of its own: replies are received on the CPU of "
                            "their sender",
                            machine_.interface()));
        else
            for (const unsigned cpu : one_of_each_nearness(sender.sender_cpu, cpu_places()))
                add_settings(stage, {{"irqbalance", "stop"}, {"irq-cpus", fmt::format("{}", cpu)}});
        if (request_.setup.receive_queues < 2)
            walk_.not_walked.push_back(
                fmt::format("{} has a single receive queue", machine_.interface()));
        else
            for (const char *fields : {"sd", "sdfn"})
                add_settings(stage, {{"rss-fields", fields}});
        return stage;
    }

    [[nodiscard]] bool search_if_choice(PlacementStage stage)
    {
        return stage.walked.size() == 1 || search_all(std::move(stage));
    }

    // Adds the placement if the machine can be changed so; otherwise notes why not.
    void add_settings(PlacementStage &stage, const PlacementWishes &settings)
    {
        try {
            if (Placed(machine_, settings).is_changed())
                stage.walked.push_back({.sender_cpu = stage.walked.front().sender_cpu,
                                        .sender_queue = stage.walked.front().sender_queue,
                                        .settings = settings});
        } catch (const SetupError &error) {
            walk_.not_walked.emplace_back(error.what());
        }
    }

    SelftestRequest &request_;
    const std::atomic<bool> &stop_;
    Knobs machine_;
    PlacementWalk walk_;
    // Outcomes by the sender's CPU and transmit queue, without other changes of the machine.
    std::map<std::pair<unsigned, std::optional<unsigned>>, SelftestOutcome> least_;
    SelftestOutcome last_;
    bool has_searched_ = false;
};

std::string finding(const PlacementStage &stage)
{
    const WalkedPlacement &usual = stage.walked.front();
    if (stage.walked.size() == 1)
        return fmt::format("had no choice but {}", placement_name(usual));
    if (stage.best == 0)
        return fmt::format("found none better than {}: its searches found {:.0f} to {:.0f} "
                           "queries/s, and no other placement found more in every search",
                           placement_name(usual), usual.spread().min, usual.spread().max);
    const std::string gain =
        stage.gain_percent
            ? fmt::format("{:.1f} % above {}", *stage.gain_percent, placement_name(usual))
            : fmt::format("{} kept no rate", placement_name(usual));
    return fmt::format("found {} best: {} (medians of {} searches)", placement_name(stage.chosen()),
                       gain, usual.rates.size());
}

} // namespace

WalkOutcome walk_placements(SelftestRequest &request, const std::atomic<bool> &stop)
{
    if (!begin_selftest(request, stop))
        return {.walk = {}, .selftest = {.end = TrialsEnd::interrupted}};
    say("dnsgauge: {} for each placement, {} as the sender's\n",
        counted(request.repeat, "search", "searches"), counted(request.walked_cpus.size(), "CPU"));
    return Walker(request, stop).walk();
}

std::string placement_name(const WalkedPlacement &placement)
{
    std::vector<std::string> with;
    if (placement.sender_queue)
        with.push_back(fmt::format("transmit queue {}", *placement.sender_queue));
    if (!placement.settings.empty())
        with.push_back(settings_text(placement.settings));
    return fmt::format("CPU {}{}{}", placement.sender_cpu, with.empty() ? "" : " with ",
                       join(with, " and "));
}

std::vector<unsigned> one_of_each_nearness(unsigned cpu, const std::vector<CpuPlace> &all)
{
    const auto own = std::ranges::find(all, cpu, &CpuPlace::cpu);
    std::map<Nearness, unsigned> found; // a Nearness grows with the distance
    for (const CpuPlace &place : all)
        found.try_emplace(nearness(*own, place), place.cpu);
    std::vector<unsigned> cpus;
    for (const auto &[near, one] : found)
        cpus.push_back(one);
    return cpus;
}

std::vector<unsigned> one_queue_of_each_nearness(unsigned cpu, unsigned usual,
                                                 const std::map<unsigned, unsigned> &queues,
                                                 const std::vector<CpuPlace> &all)
{
    const auto own = std::ranges::find(all, cpu, &CpuPlace::cpu);
    std::map<Nearness, unsigned> found;
    const auto add = [&](unsigned queue, unsigned its_cpu) {
        if (const auto place = std::ranges::find(all, its_cpu, &CpuPlace::cpu); place != all.end())
            found.try_emplace(nearness(*own, *place), queue);
    };
    if (const auto mine = queues.find(usual); mine != queues.end())
        add(usual, mine->second);
    for (const auto &[queue, its_cpu] : queues)
        add(queue, its_cpu);
    std::vector<unsigned> others;
    for (const auto &[near, queue] : found)
        if (queue != usual)
            others.push_back(queue);
    return others;
}

void choose_best(PlacementStage &stage, std::uint64_t resolution)
{
    const Band usual = stage.walked.front().spread();
    double most = 0;
    for (std::size_t i = 1; i < stage.walked.size(); i++) {
        const Band spread = stage.walked[i].spread();
        if (spread.min < usual.max + static_cast<double>(resolution) || spread.median <= most)
            continue;
        most = spread.median;
        stage.best = i;
    }
    if (stage.best != 0 && usual.median > 0)
        stage.gain_percent = 100 * (most / usual.median - 1);
    stage.found = finding(stage);
}

} // namespace dnsgauge
