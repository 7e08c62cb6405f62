// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/prepared_file.h"

#include "capture/captured_message.h"
#include "input/input_file.h"
#include "system/setup_error.h"
#include "system/unique_fd.h"
#include "system/whole_file.h"
#include "workload/query.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace dnsgauge
{

namespace
{

// No list of lines, no list of messages and no capture begins with this.
constexpr std::array<std::uint8_t, 8> prepared_magic{0x89, 'D', 'N', 'S', 'Q', '\r', '\n', 0x1a};
constexpr std::uint32_t this_order = 0x01020304;
constexpr std::uint32_t this_version = 2;
constexpr std::uint64_t number_size = 8; // the tables begin at multiples
constexpr std::uint64_t client_size = 20;
constexpr std::uint64_t queries_most = std::uint64_t{1} << 40U;
constexpr const char *advice = "make it anew (dnsgauge-queries convert --to prepared)";

static_assert(sizeof(PreparedHead) % number_size == 0);
static_assert(std::is_trivially_copyable_v<PreparedHead>);

std::uint64_t padding_behind(std::uint64_t octets)
{
    return (number_size - octets % number_size) % number_size;
}

[[noreturn]] void refuse(const std::string &why)
{
    throw SetupError("{}: {}", why, advice);
}

// Returns how large the file is.
std::uint64_t file_size(const PreparedHead &head)
{
    const std::uint64_t before = sizeof(PreparedHead) + head.octets + padding_behind(head.octets);
    return head.kind == PreparedKind::list
               ? before + head.queries * sizeof(std::uint32_t)
               : before + head.queries * (sizeof(std::int64_t) + sizeof(std::uint64_t)) +
                     head.clients * client_size;
}

// Reads the head from the front of a file of `size` octets.
PreparedHead read_head(std::span<const std::uint8_t> front, std::uint64_t size)
{
    PreparedHead head;
    if (front.size() < sizeof(head))
        refuse("it is cut off");
    std::memcpy(&head, front.data(), sizeof(head));
    if (head.magic != prepared_magic)
        refuse("it is no file of prepared queries");
    if (head.order != this_order)
        refuse("a machine with another order of octets made it");
    if (head.version != this_version)
        refuse(fmt::format("it is of version {}, and this program reads version {}", head.version,
                           this_version));
    if ((head.kind != PreparedKind::list && head.kind != PreparedKind::captures) ||
        head.queries == 0 || head.queries > queries_most || head.key.exact != 0 ||
        (head.kind == PreparedKind::list && (head.distinct == 0 || head.distinct > head.queries)))
        refuse("it is damaged: its head contradicts itself");
    if (head.octets > size || size != file_size(head))
        refuse(fmt::format(
            "it is cut off or damaged: it has {} octets, and its head says otherwise", size));
    return head;
}

// Returns what `read` returns. What `read` refuses is told of the file `name`.
template <class Read>
auto read_named(const std::string &name, Read read)
{
    try {
        return read();
    } catch (const SetupError &error) {
        throw SetupError("{}: {}", name, error.what());
    }
}

// Takes a table of `count` values off `octets`.
template <class Value>
std::span<const Value> take_table(std::span<const std::uint8_t> &octets, std::uint64_t count)
{
    const std::span<const Value> table(reinterpret_cast<const Value *>(octets.data()), count);
    octets = octets.subspan(table.size_bytes());
    return table;
}

template <class Value>
std::string_view text_of(std::span<const Value> values)
{
    return {reinterpret_cast<const char *>(values.data()), values.size_bytes()};
}

} // namespace

PreparedQueries::PreparedQueries(std::span<const std::uint8_t> file)
    : head_(read_head(file, file.size()))
{
    std::span<const std::uint8_t> left = file.subspan(sizeof(head_));
    entries_ = left.first(head_.octets);
    left = left.subspan(head_.octets + padding_behind(head_.octets));
    if (head_.kind == PreparedKind::list) {
        offsets_ = take_table<std::uint32_t>(left, head_.queries);
        for (std::uint64_t i = 0; i < head_.queries; i++)
            check_entry(i, offsets_[i]);
        return;
    }
    due_ns_ = take_table<std::int64_t>(left, head_.queries);
    places_ = take_table<std::uint64_t>(left, head_.queries);
    clients_ = left;
    for (std::uint64_t i = 0; i < head_.queries; i++) {
        if (due_ns_[i] < (i == 0 ? 0 : due_ns_[i - 1]))
            refuse(fmt::format("it is damaged: query {} is due before the one before it", i + 1));
        check_entry(i, places_[i]);
    }
}

void PreparedQueries::check_entry(std::uint64_t index, std::uint64_t at)
{
    const bool is_list = head_.kind == PreparedKind::list;
    const std::size_t head_size = is_list ? ListEntry::head_size : CapturedEntry::head_size;
    const auto damaged = [index] {
        refuse(fmt::format("it is damaged: query {} is none", index + 1));
    };
    if (at > entries_.size() || entries_.size() - at < head_size)
        damaged();
    const std::uint8_t *const entry = entries_.data() + at;
    const std::size_t size =
        is_list ? wire_raw16(entry + ListEntry::size_at) : CapturedEntry::size_of(entry);
    if (size < DNS_HEADER_SIZE || size > longest_query || entries_.size() - at - head_size < size)
        damaged();
    const std::span message(entry + head_size, size);
    __u64 hash = 0;
    if ((wire_get16(message.data() + 2) & (DNS_QR | DNS_OPCODE)) != 0 ||
        wire_get16(message.data() + 4) != 1 ||
        question_hash(reading_cursor(message), &head_.key, &hash) == 0 || hash != wire_raw64(entry))
        damaged();
    if (!is_list && (wire_raw32(entry + CapturedEntry::client_at) >= head_.clients ||
                     wire_raw16(entry + CapturedEntry::port_at) == 0))
        damaged();
    longest_ = std::max(longest_, size);
    wants_ |= wire_raw32(entry + (is_list ? ListEntry::wants_at : CapturedEntry::wants_at));
}

IpAddress PreparedQueries::client(std::uint32_t number) const
{
    const std::uint8_t *const at = clients_.data() + number * client_size;
    IpAddress address;
    std::copy_n(at, address.bytes.size(), address.bytes.begin());
    address.is_ipv6 = at[address.bytes.size()] != 0;
    return address;
}

PreparedFile::Mapping::Mapping(const std::string &name, const std::string &path)
{
    const UniqueFd fd{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    struct stat about {
    };
    const auto fail = [&] { throw SetupError("cannot read {}: {}", name, std::strerror(errno)); };
    if (fd.get() < 0 || fstat(fd.get(), &about) != 0)
        fail();
    const auto size = static_cast<std::size_t>(about.st_size);
    std::array<std::uint8_t, sizeof(PreparedHead)> front{};
    const ssize_t got = pread(fd.get(), front.data(), front.size(), 0);
    if (got < 0)
        fail();
    // A file with a wrong head is not read into memory, however large it is.
    static_cast<void>(read_named(name, [&] {
        return read_head(std::span(front).first(static_cast<std::size_t>(got)), size);
    }));
    // The kernel reads the file now, so that no query waits for it later.
    void *const at = mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd.get(), 0);
    if (at == MAP_FAILED)
        fail();
    octets = {static_cast<const std::uint8_t *>(at), size};
}

PreparedFile::Mapping::~Mapping()
{
    if (!octets.empty())
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast)
        munmap(const_cast<std::uint8_t *>(octets.data()), octets.size());
}

