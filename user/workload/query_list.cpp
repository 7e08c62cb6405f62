// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/query_list.h"

#include "capture/captured_message.h"
#include "dns/ip_address.h"
#include "dns/name_text.h"
#include "dns/query_type.h"
#include "input/input_file.h"
#include "system/listed.h"
#include "system/number_text.h"
#include "system/setup_error.h"
#include "units/rcode.h"
#include "workload/query.h"

#include "wire/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <random>

namespace dnsgauge
{

namespace
{

constexpr std::size_t longest_line = 64U << 10U; // octets, without the line's end
constexpr std::size_t quoted_most = 60;          // characters of a bad word in a message
constexpr std::size_t offset_most = std::numeric_limits<std::uint32_t>::max();

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// Takes the next word off `line`; empty at the line's end.
std::string_view take_word(std::string_view &line)
{
    const auto begin = std::ranges::find_if_not(line, is_blank);
    const auto end = std::find_if(begin, line.end(), is_blank);
    const std::string_view word(begin, end);
    line = {end, line.end()};
    return word;
}

std::string quoted(std::string_view word)
{
    return word.size() <= quoted_most ? fmt::format("\"{}\"", word)
                                      : fmt::format("\"{}...\"", word.substr(0, quoted_most));
}

constexpr std::string_view class_by_number = "CLASS";
constexpr std::array<std::pair<std::string_view, std::uint16_t>, 4> classes{
    {{"IN", DNS_CLASS_IN}, {"CH", 3}, {"HS", 4}, {"NONE", 254}}};

// Returns the class of this name. ANY is a type, and its class is CLASS255.
std::optional<std::uint16_t> read_class(std::string_view text)
{
    for (const auto &[mnemonic, number] : classes)
        if (text == mnemonic)
            return number;
    if (!text.starts_with(class_by_number))
        return std::nullopt;
    const auto number = read_number(text.substr(class_by_number.size()), 0xffff);
    return number ? std::optional(static_cast<std::uint16_t>(*number)) : std::nullopt;
}

std::string class_text(std::uint16_t number)
{
    for (const auto &[mnemonic, known] : classes)
        if (known == number)
            return std::string(mnemonic);
    return std::string(class_by_number) + std::to_string(number);
}

// Returns the RCODEs "NOERROR|NXDOMAIN" as bits, or nothing.
std::optional<std::uint32_t> read_rcodes(std::string_view text)
{
    std::uint32_t rcodes = 0;
    for (const std::string_view word : split(text, '|')) {
        const std::optional<unsigned> rcode = parse_rcode(word);
        if (!rcode)
            return std::nullopt;
        rcodes |= 1U << *rcode;
    }
    return rcodes;
}

// Returns why a list may not hold `message`, or null if it may.
const char *why_no_query(std::span<const std::uint8_t> message)
{
    if (message.size() < DNS_HEADER_SIZE)
        return "it is shorter than a header";
    if (message.size() > longest_query)
        return "it is longer than 1,472 octets";
    const unsigned flags = wire_get16(message.data() + 2);
    if ((flags & DNS_QR) != 0)
        return "it is a response";
    if ((flags & DNS_OPCODE) != 0)
        return "its opcode is not QUERY";
    if (wire_get16(message.data() + 4) != 1)
        return "it has not one question";
    return nullptr;
}

// Types whose data hold names, which servers may compress or write in other letters.
constexpr std::array<std::uint16_t, 25> with_names{
    2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 15, 17, 18, 21, 24, 26, 30, 33, 35, 36, 38, 39, 46, 47, 107};

std::vector<std::uint8_t> address_data(const std::string &text, bool is_ipv6)
{
    const IpAddress address = parse_ip_address(text);
    if (address.is_ipv6 != is_ipv6)
        throw SetupError("{} belongs to the other family", text);
    return {address.octets().begin(), address.octets().end()};
}

} // namespace

bool has_plain_data(std::uint16_t type)
{
    const bool is_set = type >= DNS_TYPE_IXFR && type <= DNS_TYPE_ANY;
    return !is_set && std::ranges::find(with_names, type) == with_names.end();
}

std::vector<std::uint8_t> parse_record_data(std::uint16_t type, std::string_view text)
{
    constexpr std::uint16_t a = 1;
    constexpr std::uint16_t aaaa = 28;
    if (type == a || type == aaaa)
        return address_data(std::string(text), type == aaaa);
    if (std::ranges::find(with_names, type) != with_names.end())
        throw SetupError("a server may write the names in the data of {} in several "
                         "ways: give answers= instead",
                         query_type_text(type));
    std::optional<std::vector<std::uint8_t>> octets = read_octets(text);
    if (!octets)
        throw SetupError("\"{}\" are no octets: write two hexadecimal digits for each", text);
    if (octets->size() > QUESTION_DATA_MAX)
        throw SetupError("the data have more than {} octets: give answers= instead",
                         QUESTION_DATA_MAX);
    return *octets;
}

QueryList::QueryList(std::string name, const MessageFormat &format)
    : name_(std::move(name)), format_(format), key_(new_question_key(format.letters))
{
    if (format.letters.seed)
        case_mixer_.emplace(*format.letters.seed);
}

QueryList::QueryList(std::string name, std::shared_ptr<const PreparedFile> file,
                     const MessageFormat &format)
    : QueryList(std::move(name), format)
{
    const PreparedQueries &queries = file->queries();
    prepared_ = std::move(file);
    base_ = queries.entries().data();
    order_ = queries.offsets();
    distinct_ = static_cast<std::size_t>(queries.head().distinct);
    longest_ = queries.longest();
    reads_data_ = (queries.wants() & WANTS_DATA) != 0;
    // The hashes of wanted data were made by the file's key.
    key_ = queries.head().key;
    if (!format.letters.exact && !format.letters.seed)
        return;
    key_.exact = format.letters.exact ? QUESTION_EXACT : 0;
    for (const std::uint32_t offset : queries.offsets()) {
        const std::uint8_t *const entry = queries.entries().data() + offset;
        append({entry + ListEntry::head_size, wire_raw16(entry + ListEntry::size_at)},
               wire_raw32(entry + ListEntry::wants_at));
    }
    prepared_.reset();
}

void QueryList::save(const std::string &path) const
{
    write_prepared(path, {.kind = PreparedKind::list,
                          .key = key_,
                          .distinct = distinct_,
                          .entries = {octets_.data(), octets_.size()},
                          .offsets = offsets_});
}

void QueryList::refuse(const std::string &why) const
{
    throw SetupError("{}, {} {}: {}", name_, unit_, number_, why);
}

void QueryList::add_line(std::string_view line)
{
    number_++;
    if (line.size() > longest_line)
        refuse(fmt::format("a line has at most {} octets", longest_line));
    const std::string_view name_word = take_word(line);
    if (name_word.empty() || name_word[0] == ';' || name_word[0] == '#')
        return;
    NameOfText name;
    if (const char *wrong = read_name(name_word, name))
        refuse(fmt::format("{} is no name: {}", quoted(name_word), wrong));
    Asked asked{.name = name.wire(),
                .edns = format_.edns_size.has_value() || !format_.edns_options.empty(),
                .dnssec_ok = format_.dnssec_ok,
                .wants = format_.wants};
    if (format_.names_alone)
        line = "A";
    std::string_view type_text = take_word(line);
    if (const std::optional<std::uint16_t> query_class = read_class(type_text)) {
        asked.query_class = *query_class;
        type_text = take_word(line);
    }
    if (type_text.empty())
        refuse(fmt::format("the name {} has no type: write it after the name, as in "
                           "\"www.example.org A\"",
                           quoted(name_word)));
    const std::optional<std::uint16_t> type = parse_query_type(type_text);
    if (!type)
        refuse(fmt::format("{} is no type: write a mnemonic, or TYPE123", quoted(type_text)));
    asked.type = *type;
    read_rest(line, asked);
    append(asked);
}

// Reads flags, and what is wanted of the reply.
void QueryList::read_rest(std::string_view line, Asked &asked) const
{
    std::string_view word = take_word(line);
    if (!word.empty() && word.find_first_not_of("ED") == std::string_view::npos) {
        asked.edns = true;
        asked.dnssec_ok = asked.dnssec_ok || word.find('D') != std::string_view::npos;
        word = take_word(line);
    }
    for (; !word.empty(); word = take_word(line))
        read_wish(word, asked);
}

void QueryList::read_wish(std::string_view word, Asked &asked) const
{
    constexpr std::string_view rcode = "rcode=";
    constexpr std::string_view answers = "answers=";
    constexpr std::string_view data = "data=";
    constexpr std::uint32_t other_wishes = WANTS_AA | WANTS_AD | WANTS_RRSIG;
    asked.says_data = asked.says_data || word.starts_with(data);
    asked.says_less = asked.says_less || word.starts_with(rcode) || word.starts_with(answers);
    if (asked.says_data && asked.says_less)
        refuse(fmt::format("{}: data= says RCODE and number of answers, too: leave the others out",
                           quoted(word)));
    if (word == "aa") {
        asked.wants |= WANTS_AA;
    } else if (word == "ad") {
        asked.wants |= WANTS_AD;
    } else if (word == "rrsig") {
        asked.wants |= WANTS_RRSIG;
    } else if (word.starts_with(rcode)) {
        const std::optional<std::uint32_t> rcodes = read_rcodes(word.substr(rcode.size()));
        if (!rcodes)
            refuse(fmt::format("{} names no RCODEs: write rcode=NXDOMAIN or "
                               "rcode=NOERROR|NXDOMAIN",
                               quoted(word)));
        asked.wants = (asked.wants & ~WANTS_ANY_RCODE) | *rcodes;
    } else if (word.starts_with(answers)) {
        const std::optional<unsigned> count =
            read_number(word.substr(answers.size()), WANTS_COUNT_MAX);
        if (!count)
            refuse(
                fmt::format("{} is no number of answers, 0 to {}", quoted(word), WANTS_COUNT_MAX));
        asked.wants = (asked.wants & (WANTS_ANY_RCODE | other_wishes)) | WANTS_COUNT |
                      *count << WANTS_COUNT_SHIFT;
    } else if (word.starts_with(data)) {
        asked.wants = (asked.wants & other_wishes) | read_data(word.substr(data.size()), asked);
    } else {
        refuse(fmt::format("{} is neither flags (E adds an OPT record, D sets DO in it) nor what "
                           "is wanted of the reply (rcode=, answers=, data=, aa, ad, rrsig)",
                           quoted(word)));
    }
}

// Reads data that bars separate.
std::uint32_t QueryList::read_data(std::string_view text, const Asked &asked) const
{
    std::uint64_t sum = 0;
    for (const std::string_view word : split(text, '|')) {
        try {
            const std::vector<std::uint8_t> data = parse_record_data(asked.type, word);
            std::array<std::uint8_t, 8 + QUESTION_DATA_MAX> octets{};
            std::uint8_t *const at = octets.data() + 8;
            std::ranges::copy(data, at);
            sum += question_data(at, static_cast<__u32>(data.size()), at + data.size(), &key_);
        } catch (const SetupError &error) {
            refuse(std::string("data=: ") + error.what());
        }
    }
    return wants_data(sum);
}

// Adds room for an entry with a message of `size` octets.
std::uint8_t *QueryList::add_entry(std::size_t size)
{
    const std::size_t at = octets_.size();
    if (at > offset_most)
        refuse(
            fmt::format("the queries take more than {} MiB: split the list", offset_most >> 20U));
    try {
        offsets_.push_back(static_cast<std::uint32_t>(at));
        return octets_.add(ListEntry::head_size + size);
    } catch (const std::bad_alloc &) {
        refuse(fmt::format("there is no memory for more queries than {} MiB of them: split the "
                           "list",
                           at >> 20U));
    }
}

void QueryList::append(const Asked &asked)
{
    QueryMessage query{format_};
    query.name = asked.name;
    query.type = asked.type;
    query.query_class = asked.query_class;
    query.edns_size =
        asked.edns ? std::optional(format_.edns_size.value_or(DNS_UDP_SIZE)) : std::nullopt;
    query.dnssec_ok = asked.dnssec_ok;
    query.options = &format_.edns_options;
    write_query(query, message_);
    append(message_, asked.wants);
}

void QueryList::append(std::span<const std::uint8_t> message, std::uint32_t wants)
{
    std::uint8_t *const entry = add_entry(message.size());
    std::ranges::copy(message, entry + ListEntry::head_size);
    wire_put16(entry + ListEntry::head_size, 0); // the transaction ID
    finish_entry(entry, message.size(), wants);
}

void QueryList::add_message(std::span<const std::uint8_t> message)
{
    unit_ = "message";
    number_++;
    if (const char *const why = why_no_query(message))
        refuse(fmt::format("it is no query to send: {}", why));
    append(message, format_.wants);
}

void QueryList::finish_entry(std::uint8_t *entry, std::size_t size, std::uint32_t wants)
{
    const auto size16 = static_cast<std::uint16_t>(size);
    const std::span message(entry + ListEntry::head_size, size);
    __u64 hash = 0;
    if (!question_hash({message.data(), message.data() + size}, &key_, &hash))
        refuse("it is no query to send: its question is cut off, or its name compressed");
    if (case_mixer_) {
        case_mixer_->mix(message);
        static_cast<void>(question_hash({message.data(), message.data() + size}, &key_, &hash));
    }
    std::memcpy(entry, &hash, sizeof(hash));
    std::memcpy(entry + ListEntry::wants_at, &wants, sizeof(wants));
    std::memcpy(entry + ListEntry::size_at, &size16, sizeof(size16));
    longest_ = std::max(longest_, size);
    reads_data_ = reads_data_ || (wants & WANTS_DATA) != 0;
    base_ = octets_.data();
    order_ = offsets_;
}

void QueryList::finish()
{
    if (order_.empty())
        throw SetupError("{}: there is no query in it: write a name and a "
                         "type on each line, as in \"www.example.org A\"",
                         name_);
    offsets_.shrink_to_fit();
    order_ = offsets_;
    question_key folding = key_;
    folding.exact = 0;
    std::vector<__u64> hashes(size());
    for (std::size_t i = 0; i < hashes.size(); i++) {
        hashes[i] = entry(i).expectation;
        if (key_.exact != 0)
            static_cast<void>(
                question_hash(reading_cursor(entry(i).message), &folding, &hashes[i]));
    }
    std::ranges::sort(hashes);
    distinct_ =
        static_cast<std::size_t>(std::unique(hashes.begin(), hashes.end()) - hashes.begin());
}

void QueryList::shuffle(std::uint64_t seed)
{
    __extension__ using wide = unsigned __int128;
    std::mt19937_64 random(seed);
    if (prepared_)
        offsets_.assign(order_.begin(), order_.end());
    order_ = offsets_;
    // Fisher and Yates: std::shuffle may differ from library to library.
    for (std::size_t left = offsets_.size(); left > 1; left--) {
        const auto chosen = static_cast<std::size_t>(static_cast<wide>(random()) * left >> 64U);
        std::swap(offsets_[left - 1], offsets_[chosen]);
    }
}

std::size_t QueryList::memory() const
{
    return octets_.size() + offsets_.capacity() * sizeof(offsets_[0]) +
           (prepared_ ? prepared_->size() : 0);
}

std::string QueryList::text(std::uint64_t index) const
{
    return question_text(entry(index % size()).message);
}

std::string question_text(std::span<const std::uint8_t> message)
{
    std::size_t at = DNS_HEADER_SIZE;
    std::string text = name_text(message.subspan(at));
    while (message[at] != 0)
        at += 1 + std::size_t{message[at]};
    at++;
    const std::uint16_t query_class = wire_get16(message.data() + at + 2);
    if (query_class != DNS_CLASS_IN)
        text += ' ' + class_text(query_class);
    return text + ' ' + query_type_text(wire_get16(message.data() + at));
}

namespace
{

// Takes whole lines off `text`, and parts that are too long for a line. Returns the rest.
std::string_view take_lines(QueryList &list, std::string_view text)
{
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        list.add_line(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    if (text.size() > longest_line)
        list.add_line(text);
    return text;
}

// Takes whole messages, each of which follows its length, off `octets`. Returns the rest.
std::string_view take_messages(QueryList &list, std::string_view octets)
{
    while (octets.size() >= 2) {
        const auto *const at = reinterpret_cast<const std::uint8_t *>(octets.data());
        const std::size_t length = wire_get16(at);
        if (octets.size() < 2 + length)
            break;
        list.add_message({at + 2, length});
        octets.remove_prefix(2 + length);
    }
    return octets;
}

// The options of a prepared list were given when it was made.
void refuse_made_up(const std::string &name, const MessageFormat &format)
{
    if (format.recursion_desired || format.edns_size || format.dnssec_ok ||
        !format.edns_options.empty())
        throw SetupError(
            "{}: its queries were made when it was prepared: leave --recursion-desired, "
            "--edns-size, --dnssec-ok and --edns-options out, or give the list itself",
            name);
}

constexpr unsigned text_from = '\t'; // the first octet that a line may begin with

} // namespace

QueryList read_query_list(const std::string &path, const MessageFormat &format,
                          const std::string &option, UnpackLimit limit)
{
    const std::string name = name_of_input(option, path);
    if (is_prepared(path)) {
        refuse_made_up(name, format);
        return {name, std::make_shared<const PreparedFile>(option, path, PreparedKind::list),
                format};
    }
    InputFile file(option, path, limit);
    QueryList list(name, format);
    std::vector<char> buffer(4 * longest_line);
    std::size_t held = file.read(buffer);
    // The binary form begins with the high octet of a query's length.
    const bool is_binary = held != 0 && static_cast<unsigned char>(buffer[0]) < text_from;
    for (std::size_t got = held; got != 0; held += got) {
        const std::string_view octets{buffer.data(), held};
        const std::string_view rest =
            is_binary ? take_messages(list, octets) : take_lines(list, octets);
        std::memmove(buffer.data(), rest.data(), rest.size());
        held = rest.size();
        got = file.read(std::span(buffer).subspan(held));
    }
    if (held != 0 && is_binary)
        throw SetupError("{}: the file ends inside message {}", name, list.size() + 1);
    if (held != 0)
        list.add_line({buffer.data(), held}); // the last line needs no end
    list.finish();
    return list;
}

} // namespace dnsgauge
