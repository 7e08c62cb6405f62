// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/query_list.h"

#include "common/setup_error.h"
#include "common/unique_fd.h"

#include "wire/dns.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <random>

namespace dnsgauge
{

namespace
{

constexpr std::size_t longest_line = 64U << 10U; // octets, without the line's end
constexpr std::size_t quoted_most = 60;          // characters of a bad word in a message
constexpr std::size_t offset_most = std::numeric_limits<std::uint32_t>::max();

// A name in wire form.
struct WireName {
    std::array<std::uint8_t, DNS_NAME_MAX> octets{};
    std::size_t size = 0;
};

question_key random_key()
{
    question_key key{};
    if (getrandom(&key, sizeof(key), 0) != static_cast<ssize_t>(sizeof(key)))
        throw SetupError("the kernel gives no random numbers");
    return key;
}

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

bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Takes the octet that `text` begins with: a character, or an escape, \. or \046. Returns what is
// wrong, or nothing.
const char *take_octet(std::string_view &text, std::uint8_t &octet)
{
    octet = static_cast<std::uint8_t>(text[0]);
    if (text[0] != '\\') {
        text.remove_prefix(1);
        return octet > ' ' && octet < 0x7f ? nullptr
                                           : "write other characters as \\DDD, three digits";
    }
    if (text.size() < 2)
        return "nothing follows the last backslash";
    octet = static_cast<std::uint8_t>(text[1]);
    if (!is_digit(text[1])) {
        text.remove_prefix(2);
        return nullptr;
    }
    if (text.size() < 4 || !is_digit(text[2]) || !is_digit(text[3]))
        return "three digits follow a backslash, \\000 to \\255";
    const int value = (text[1] - '0') * 100 + (text[2] - '0') * 10 + (text[3] - '0');
    if (value > 255)
        return "three digits follow a backslash, \\000 to \\255";
    octet = static_cast<std::uint8_t>(value);
    text.remove_prefix(4);
    return nullptr;
}

// Reads an absolute name. Returns what is wrong, or nothing.
const char *read_name(std::string_view text, WireName &name)
{
    if (text == ".")
        text = {};
    while (!text.empty()) {
        const std::size_t length_at = name.size++;
        std::size_t length = 0;
        while (!text.empty() && text[0] != '.') {
            std::uint8_t octet = 0;
            if (const char *wrong = take_octet(text, octet))
                return wrong;
            if (++length > DNS_LABEL_MAX)
                return "a label has at most 63 octets";
            // The root takes one more.
            if (name.size + 1 >= name.octets.size())
                return "a name has at most 255 octets";
            name.octets[name.size++] = octet;
        }
        if (length == 0)
            return "a label is empty";
        name.octets[length_at] = static_cast<std::uint8_t>(length);
        if (!text.empty())
            text.remove_prefix(1);
        if (!text.empty() && name.size + 2 >= name.octets.size())
            return "a name has at most 255 octets";
    }
    name.octets[name.size++] = 0;
    return nullptr;
}

void put16(std::vector<std::uint8_t> &octets, unsigned value)
{
    octets.push_back(static_cast<std::uint8_t>(value >> 8U));
    octets.push_back(static_cast<std::uint8_t>(value));
}

} // namespace

QueryList::QueryList(std::string name, const MessageFormat &format)
    : name_(std::move(name)), format_(format), key_(random_key())
{
}

void QueryList::refuse(const std::string &why) const
{
    throw SetupError(fmt::format("--queries {}, line {}: {}", name_, line_, why));
}

void QueryList::add_line(std::string_view line)
{
    line_++;
    if (line.size() > longest_line)
        refuse(fmt::format("a line has at most {} octets", longest_line));
    const std::string_view name_text = take_word(line);
    if (name_text.empty() || name_text[0] == ';' || name_text[0] == '#')
        return;
    WireName name;
    if (const char *wrong = read_name(name_text, name))
        refuse(fmt::format("{} is no name: {}", quoted(name_text), wrong));
    const std::string_view type_text = take_word(line);
    if (type_text.empty())
        refuse(fmt::format("the name {} has no type: write it behind the name, as in "
                           "\"www.example.org A\"",
                           quoted(name_text)));
    const std::optional<std::uint16_t> type = parse_query_type(type_text);
    if (!type)
        refuse(fmt::format("{} is no type: write a mnemonic, or TYPE123", quoted(type_text)));
    bool edns = format_.edns_size.has_value();
    bool dnssec_ok = format_.dnssec_ok;
    const std::string_view flags = take_word(line);
    for (const char flag : flags) {
        if (flag != 'E' && flag != 'D')
            refuse(fmt::format("{} are no flags: E adds an OPT record, D sets DO in it",
                               quoted(flags)));
        edns = true;
        dnssec_ok = dnssec_ok || flag == 'D';
    }
    if (const std::string_view more = take_word(line); !more.empty())
        refuse(fmt::format("{} follows name, type and flags: leave it out", quoted(more)));
    append(std::span(name.octets).first(name.size), *type, edns, dnssec_ok);
}

void QueryList::append(std::span<const std::uint8_t> name, std::uint16_t type, bool edns,
                       bool dnssec_ok)
{
    const std::size_t at = octets_.size();
    if (at > offset_most)
        refuse(
            fmt::format("the queries take more than {} MiB: split the list", offset_most >> 20U));
    offsets_.push_back(static_cast<std::uint32_t>(at));
    octets_.insert(octets_.end(), head_size, 0);
    put16(octets_, 0); // the transaction ID
    put16(octets_, format_.recursion_desired ? DNS_RD : 0);
    put16(octets_, 1);
    put16(octets_, 0);
    put16(octets_, 0);
    put16(octets_, edns ? 1 : 0);
    octets_.insert(octets_.end(), name.begin(), name.end());
    put16(octets_, type);
    put16(octets_, DNS_CLASS_IN);
    if (edns) {
        octets_.push_back(0);
        put16(octets_, DNS_TYPE_OPT);
        put16(octets_, format_.edns_size.value_or(DNS_UDP_SIZE));
        put16(octets_, 0);
        put16(octets_, dnssec_ok ? DNS_OPT_DO : 0);
        put16(octets_, 0);
    }

    std::uint8_t *entry = octets_.data() + at;
    const std::size_t size = octets_.size() - at - head_size;
    const auto size16 = static_cast<std::uint16_t>(size);
    __u64 hash = 0;
    if (!question_hash({entry + head_size, entry + head_size + size}, &key_, &hash))
        refuse("the query cannot be read back"); // never: it was just written
    std::memcpy(entry, &hash, sizeof(hash));
    std::memcpy(entry + sizeof(hash), &size16, sizeof(size16));
    longest_ = std::max(longest_, size);
}

void QueryList::finish()
{
    if (offsets_.empty())
        throw SetupError(fmt::format("--queries {}: there is no query in it: write a name and a "
                                     "type on each line, as in \"www.example.org A\"",
                                     name_));
    octets_.shrink_to_fit();
    offsets_.shrink_to_fit();
    std::vector<std::uint64_t> hashes(size());
    for (std::size_t i = 0; i < hashes.size(); i++)
        hashes[i] = entry(i).expectation;
    std::ranges::sort(hashes);
    distinct_ =
        static_cast<std::size_t>(std::unique(hashes.begin(), hashes.end()) - hashes.begin());
}

void QueryList::shuffle(std::uint64_t seed)
{
    __extension__ using wide = unsigned __int128;
    std::mt19937_64 random(seed);
    // Fisher and Yates: std::shuffle may differ from library to library.
    for (std::size_t left = offsets_.size(); left > 1; left--) {
        const auto chosen = static_cast<std::size_t>(static_cast<wide>(random()) * left >> 64U);
        std::swap(offsets_[left - 1], offsets_[chosen]);
    }
}

std::size_t QueryList::memory() const
{
    return octets_.capacity() + offsets_.capacity() * sizeof(offsets_[0]);
}

std::string QueryList::text(std::size_t index) const
{
    return question_text(entry(index).message);
}

std::string question_text(std::span<const std::uint8_t> message)
{
    std::size_t at = DNS_HEADER_SIZE;
    std::string text;
    for (std::size_t label = message[at++]; label != 0; label = message[at++]) {
        for (; label != 0; label--, at++) {
            const std::uint8_t octet = message[at];
            if (octet == '.' || octet == '\\')
                text += fmt::format("\\{}", static_cast<char>(octet));
            else if (octet <= ' ' || octet >= 0x7f || octet == ';' || octet == '"' || octet == ',')
                text += fmt::format("\\{:03}", octet);
            else
                text += static_cast<char>(octet);
        }
        text += '.';
    }
    if (text.empty())
        text = ".";
    return text + ' ' + query_type_text(wire_get16(message.data() + at));
}

QueryList read_query_list(const std::string &path, const MessageFormat &format)
{
    const UniqueFd file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    if (!file)
        throw SetupError(fmt::format("cannot read --queries {}: {}", path, std::strerror(errno)));
    QueryList list(path, format);
    std::vector<char> buffer(4 * longest_line);
    std::size_t held = 0; // of a line whose end has not been read
    while (true) {
        const ssize_t got = read(file.get(), buffer.data() + held, buffer.size() - held);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            throw SetupError(
                fmt::format("cannot read --queries {}: {}", path, std::strerror(errno)));
        std::string_view text(buffer.data(), held + static_cast<std::size_t>(got));
        for (std::size_t end = text.find('\n'); end != std::string_view::npos;
             end = text.find('\n')) {
            list.add_line(text.substr(0, end));
            text.remove_prefix(end + 1);
        }
        // What is too long for a line is refused; the last line needs no end.
        if (text.size() > longest_line || (got == 0 && !text.empty()))
            list.add_line(text);
        if (got == 0)
            break;
        held = text.size();
        std::memmove(buffer.data(), text.data(), held);
    }
    list.finish();
    return list;
}

} // namespace dnsgauge
