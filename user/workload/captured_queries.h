// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The queries of captures, made ready to be sent again at their times from their clients, or mapped
// from a file where they are ready.
#pragma once

#include "capture/capture_reader.h"
#include "units/rate.h"
#include "wire/judge.h"
#include "workload/octet_store.h"
#include "workload/prepared_file.h"
#include "workload/workload.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace dnsgauge
{

// Queries that were left out, besides the ones in CaptureCounts. A capture that is played once is
// read until a second after the duration: later queries are not counted.
struct ReplayOmissions {
    std::uint64_t other_server = 0;
    std::uint64_t unreadable = 0;    // another opcode than QUERY, or not one uncompressed question
    std::uint64_t too_long = 0;      // longer than longest_query
    std::uint64_t outside = 0;       // skipped, or after the duration
    std::uint64_t other_records = 0; // besides one OPT record, if that is to have options
};

// A slice of the captures.
struct CaptureSlice {
    std::uint64_t queries = 0;
    std::int64_t last_ns = 0; // when the last one is due
};

class CapturedQueries
{
public:
    // Reads the captures. Leaves out queries that would be due after `duration`. A reply must be as
    // `wants` says. Without `wants` it must have the RCODE, the number of answers and the data of
    // the capture's own answer, and be useful if the capture has no whole answer. Throws SetupError
    // if a capture cannot be read, if there are no queries, if they take more than memory_most, if
    // the prefix has too few addresses, or if prepared captures have answers' data hashed by
    // different keys.
    CapturedQueries(const ReplayWish &wish, Nanoseconds duration,
                    std::optional<std::uint32_t> wants);

    // Takes the queries that `next` yields, with their own times, for save(). The answers among the
    // messages say what replies must be. Throws SetupError as above.
    using NextMessage = std::function<std::optional<CapturedMessage>()>;
    explicit CapturedQueries(const NextMessage &next);

    // Writes the queries of the second constructor to a file that a trial maps. Throws SetupError
    // if it cannot be written.
    void save(const std::string &path) const;

    // Takes the queries of `whole` that TCP carried, or the others. Throws SetupError if there are
    // none.
    CapturedQueries(std::shared_ptr<const CapturedQueries> whole, bool over_tcp);

    static constexpr std::size_t memory_most = std::size_t{8} << 30U;

    struct Entry {
        std::span<const std::uint8_t> message;
        std::uint32_t client = 0;      // from 0
        std::uint16_t port = 0;        // the client's, above 0
        std::uint64_t expectation = 0; // question_hash() by key(), without the client
        std::uint32_t wants = 0;
    };
    [[nodiscard]] Entry entry(std::size_t index) const
    {
        const std::uint8_t *at = base_ + order_[index];
        return {.message = {at + CapturedEntry::head_size, CapturedEntry::size_of(at)},
                .client = wire_raw32(at + CapturedEntry::client_at),
                .port = wire_raw16(at + CapturedEntry::port_at),
                .expectation = wire_raw64(at),
                .wants = wants_.value_or(wire_raw32(at + own_wants_at_))};
    }
    // Returns when the query is due, from the start. Ascending.
    [[nodiscard]] std::span<const std::int64_t> due_ns() const { return due_; }

    [[nodiscard]] std::size_t size() const { return order_.size(); }
    [[nodiscard]] std::size_t longest() const { return longest_; } // message, octets
    [[nodiscard]] std::uint32_t clients() const { return clients_; }
    [[nodiscard]] const question_key &key() const { return key_; } // random
    [[nodiscard]] std::size_t memory() const;                      // octets
    [[nodiscard]] const CaptureCounts &counts() const { return counts_; }
    [[nodiscard]] const ReplayOmissions &omissions() const { return omissions_; }
    // Returns how many queries and packets are not sent, by reason.
    [[nodiscard]] std::vector<std::pair<const char *, std::uint64_t>> left_out() const;
    // Returns how many queries have a whole answer in the captures, if that was looked for.
    [[nodiscard]] std::uint64_t answered() const { return answered_; }
    // Returns whether some entry wants data.
    [[nodiscard]] bool reads_data() const { return reads_data_; }
    [[nodiscard]] std::uint32_t played() const { return played_; } // captures or slices at once
    // Returns the duration for which queries were asked: the last one may be due long before.
    [[nodiscard]] Nanoseconds duration() const { return duration_; }

    // Returns the mean rate from the start to the last query, rounded up.
    [[nodiscard]] Rate mean_rate() const;

    // Returns how long sending takes: duration(), or the time to the last query and one gap at the
    // mean rate if that is less.
    [[nodiscard]] Nanoseconds sending_time() const;

    // Returns all slices of the captures, or all captures, whether they are played or not.
    [[nodiscard]] std::span<const CaptureSlice> slices() const { return slices_; }
    // Returns the mean rate of as many slices as are played, from slice `first` on; nothing if
    // these have no query.
    [[nodiscard]] std::optional<Rate> mean_rate_from(std::uint32_t first) const;

    // Returns how many queries repeat the client, port, server, ID and question of an earlier one
    // within a millisecond: packets that were captured twice.
    [[nodiscard]] std::uint64_t doubled() const { return doubled_; }

    // Returns what makes figures of these captures doubtful: queries that they have twice, and
    // packets that they have in part.
    [[nodiscard]] std::vector<std::string> doubts() const;

private:
    // A query of one file.
    struct ReadQuery {
        std::int64_t due_ns;   // from the first message that is not skipped
        std::uint64_t place;   // in octets_
        std::uint32_t address; // the client's number in all files
    };
    class ClientNumbers;
    class OpenQueries;
    struct Slicing;
    // When a query is due, and its place in octets_.
    using DuePlaces = std::vector<std::pair<std::int64_t, std::uint64_t>>;

    // Returns the queries of a capture up to `most`.
    [[nodiscard]] std::vector<ReadQuery> read(const std::string &path, const ReplayWish &wish,
                                              Nanoseconds most, ClientNumbers &addresses);
    [[nodiscard]] std::vector<ReadQuery> read(const NextMessage &next, const ReplayWish &wish,
                                              Nanoseconds most, ClientNumbers &addresses);
    // Does the same for a prepared file. Copies the file's octets into this object.
    [[nodiscard]] std::vector<ReadQuery> copy(const PreparedQueries &queries,
                                              const ReplayWish &wish, Nanoseconds most,
                                              ClientNumbers &addresses);
    // Plays the file's own octets.
    void map(const std::string &path, const ReplayWish &wish, Nanoseconds duration);
    // Cuts the queries of one file into slices, and adds the queries of slices that are played to
    // `all`.
    void cut(const std::vector<ReadQuery> &found, std::uint32_t slices, const Slicing &slicing,
             ClientNumbers &numbers, DuePlaces &all);
    // Puts the queries into the order of the times at which they are due.
    void arrange(DuePlaces &all);
    // What replies must be: by the data of the capture's answer, and by the number of records
    // alone.
    struct Wants {
        std::uint32_t data;
        std::uint32_t number;
    };
    // Returns what a reply must be to equal the answer; nothing if the answer is cut off.
    [[nodiscard]] std::optional<Wants> wants_of(const CapturedMessage &answer) const;
    // Notes what the entry wants.
    void count_wants(const std::uint8_t *entry);
    // Hashes data by the key of the first prepared capture among the files.
    void take_key(const ReplayWish &wish, std::uint32_t files);
    // An entry that was added.
    struct Added {
        std::uint64_t place; // in octets_
        std::uint64_t hash;  // folded_hash() of its question
    };
    // Adds an entry that wants `wants`. Returns nothing if the query is left out.
    std::optional<Added> add(const CapturedMessage &query, const EdnsOptions &options,
                             std::vector<ReadQuery> &found, std::int64_t due_ns,
                             ClientNumbers &addresses,
                             const Wants &wants = {WANTS_USEFUL, WANTS_USEFUL});
    [[nodiscard]] std::optional<std::uint64_t>
    folded_hash(std::span<const std::uint8_t> message) const;
    // From now on the reply to the answer's query must equal the answer.
    void learn(const CapturedMessage &answer, OpenQueries &open);
    [[nodiscard]] std::string why_none(const ReplayWish &wish) const;

    question_key key_{};
    // key_ without exact: answers find their queries by it, whatever their letters' case.
    question_key folding_{};
    std::optional<std::uint32_t> wants_;
    std::size_t own_wants_at_ = CapturedEntry::wants_at; // in an entry
    bool reads_data_ = false;
    std::optional<CaseMixer> case_mixer_;
    std::uint64_t answered_ = 0;
    std::uint32_t clients_ = 0;
    std::uint32_t played_ = 0;
    std::vector<CaptureSlice> slices_;
    std::uint64_t doubled_ = 0;
    Nanoseconds duration_{};
    std::size_t longest_ = 0;
    CaptureCounts counts_;
    ReplayOmissions omissions_;
    OctetStore octets_;
    std::vector<std::int64_t> due_ns_;
    std::vector<std::uint64_t> places_;
    std::vector<IpAddress> addresses_; // of the clients, for save()
    // In place of octets_, due_ns_ and places_.
    std::shared_ptr<const PreparedFile> prepared_;
    std::shared_ptr<const CapturedQueries> whole_; // in place of octets_
    // These are of the octets or of the file.
    const std::uint8_t *base_ = nullptr;
    std::span<const std::int64_t> due_;
    std::span<const std::uint64_t> order_;
};

} // namespace dnsgauge
