// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The per-query record of a trial. While the trial runs, it is written to a CSV file or handed to a
// function.
//
// Each sender has a ring. When a sender uses a slot again, it puts what became of the slot's last
// query into its ring. One thread takes the records out and writes them. A sender never waits: if
// the ring is full, it counts the record as missing, and the trial says that its file is
// incomplete.
#pragma once

#include "engine/query_witness.h"
#include "system/whole_file.h"

#include "wire/query_state.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace dnsgauge
{

struct QueryRecord {
    std::uint64_t query = 0;       // number in the whole schedule, from 0
    std::uint64_t place = 0;       // number among the sender's queries, from 0
    std::uint64_t sent_ns = 0;     // CLOCK_MONOTONIC
    std::uint64_t rtt_ns = 0;      // of a query that got a reply
    std::uint64_t expectation = 0; // the query's
    std::uint32_t sender = 0;      // number of its lane
    query_state state = QUERY_OUTSTANDING;
};

// A ring of records for two threads: one puts records in, the other takes them out. Each thread has
// a cache line of its own.
class QueryRing // NOLINT(clang-analyzer-optin.performance.Padding): the cache lines
{
public:
    // `capacity` is a power of two.
    explicit QueryRing(std::size_t capacity) : records_(capacity) {}

    // Puts the record in. Returns false if the ring is full.
    bool push(const QueryRecord &record)
    {
        const std::uint64_t head = head_.load(std::memory_order_relaxed);
        if (head - tail_.load(std::memory_order_acquire) == records_.size())
            return false;
        records_[head & (records_.size() - 1)] = record;
        head_.store(head + 1, std::memory_order_release);
        return true;
    }
    // Takes the oldest record out. Returns false if there is none.
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

// Where the records go: into a file; without a file, to `take`; without both, to the witness.
struct QueryLogPlan {
    std::optional<std::string> file{};
    // Writes the question of a record's query to `end`, at most query_text_most octets. Returns the
    // text's end.
    std::function<char *(char *end, const QueryRecord &record)> put_query{};
    // Gets the records, one after the other, until finish() returns.
    std::function<void(const QueryRecord &record)> take{};
    // Who else saw the queries, and the port and ID of each. The file also has the witness's
    // columns.
    QueryWitness *witness = nullptr; // null if there is none
    std::function<PortAndId(const QueryRecord &record)> sent{};

    [[nodiscard]] bool is_wanted() const { return file || take || witness != nullptr; }
};

class QueryLog
{
public:
    // Enough for a name whose octets are all written as \DDD, and a type.
    static constexpr std::size_t query_text_most = 1100;

    // Opens the file, and writes its heading. Throws SetupError if the file cannot be written.
    QueryLog(QueryLogPlan plan, std::uint32_t senders);

    [[nodiscard]] QueryRing &ring(std::uint32_t sender) { return *rings_[sender]; }

    // Starts the writing thread. Times are written relative to `start_ns`.
    void start(std::uint64_t start_ns);
    // Writes what is left, and gives the file its name. Returns false, and leaves no file, if the
    // file could not be written in full, as on a full disk.
    [[nodiscard]] bool finish();

private:
    void run(const std::stop_token &stop);
    bool write_pending();
    void write(const QueryRecord &record);
    // Writes a line that ends with these columns.
    void write_line(const QueryRecord &record, std::string_view columns);
    void write_text();

    QueryLogPlan plan_;
    std::vector<QueryRecord> unsettled_; // the witness may know more of them at the end
    std::uint64_t start_ns_ = 0;
    std::optional<WholeFile> file_;
    std::string text_; // not yet in the file
    bool has_failed_ = false;
    std::vector<std::unique_ptr<QueryRing>> rings_;
    std::jthread writer_;
};

} // namespace dnsgauge
