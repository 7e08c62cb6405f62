// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The per-query record of a trial, written to a CSV file while the trial runs.
//
// Each sender has a ring into which it drops what became of a query when the query's slot is used
// again; one thread formats and writes. A sender never waits: if a ring is full its record is
// counted as missing, and the trial says that its file is incomplete.
#pragma once

#include "reply_clock_abi.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace dnsgauge
{

struct QueryRecord {
    std::uint64_t query = 0;       // its number in the trial, from 0
    std::uint64_t sent_ns = 0;     // CLOCK_MONOTONIC
    std::uint64_t word = 0;        // the slot's last: state and RTT
    std::uint64_t expectation = 0; // the slot's
    std::uint32_t sender = 0;
};

// One producer, one consumer, and a cache line for each.
class QueryRing // NOLINT(clang-analyzer-optin.performance.Padding): said above
{
public:
    explicit QueryRing(std::size_t capacity) : records_(capacity) {} // a power of two

    // False when the ring is full.
    bool push(const QueryRecord &record)
    {
        const std::uint64_t head = head_.load(std::memory_order_relaxed);
        if (head - tail_.load(std::memory_order_acquire) == records_.size())
            return false;
        records_[head & (records_.size() - 1)] = record;
        head_.store(head + 1, std::memory_order_release);
        return true;
    }
    // False when there is nothing.
    bool pop(QueryRecord &record)
    {
        const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
        if (tail == head_.load(std::memory_order_acquire))
            return false;
        record = records_[tail & (records_.size() - 1)];
        tail_.store(tail + 1, std::memory_order_release);
        return true;
    }

private:
    std::vector<QueryRecord> records_;
    alignas(64) std::atomic<std::uint64_t> head_{0};
    alignas(64) std::atomic<std::uint64_t> tail_{0};
};

class QueryLog
{
public:
    // Writes to `end` what was asked by the query of a record, at most query_text_most octets, and
    // returns the text's end.
    using PutQuery = std::function<char *(char *end, const QueryRecord &record)>;
    static constexpr std::size_t query_text_most =
        1100; // of a name, each octet as \DDD, and a type

    // Opens `path` at once and writes the heading. Throws SetupError when it cannot be written.
    QueryLog(const std::string &path, PutQuery put_query, std::uint32_t senders);
    ~QueryLog();
    QueryLog(const QueryLog &) = delete;
    QueryLog &operator=(const QueryLog &) = delete;

    [[nodiscard]] QueryRing &ring(std::uint32_t sender) { return *rings_[sender]; }

    // Times are written relative to `start_ns` from now on; starts the writing thread.
    void start(std::uint64_t start_ns);
    // Writes what is left and closes the file. False when the file could not be written in full
    // (a full disk).
    [[nodiscard]] bool finish();

private:
    struct FileCloser {
        // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): it is the owner who calls
        void operator()(std::FILE *file) const { static_cast<void>(std::fclose(file)); }
    };

    void run(const std::stop_token &stop);
    bool write_pending();
    void write(const QueryRecord &record);

    PutQuery put_query_;
    std::uint64_t start_ns_ = 0;
    std::unique_ptr<std::FILE, FileCloser> file_;
    std::vector<std::unique_ptr<QueryRing>> rings_;
    std::jthread writer_;
};

// Of queries for names of the test namespace: the name.
[[nodiscard]] QueryLog::PutQuery put_names_of(const std::string &zone);

} // namespace dnsgauge
