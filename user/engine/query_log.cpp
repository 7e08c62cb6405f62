// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "engine/query_log.h"

#include "common/privileges.h"
#include "common/setup_error.h"

#include "wire/test_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace dnsgauge
{

namespace
{

constexpr std::size_t ring_capacity = 1U << 19U;

const char *class_name(query_state state)
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

} // namespace

QueryLog::QueryLog(const std::string &path, PutQuery put_query, std::uint32_t senders)
    : put_query_(std::move(put_query)), file_(std::fopen(path.c_str(), "we"))
{
    if (!file_)
        throw SetupError("cannot write --per-query " + path + ": " + std::strerror(errno));
    for (std::uint32_t i = 0; i < senders; i++)
        rings_.push_back(std::make_unique<QueryRing>(ring_capacity));
    // finish() asks whether any write failed.
    static_cast<void>(std::fputs("number;query;sender;sent_ns;class;rtt_ns\n", file_.get()));
}

QueryLog::~QueryLog() = default;

void QueryLog::start(std::uint64_t start_ns)
{
    start_ns_ = start_ns;
    writer_ = std::jthread([this](const std::stop_token &stop) { run(stop); });
}

bool QueryLog::finish()
{
    writer_ = {};
    write_pending();
    const bool written = std::ferror(file_.get()) == 0 && std::fflush(file_.get()) == 0;
    file_.reset();
    return written;
}

void QueryLog::run(const std::stop_token &stop)
{
    try {
        drop_privileges();
    } catch (const SetupError &) {
        return; // the senders fail likewise, and say so
    }
    while (!stop.stop_requested())
        if (!write_pending())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

bool QueryLog::write_pending()
{
    bool any = false;
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
    const query_state state = slot_state(record.word);
    std::array<char, query_text_most + 150> line{};
    char *end = fmt::format_to(line.data(), "{};", record.query);
    end = put_query_(end, record);
    end = fmt::format_to(end, ";{};{};{};", record.sender, record.sent_ns - start_ns_,
                         class_name(state));
    // A query without any reply has no RTT.
    if (state != QUERY_OUTSTANDING)
        end = fmt::format_to(end, "{}", slot_rtt(record.word));
    *end++ = '\n';
    const auto size = static_cast<std::size_t>(end - line.data());
    static_cast<void>(std::fwrite(line.data(), 1, size, file_.get()));
}

QueryLog::PutQuery put_names_of(const std::string &zone)
{
    return [zone](char *end, const QueryRecord &record) {
        test_name_write(reinterpret_cast<std::uint8_t *>(end),
                        static_cast<std::uint32_t>(record.expectation));
        end += TEST_NAME_LABEL;
        *end++ = '.';
        return std::ranges::copy(zone, end).out;
    };
}

} // namespace dnsgauge
