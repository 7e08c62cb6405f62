// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The queries of a mix (common/query_mix.h) as messages. Queries that differ in the digits of their
// names alone are one entry of a list, made of the mix's own line; each query changes the digits.
#pragma once

#include "workload/query.h"
#include "workload/query_list.h"

#include "common/query_mix.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace dnsgauge
{

class MixedQueries
{
public:
    // What `format` wants of replies does not matter: the mix's lines say what is right. Throws
    // SetupError if the mix has a type that nobody knows.
    MixedQueries(const QueryMix &mix, const MessageFormat &format);

    using Room = std::array<std::uint8_t, longest_query>;

    // Returns query `index` of the endless sequence, with its message in `room`.
    [[nodiscard]] QueryList::Entry write(std::uint64_t index, Room &room) const;

    // Returns question_text() of the query.
    [[nodiscard]] std::string text(std::uint64_t index) const;

    [[nodiscard]] const QueryMix &mix() const { return mix_; }
    [[nodiscard]] std::size_t longest() const { return entries_.longest(); }
    [[nodiscard]] bool reads_records() const { return entries_.reads_records(); }
    [[nodiscard]] const question_key &key() const { return entries_.key(); }

    // Yields queries start, start + stride, start + 2 stride, ... of `queries`, which must outlive
    // the cursor. A message stays as it is until the next call.
    class Cursor
    {
    public:
        Cursor(const MixedQueries &queries, std::uint64_t start, std::uint64_t stride)
            : queries_(&queries), next_(start), stride_(stride)
        {
        }

        QueryList::Entry next()
        {
            const QueryList::Entry entry = queries_->write(next_, room_);
            next_ += stride_;
            return entry;
        }

    private:
        const MixedQueries *queries_;
        std::uint64_t next_;
        std::uint64_t stride_;
        Room room_{};
    };

private:
    QueryMix mix_;
    QueryList entries_;
};

} // namespace dnsgauge
