// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/message_filter.h"

#include "dns/name_text.h"
#include "dns/query_type.h"
#include "system/setup_error.h"

#include <algorithm>

namespace dnsgauge
{

namespace
{

std::uint16_t type_of(const std::string &text)
{
    const std::optional<std::uint16_t> type = parse_query_type(text);
    if (!type)
        throw SetupError("--type \"{}\" is no type: write a mnemonic, or TYPE123", text);
    return *type;
}

// Returns the name in wire form and small letters.
std::string name_of(const std::string &text)
{
    NameOfText name;
    if (text.empty() || read_name(text, name) != nullptr)
        throw SetupError("--name \"{}\" is no name: write one, as in example.org", text);
    return folded(name.wire());
}

template <class Value, class Parse>
std::vector<Value> parsed(const std::vector<std::string> &texts, Parse parse)
{
    std::vector<Value> values;
    std::ranges::transform(texts, std::back_inserter(values), parse);
    return values;
}

// Returns whether `name` ends with the labels of `suffix`.
bool is_below(std::string_view name, std::string_view suffix)
{
    while (name.size() > suffix.size())
        name.remove_prefix(1 + static_cast<unsigned char>(name[0]));
    return name == suffix;
}

} // namespace

std::optional<Question> question_of(std::span<const std::uint8_t> message)
{
    wire_cursor cursor = reading_cursor(message);
    if (!wire_has(&cursor, DNS_HEADER_SIZE) || wire_get16(cursor.pos + 4) != 1)
        return {};
    cursor.pos += DNS_HEADER_SIZE;
    const std::uint8_t *name = cursor.pos;
    __u64 starts = 0;
    const std::size_t length = dns_skip_name(&cursor, &starts);
    if (length == 0 || !wire_has(&cursor, DNS_QUESTION_TAIL))
        return {};
    return Question{.name = {name, length},
                    .type = wire_get16(cursor.pos),
                    .class_ = wire_get16(cursor.pos + 2)};
}

std::string folded(std::span<const std::uint8_t> name)
{
    std::string small(name.size(), '\0');
    std::ranges::transform(name, small.begin(),
                           [](std::uint8_t octet) { return static_cast<char>(dns_fold(octet)); });
    return small;
}

MessageFilter::MessageFilter(const FilterOptions &options)
    : options_(options), types_(parsed<std::uint16_t>(options.types, type_of)),
      names_(parsed<std::string>(options.names, name_of))
{
    if (options_.until != Nanoseconds{} && options_.since >= options_.until)
        throw SetupError("--until is not later than --since: nothing would be left");
}

bool MessageFilter::has_time(const CapturedMessage &message)
{
    if (!begin_ns_)
        begin_ns_ = message.time_ns;
    const Nanoseconds at{message.time_ns - *begin_ns_};
    return (options_.since == Nanoseconds{} || at >= options_.since) &&
           (options_.until == Nanoseconds{} || at < options_.until);
}

bool MessageFilter::has_question(const CapturedMessage &message) const
{
    if (types_.empty() && names_.empty())
        return true;
    const std::optional<Question> question = question_of(message.message);
    if (!question)
        return false;
    if (!types_.empty() && std::ranges::find(types_, question->type) == types_.end())
        return false;
    if (names_.empty())
        return true;
    const std::string name = folded(question->name);
    return std::ranges::any_of(names_,
                               [&](const std::string &suffix) { return is_below(name, suffix); });
}

bool MessageFilter::passes(const CapturedMessage &message)
{
    if (!has_time(message))
        return false;
    if (options_.opcode &&
        (wire_get16(message.message.data() + 2) & DNS_OPCODE) >> 11U != *options_.opcode)
        return false;
    const IpAddress &client = message.client().address;
    if (!options_.clients.empty() &&
        std::ranges::none_of(options_.clients,
                             [&](const IpPrefix &prefix) { return prefix.contains(client); }))
        return false;
    if (!options_.servers.empty() &&
        std::ranges::find(options_.servers, message.server().address) == options_.servers.end())
        return false;
    if (!has_question(message))
        return false;
    const bool is_dropped = message.is_answer() && !options_.answers;
    dropped_answers_ += is_dropped ? 1U : 0U;
    return !is_dropped;
}

} // namespace dnsgauge
