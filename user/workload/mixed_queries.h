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

private:
    QueryMix mix_;
    QueryList entries_;
};

} // namespace dnsgauge
