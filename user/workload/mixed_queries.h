// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The queries of a mix (dns/query_mix.h) as messages. Queries that differ in the digits of
// their names alone are of one form, made of the mix's own line; each query changes the digits.
#pragma once

#include "workload/name_walk.h"
#include "workload/query.h"
#include "workload/query_list.h"

#include "dns/query_mix.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dnsgauge
{

class MixedQueries
{
public:
    // Ignores what `format` wants of replies: the mix's lines say what is right. Throws SetupError
    // if the mix has an unknown type.
    MixedQueries(const QueryMix &mix, const MessageFormat &format);

    // Returns the same mix of these names, asked for in the order of the key.
    [[nodiscard]] MixedQueries of_names(const NameRange &names, const NameKey &key) const;

    // Returns question_text() of query `index` of the endless sequence.
    [[nodiscard]] std::string text(std::uint64_t index) const;

    [[nodiscard]] const QueryMix &mix() const { return mix_; }
    [[nodiscard]] std::size_t longest() const { return longest_; }
    [[nodiscard]] const question_key &key() const { return key_; }

    class Cursor;

private:
    // A message, and the hash of its question. Most queries differ from the previous one in the
    // name's last three digits alone: they change these digits, and the hash's word with these
    // digits.
    class Form
    {
    public:
        // `entries` are the entries for a name without AAAA record, and with one. The digits end
        // at `digits_end` of the message, and the name at `name_end`.
        Form(const std::array<QueryList::Entry, 2> &entries, std::size_t digits_end,
             std::size_t name_end);

        // Returns the query of `queries` for the name of `address`, valid until the next call.
        [[nodiscard]] QueryList::Entry query(std::uint32_t address, const MixedQueries &queries)
        {
            if (address >> block_bits_ != block_)
                begin_block(address, queries);
            const std::uint32_t digits = queries.digits_[address % 256];
            const std::span message(message_);
            std::uint8_t *const at = &message[digits_at_];
            at[0] = static_cast<std::uint8_t>(digits >> 16U);
            wire_put16(at + 1, static_cast<std::uint16_t>(digits));
            return {.message = message,
                    .expectation = hash_of_others_ + hash_of_word(digits, queries),
                    .wants = wants_[0] == wants_[1] ? wants_[0] : wants_by_name(address, queries)};
        }

    private:
        [[nodiscard]] std::uint64_t hash_of_word(std::uint64_t digits,
                                                 const MixedQueries &queries) const
        {
            return question_mix(word_ | digits << digits_shift_, queries.key().name[word_number_]);
        }
        [[nodiscard]] std::uint32_t wants_by_name(std::uint32_t address,
                                                  const MixedQueries &queries) const;
        void begin_block(std::uint32_t address, const MixedQueries &queries);

        std::vector<std::uint8_t> message_;
        std::array<std::uint32_t, 2> wants_;
        std::size_t digits_at_;   // the last three digits, in the message
        std::size_t word_number_; // of the name's word in which they are
        unsigned digits_shift_;   // their place in the word
        unsigned block_bits_;     // an address without this number of last bits is its block
        std::uint64_t block_ = ~std::uint64_t{0}; // none
        std::uint64_t word_ = 0;                  // as question_word() has it, without the digits
        std::uint64_t hash_of_others_ = 0;        // of the question without the word
    };

    // Returns the address of the name at place `place`, which is below the number of names.
    [[nodiscard]] std::uint32_t address_at(std::uint64_t place) const
    {
        return static_cast<std::uint32_t>(mix_.names.first + order_.name_at(place));
    }

    QueryMix mix_;
    NamePermutation order_;
    std::size_t longest_ = 0; // message, octets
    question_key key_{};
    std::array<std::uint32_t, 256> digits_; // of each octet of an address, "000" to "255"
    std::vector<Form> forms_;
    std::vector<std::uint16_t> form_of_; // of query `index`, which is at index % mix_period
};

// Yields queries start, start + stride, start + 2 stride, ... of `queries`, which must outlive the
// cursor. A message stays as it is until the next call.
class MixedQueries::Cursor
{
public:
    Cursor(const MixedQueries &queries, std::uint64_t start, std::uint64_t stride)
        : queries_(&queries), forms_(queries.forms_), names_(queries.mix_.names.count),
          place_(start % names_), place_stride_(stride % names_), turn_(start % mix_period),
          turn_stride_(stride % mix_period)
    {
    }

    QueryList::Entry next()
    {
        Form &form = forms_[queries_->form_of_[turn_]];
        const std::uint32_t address = queries_->address_at(place_);
        turn_ += turn_stride_;
        if (turn_ >= mix_period)
            turn_ -= mix_period;
        place_ += place_stride_;
        if (place_ >= names_)
            place_ -= names_;
        return form.query(address, *queries_);
    }

private:
    const MixedQueries *queries_;
    std::vector<Form> forms_;
    std::uint64_t names_;
    std::uint64_t place_; // of the next query's name
    std::uint64_t place_stride_;
    std::uint64_t turn_; // number in the mix's period of the next query
    std::uint64_t turn_stride_;
};

} // namespace dnsgauge
