// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/talk.h"

#include "fleet/clock_readings.h"
#include "machine/text_files.h"
#include "record/machine_fields.h"
#include "trial/circumstances.h"
#include "userland/version.h"

#include <stdexcept>
#include <utility>

namespace dnsgauge
{

Nanoseconds after(Nanoseconds time)
{
    return std::chrono::steady_clock::now().time_since_epoch() + time;
}

bool say_to(Channel &channel, std::uint32_t to, const Message &message, Nanoseconds deadline)
{
    // A command line may hold octets that are no UTF-8.
    const std::string text = message.dump(-1, ' ', false, Message::error_handler_t::replace);
    return channel.send(to, text, deadline, Wait::sleeping);
}

std::optional<Message> hear(Channel &channel, std::uint32_t from, Nanoseconds deadline)
{
    while (const auto text = channel.receive(from, deadline, Wait::sleeping))
        if (!is_answer(*text))
            return Message::parse(*text);
    return std::nullopt;
}

Message told_json(Told told)
{
    told.with["do"] = orders.text_of(told.order);
    told.with["trial"] = told.trial;
    return std::move(told.with);
}

Told read_told(Message message)
{
    const std::string word = message.at("do").get<std::string>();
    const std::optional<Order> order = orders.value_of(word);
    if (!order)
        throw std::runtime_error("a Tester is told to " + word);
    return {.order = *order, .trial = message.value("trial", 0UL), .with = std::move(message)};
}

Message answered_json(const Answered &answered)
{
    if (!answered.to)
        return {{"error", answered.error}, {"trial", answered.trial}};
    return {
        {"to", orders.text_of(*answered.to)}, {"value", answered.value}, {"trial", answered.trial}};
}

Answered read_answered(const Message &message)
{
    return {.to = orders.value_of(message.value("to", "")),
            .trial = message.at("trial").get<std::uint64_t>(),
            .value = message.value("value", Message()),
            .error = message.value("error", "")};
}

namespace
{

// Options with their texts.
Message values_json(const std::vector<GivenOption> &values)
{
    Message json = Message::array();
    for (const GivenOption &value : values)
        json.push_back({value.option, value.text});
    return json;
}

std::vector<GivenOption> values_in(const Message &message)
{
    std::vector<GivenOption> values;
    for (const Message &value : message)
        values.push_back({value.at(0).get<std::string>(), value.at(1).get<std::string>()});
    return values;
}

} // namespace

Message plan_json(const ToldPlan &plan)
{
    return {{"words", plan.words},
            {"own", values_json(plan.own)},
            {"files_crc64", plan.files_crc64},
            {"given", values_json(plan.given)},
            {"faults", plan.faults}};
}

ToldPlan read_plan(const Message &message)
{
    return {.words = message.at("words").get<std::vector<std::string>>(),
            .own = values_in(message.at("own")),
            .files_crc64 = message.at("files_crc64").get<std::vector<std::string>>(),
            .given = values_in(message.at("given")),
            .faults = message.at("faults").get<std::string>()};
}

Introduction introduce(std::vector<std::string> words)
{
    return {.host = host_name(),
            .machine = first_line("/proc/sys/kernel/random/boot_id"),
            .version = version_text("dnsgauge"),
            .words = std::move(words)};
}

Message introduction_json(const Introduction &introduction)
{
    return {{"host", introduction.host},
            {"machine", introduction.machine},
            {"version", introduction.version},
            {"words", introduction.words}};
}

Introduction read_introduction(const Message &message)
{
    // Another version may lack these members. The message then names the version.
    return {.host = message.at("host").get<std::string>(),
            .machine = message.value("machine", ""),
            .version = message.at("version").get<std::string>(),
            .words = message.value("words", std::vector<std::string>())};
}

Message shares_json(const Shares &shares)
{
    return {{"first", shares.first},
            {"all", shares.all},
            {"order", {{"add", shares.order.add}, {"factor", shares.order.factor}}}};
}

Shares read_shares(const Message &message)
{
    Shares shares{.first = message.at("first").get<std::uint32_t>(),
                  .all = message.at("all").get<std::uint32_t>()};
    const Message &order = message.at("order");
    for (std::size_t round = 0; round < IDENTITY_ROUNDS; round++) {
        shares.order.add[round] = order.at("add").at(round).get<std::uint64_t>();
        shares.order.factor[round] = order.at("factor").at(round).get<std::uint64_t>();
    }
    return shares;
}

Message readiness_json(const Readiness &readiness)
{
    return {{"circumstances", written(readiness.circumstances)},
            {"clients", readiness.clients ? Message(to_string(*readiness.clients)) : Message()}};
}

Readiness read_readiness(const Message &message)
{
    Readiness readiness{.circumstances = read_fields<Circumstances>(message.at("circumstances")),
                        .clients = {}};
    if (const Message &clients = message.at("clients"); !clients.is_null())
        readiness.clients = parse_ip_prefix(clients.get<std::string>());
    return readiness;
}

} // namespace dnsgauge
