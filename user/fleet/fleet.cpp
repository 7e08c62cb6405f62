// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/fleet.h"

#include "system/setup_error.h"

#include <fmt/format.h>

#include <utility>

namespace dnsgauge
{

Fleet::Fleet(Channel &channel, std::vector<std::string> words)
    : channel_(channel), testers_{introduce(std::move(words))}
{
    for (std::uint32_t rank = 1; rank < channel_.size(); rank++) {
        const std::optional<Message> message = hear(channel_, rank, after(set_up_patience));
        if (!message)
            throw SetupError("Tester {} does not say who it is within {:g} s: do all "
                             "hosts run dnsgauge-mpi?",
                             rank, seconds(set_up_patience));
        testers_.push_back(read_introduction(*message));
    }
}

std::string Fleet::disagreement() const
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

std::vector<std::string> Fleet::hosts() const
{
    std::vector<std::string> hosts;
    for (const Introduction &tester : testers_)
        hosts.push_back(tester.host);
    return hosts;
}

std::string Fleet::name_of(std::uint32_t rank) const
{
    return tester_name(rank, testers_.at(rank).host);
}

std::vector<Message> Fleet::begin(Order order, Nanoseconds time, const MessageFor &with)
{
    // Even after a loss the others must end their servers.
    if (lost_ && order != Order::rest)
        throw SetupError(name_of(*lost_) +
                         " stopped answering in an earlier trial: start all Testers anew");
    task_++;
    for (std::uint32_t rank = 1; rank < testers_.size(); rank++)
        tell(rank, order, with(rank), after(patience));
    std::vector<Message> answers;
    for (std::uint32_t rank = 1; rank < testers_.size(); rank++)
        answers.push_back(must_answer(rank, order, after(time)));
    return answers;
}

bool Fleet::tell(std::uint32_t rank, Order order, Message with, Nanoseconds deadline)
{
    const Message message = packed(Told{.order = order, .task = task_, .with = std::move(with)});
    const bool was_taken = say_to(channel_, rank, message, deadline);
    if (!was_taken)
        note_lost(rank);
    return was_taken;
}

void Fleet::tell_all(Order order, Nanoseconds deadline)
{
    for (std::uint32_t rank = 1; rank < testers_.size(); rank++)
        tell(rank, order, {}, deadline);
}

std::optional<Message> Fleet::answer(std::uint32_t rank, Order order, Nanoseconds deadline)
{
    while (const std::optional<Message> message = hear(channel_, rank, deadline)) {
        auto answered = unpacked<Answered>(*message);
        if (answered.task != task_)
            continue;
        if (!answered.error.empty())
            throw SetupError(name_of(rank) + ": " + answered.error);
        if (answered.order == order)
            return std::move(answered.value);
    }
    return std::nullopt;
}

Message Fleet::must_answer(std::uint32_t rank, Order order, Nanoseconds deadline)
{
    std::optional<Message> message = answer(rank, order, deadline);
    if (!message)
        lose(rank);
    return *std::move(message);
}

void Fleet::note_lost(std::uint32_t rank)
{
    if (!lost_)
        lost_ = rank;
}

void Fleet::lose(std::uint32_t rank)
{
    note_lost(rank);
    throw SetupError(name_of(rank) + " does not answer: it ended, hangs, or its network failed");
}

bool Fleet::dismiss()
{
    tell_all(Order::leave, after(last_patience));
    return !lost_;
}

} // namespace dnsgauge
