// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/mixed_queries.h"

#include "wire/test_name.h"

namespace dnsgauge
{

namespace
{

constexpr std::size_t group_size = 3; // digits of an octet of the address
constexpr std::size_t word_size = 8;  // of question_hash()

// Returns what a reply must be, with its data if the entry wants a record. Only A and AAAA records
// of test names are wanted, and their data are known.
std::uint32_t with_data(std::uint32_t wants)
{
    return wants >> WANTS_COUNT_SHIFT != 0 ? wants | WANTS_NAME : wants;
}

// Returns the number of the query's form. The constructor makes the forms in this order.
std::size_t form_number(const MixedQuery &query)
{
    return (query.type * 2 + (query.dnssec_ok ? 1 : 0)) * 2 + (query.exists ? 1 : 0);
}

} // namespace

MixedQueries::Form::Form(const std::array<QueryList::Entry, 2> &entries, std::size_t digits_end,
                         std::size_t name_end)
    : message_(entries[0].message.begin(), entries[0].message.end()),
      wants_{with_data(entries[0].wants), with_data(entries[1].wants)},
      digits_at_(digits_end - group_size), word_number_((digits_at_ - DNS_HEADER_SIZE) / word_size)
{
    const std::size_t word_end = DNS_HEADER_SIZE + (word_number_ + 1) * word_size;
    digits_shift_ = static_cast<unsigned>(8 * (word_end - digits_end));
    // The hash treats the octets after the last whole word in another way. If the digits are among
    // them, each address is a block of its own, and its question is hashed anew.
    block_bits_ = word_end <= name_end ? 8 : 0;
}

std::uint32_t MixedQueries::Form::wants_by_name(std::uint32_t address,
                                                const MixedQueries &queries) const
{
    return wants_[test_name_has_aaaa(address, queries.mix_.aaaa_share) != 0 ? 1 : 0];
}

void MixedQueries::Form::begin_block(std::uint32_t address, const MixedQueries &queries)
{
    block_ = address >> block_bits_;
    test_name_write(message_.data() + digits_at_ + group_size - TEST_NAME_LABEL, address);
    __u64 hash = 0;
    // The entry's question could be hashed, and this one has the same size.
    static_cast<void>(
        question_hash({message_.data(), message_.data() + message_.size()}, &queries.key(), &hash));
    const std::uint8_t *const word = message_.data() + DNS_HEADER_SIZE + word_number_ * word_size;
    word_ = question_word(wire_get64(word), &queries.key()) &
            ~(std::uint64_t{0xffffff} << digits_shift_);
    hash_of_others_ = hash - hash_of_word(queries.digits_[address % 256], queries);
}

MixedQueries::MixedQueries(const QueryMix &mix, const MessageFormat &format)
    : mix_(mix), order_({}, mix.names.count), digits_{}, form_of_(mix_period)
{
    QueryList entries("--types", format);
    for (std::uint32_t octet = 0; octet < digits_.size(); octet++) {
        std::array<std::uint8_t, sizeof(std::uint32_t)> digits{};
        test_name_put_octet(digits.data() + 1, octet);
        digits_[octet] = wire_get32(digits.data());
    }
    for (std::size_t type = 0; type < mix.types.size(); type++)
        for (const bool dnssec_ok : {false, true})
            for (const bool exists : {false, true})
                for (const unsigned aaaa_share : {0U, 100U}) {
                    QueryMix one = mix;
                    one.aaaa_share = aaaa_share;
                    entries.add_line(mixed_line(
                        one, {.dnssec_ok = dnssec_ok, .exists = exists, .type = type}, 0));
                }
    entries.finish();
    longest_ = entries.longest();
    key_ = entries.key();
    for (std::size_t i = 0; i < entries.size(); i += 2) {
        const bool exists = i / 2 % 2 != 0;
        const std::size_t digits_end =
            DNS_HEADER_SIZE + 1 + (exists ? 0 : missing_prefix.size()) + TEST_NAME_LABEL;
        forms_.emplace_back(std::array{entries.entry(i), entries.entry(i + 1)}, digits_end,
                            digits_end + mix.zone.length);
    }
    for (std::uint64_t index = 0; index < mix_period; index++)
        form_of_[index] = static_cast<std::uint16_t>(form_number(mixed_query(mix, index)));
}

MixedQueries MixedQueries::of_names(const NameRange &names, const NameKey &key) const
{
    MixedQueries others = *this;
    others.mix_.names = names;
    others.order_ = NamePermutation(key, names.count);
    return others;
}

std::string MixedQueries::text(std::uint64_t index) const
{
    Form form = forms_[form_of_[index % mix_period]];
    return question_text(form.query(address_at(index % mix_.names.count), *this).message);
}

} // namespace dnsgauge
