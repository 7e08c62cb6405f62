// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/query_log.h"

#include "system/privileges.h"
#include "system/setup_error.h"
#include "system/system_calls.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr std::size_t ring_capacity = 1U << 19U;
constexpr std::size_t text_most = 1U << 16U; // octets that wait for one write
constexpr std::size_t line_most = QueryLog::query_text_most + 150;

constexpr auto class_names = [] {
    std::array<std::string_view, QUERY_STATES> names;
    names.fill("lost");
    names[QUERY_VALID] = "valid";
    names[QUERY_LATE] = "late";
#define CLASS_NAME(NAME, key, label, reason, kind) names[QUERY_##NAME] = #key;
    INVALID_CLASSES(CLASS_NAME)
#undef CLASS_NAME
    return names;
}();

// Returns the end of the text.
char *put_number(char *text, std::uint64_t number, char behind)
{
    constexpr std::size_t digits_most = 20;
    char *end = std::to_chars(text, text + digits_most, number).ptr;
    *end = behind;
    return end + 1;
}

} // namespace

QueryLog::QueryLog(QueryLogPlan plan, std::uint32_t senders) : plan_(std::move(plan))
{
    for (std::uint32_t i = 0; i < senders; i++)
        rings_.push_back(std::make_unique<QueryRing>(ring_capacity));
    if (plan_.file) {
        file_.emplace(*plan_.file, "--per-query");
        plan_.take = {};
        text_.reserve(text_most + line_most);
        text_ = "number;query;sender;sent_ns;class;rtt_ns";
        if (plan_.witness != nullptr)
            text_ += plan_.witness->heads();
        text_ += '\n';
    }
    if (plan_.take)
        plan_.witness = nullptr;
}

void QueryLog::start(std::uint64_t start_ns)
{
    start_ns_ = start_ns;
    writer_ = std::jthread([this](const std::stop_token &stop) { run(stop); });
}

bool QueryLog::finish()
{
    writer_ = {};
    write_pending();
    if (plan_.witness != nullptr) {
        plan_.witness->finish();
        for (const QueryRecord &record : std::exchange(unsettled_, {}))
            write(record);
    }
    write_text();
    if (has_failed_ || !file_)
        return !has_failed_;
    try {
        file_->commit();
    } catch (const SetupError &) {
        has_failed_ = true;
    }
    return !has_failed_;
}

// After a failure nothing more is written: the file is left whole or not at all.
void QueryLog::write_text()
{
    if (!has_failed_ && file_) {
        try {
            file_->write(text_);
        } catch (const SetupError &) {
            has_failed_ = true;
        }
    }
    text_.clear();
}

void QueryLog::run(const std::stop_token &stop)
{
    try {
        drop_privileges();
    } catch (const SetupError &) {
        return; // the senders fail for the same reason, and say so
    }
    static_cast<void>(confine_to_sending());
    while (!stop.stop_requested())
        if (!write_pending())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

bool QueryLog::write_pending()
{
    bool any = false;
    if (plan_.witness != nullptr)
        plan_.witness->look();
    for (const auto &ring : rings_) {
        QueryRecord record;
        while (ring->pop(record)) {
            write(record);
            any = true;
        }
    }
    return any;
}

void QueryLog::write(const QueryRecord &record)
{
    if (plan_.take)
        return plan_.take(record);
    if (plan_.witness == nullptr)
        return write_line(record, "");
    const auto columns = plan_.witness->judge(record, plan_.sent(record));
    if (!columns)
        unsettled_.push_back(record);
    else if (file_)
        write_line(record, *columns);
}

void QueryLog::write_line(const QueryRecord &record, std::string_view columns)
{
    std::array<char, line_most> line{};
    char *end = put_number(line.data(), record.query, ';');
    end = plan_.put_query(end, record);
    *end++ = ';';
    end = put_number(end, record.sender, ';');
    end = put_number(end, record.sent_ns - start_ns_, ';');
    end = std::ranges::copy(class_names.at(record.state), end).out;
    *end++ = ';';
    // A query without a reply has no RTT.
    if (record.state != QUERY_OUTSTANDING)
        end = put_number(end, record.rtt_ns, '\0') - 1;
    text_.append(line.data(), end).append(columns) += '\n';
    if (text_.size() >= text_most)
        write_text();
}

} // namespace dnsgauge
