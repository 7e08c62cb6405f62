// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/talk.h"

#include "fleet/clock_readings.h"
#include "machine/text_files.h"
#include "options/command_line.h"
#include "record/machine_fields.h"
#include "system/version.h"
#include "trial/circumstances.h"
#include "trial/trial_options.h"
#include "units/quantity_access.h"
#include "workload/captured_queries.h"

#include <algorithm>
#include <utility>

namespace dnsgauge
{

namespace
{

Options options_of(TrialPlan &plan)
{
    Options options{{"rate", rate(plan.rate)}, {"per-query", text(plan.per_query_file)}};
    append(options, trial_options(plan));
    append(options, interval_options(plan));
    append(options, replay_options(plan));
    return options;
}

} // namespace

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
    // Another version may lack these members. The error message then names the version.
    return {.host = message.at("host").get<std::string>(),
            .machine = message.value("machine", ""),
            .version = message.at("version").get<std::string>(),
            .words = message.value("words", std::vector<std::string>())};
}

Nanoseconds after(Nanoseconds time)
{
    return std::chrono::steady_clock::now().time_since_epoch() + time;
}

bool say_to(Channel &channel, std::uint32_t to, const Message &message, Nanoseconds deadline)
{
    // A command line may have octets that are not UTF-8.
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

std::vector<std::string> words_of(const TrialPlan &plan, const std::vector<std::string> &without)
{
    TrialPlan values = plan;
    if (const auto *capture = part_of<CaptureWorkload>(plan.workload);
        capture != nullptr && capture->queries)
        values.duration = capture->queries->duration();
    TrialPlan usual = usual_plan();
    Options options = options_of(values);
    std::erase_if(options, [&without](const Option &option) {
        return std::ranges::find(without, option.name) != without.end();
    });
    return command_words(options, options_of(usual));
}

TrialPlan plan_of(const std::vector<std::string> &words, std::vector<GivenOption> own)
{
    TrialPlan plan = usual_plan();
    const Options options = options_of(plan);
    std::erase_if(own, [&options](const GivenOption &one) {
        return find_option(options, one.option) == nullptr;
    });
    // The plan was checked when its words were made, so only values that are read now can be wrong.
    read_values(options, parse_words(options, words));
    read_values(options, own);
    fill_in(plan);
    return plan;
}

TrialPlan plan_of(const ToldPlan &told)
{
    return plan_of(told.words, told.own);
}

} // namespace dnsgauge