PreparedQueries PreparedFile::checked(const Mapping &mapping, const std::string &name,
                                      PreparedKind kind)
{
    return read_named(name, [&] {
        PreparedQueries queries(mapping.octets);
        if (queries.head().kind != kind)
            throw SetupError(kind == PreparedKind::list
                                 ? "it holds queries with times of their own: give it to --capture"
                                 : "it holds a list: give it to --queries");
        return queries;
    });
}

PreparedFile::PreparedFile(const std::string &option, const std::string &path, PreparedKind kind)
    : mapping_(name_of_input(option, path), path),
      queries_(checked(mapping_, name_of_input(option, path), kind))
{
}

bool is_prepared(const std::string &path)
{
    struct stat about {
    };
    if (path == "-" || stat(path.c_str(), &about) != 0 || !S_ISREG(about.st_mode))
        return false;
    std::ifstream file(path, std::ios::binary);
    std::array<std::uint8_t, prepared_magic.size()> first{};
    file.read(reinterpret_cast<char *>(first.data()), first.size());
    return file && first == prepared_magic;
}

void write_prepared(const std::string &path, const PreparedParts &parts)
{
    const PreparedHead head{.magic = prepared_magic,
                            .order = this_order,
                            .version = this_version,
                            .kind = parts.kind,
                            .clients = static_cast<std::uint32_t>(parts.clients.size()),
                            .queries = std::max(parts.offsets.size(), parts.places.size()),
                            .octets = parts.entries.size(),
                            .distinct = parts.distinct,
                            .key = parts.key};
    std::string clients;
    for (const IpAddress &client : parts.clients) {
        clients.append(client.bytes.begin(), client.bytes.end());
        clients += client.is_ipv6 ? '\1' : '\0';
        clients.append(client_size - client.bytes.size() - 1, '\0');
    }
    WholeFile file(path, "--output");
    file.write(text_of(std::span(&head, 1)));
    file.write(text_of(parts.entries));
    file.write(std::string(padding_behind(head.octets), '\0'));
    file.write(text_of(parts.offsets));
    file.write(text_of(parts.due_ns));
    file.write(text_of(parts.places));
    file.commit(clients);
}

} // namespace dnsgauge
