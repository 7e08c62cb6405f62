// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/query_log.h"

#include "userland/name_text.h"
#include "userland/privileges.h"
#include "userland/setup_error.h"
#include "userland/system_calls.h"

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

std::string_view class_name(query_state state)
{
#define CLASS_NAME(NAME, key, label, reason, kind)                                                 \
    case QUERY_##NAME:                                                                             \
        return #key;
    switch (state) {
    case QUERY_VALID:
        return "valid";
    case QUERY_LATE:
        return "late";
        INVALID_CLASSES(CLASS_NAME)
    case QUERY_NONE:
    case QUERY_OUTSTANDING:
    case QUERY_STATES:
        break;
    }
#undef CLASS_NAME
    return "lost";
}

// Returns the end of the text.
char *put_number(char *text, std::uint64_t number, char behind)
{
    constexpr std::size_t digits_most = 20;
    char *end = std::to_chars(text, text + digits_most, number).ptr;
    *end = behind;
    return end + 1;
}

} // namespace

QueryLog::QueryLog(const std::string &path, PutQuery put_query, std::uint32_t senders,
                   Witnessed witnessed)
    : put_query_(std::move(put_query)), witnessed_(std::move(witnessed))
{
    file_.emplace(path, "--per-query");
    text_.reserve(text_most + line_most);
    make_rings(senders);
    text_ = "number;query;sender;sent_ns;class;rtt_ns";
    if (witnessed_.witness != nullptr)
        text_ += witnessed_.witness->heads();
    text_ += '\n';
}

QueryLog::QueryLog(Take take, std::uint32_t senders) : take_(std::move(take))
{
    make_rings(senders);
}

QueryLog::QueryLog(Witnessed witnessed, std::uint32_t senders) : witnessed_(std::move(witnessed))
{
    make_rings(senders);
}

QueryLog::~QueryLog() = default;

void QueryLog::make_rings(std::uint32_t senders)
{
    for (std::uint32_t i = 0; i < senders; i++)
        rings_.push_back(std::make_unique<QueryRing>(ring_capacity));
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
    if (witnessed_.witness != nullptr) {
        witnessed_.witness->finish();
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

// The first failure ends the writing: the file is wanted whole or not at all.
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
        return; // the senders fail likewise, and say so
    }
    static_cast<void>(confine_to_sending());
    while (!stop.stop_requested())
        if (!write_pending())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

bool QueryLog::write_pending()
{
    bool any = false;
    if (witnessed_.witness != nullptr)
        witnessed_.witness->look();
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
    if (take_)
        return take_(record);
    if (witnessed_.witness == nullptr)
        return write_line(record, "");
    const auto columns = witnessed_.witness->judge(record, witnessed_.sent(record));
    if (!columns)
        unsettled_.push_back(record);
    else if (file_)
        write_line(record, *columns);
}

void QueryLog::write_line(const QueryRecord &record, std::string_view columns)
{
    std::array<char, line_most> line{};
    char *end = put_number(line.data(), record.query, ';');
    end = put_query_(end, record);
    *end++ = ';';
    end = put_number(end, record.sender, ';');
    end = put_number(end, record.sent_ns - start_ns_, ';');
    end = std::ranges::copy(class_name(record.state), end).out;
    *end++ = ';';
    // A query without any reply has no RTT.
    if (record.state != QUERY_OUTSTANDING)
        end = put_number(end, record.rtt_ns, '\0') - 1;
    text_.append(line.data(), end).append(columns) += '\n';
    if (text_.size() >= text_most)
        write_text();
}

QueryLog::PutQuery put_names_of(const std::string &zone)
{
    return [zone](char *end, const QueryRecord &record) {
        return put_test_name(end, static_cast<std::uint32_t>(record.expectation), zone);
    };
}

} // namespace dnsgauge
