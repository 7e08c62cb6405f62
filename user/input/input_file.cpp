// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "input/input_file.h"

#include "system/regular_file.h"
#include "system/setup_error.h"
#include "system/unique_fd.h"

#include <archive.h>
#include <archive_entry.h>
#include <boost/crc.hpp>
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>
#include <utility>

namespace dnsgauge
{

// What libarchive reads from.
class InputFile::Origin
{
public:
    Origin(const std::string &path, const std::string &about)
    {
        if (path != "-")
            own_ = open_input(path, about);
        fd_ = path == "-" ? STDIN_FILENO : own_.get();
    }

    // Returns the first octets, which read() returns again; fewer than `count` if the file has no
    // more, or cannot be read.
    std::string_view first(std::size_t count)
    {
        while (held_ < count) {
            const ssize_t got = fill(held_);
            if (got <= 0)
                break;
            held_ += static_cast<std::size_t>(got);
        }
        return {buffer_.data(), held_};
    }

    static la_ssize_t read(archive *reader, void *origin, const void **octets)
    {
        Origin &self = *static_cast<Origin *>(origin);
        *octets = self.buffer_.data();
        if (self.held_ != 0)
            return static_cast<la_ssize_t>(std::exchange(self.held_, 0));
        const ssize_t got = self.fill(0);
        if (got < 0)
            archive_set_error(reader, errno, "%s", std::strerror(errno));
        return got;
    }

private:
    // Reads into the buffer, after the octets that it holds. Returns what read(2) returns.
    ssize_t fill(std::size_t held)
    {
        for (;;) {
            const ssize_t got = ::read(fd_, buffer_.data() + held, buffer_.size() - held);
            if (got >= 0 || errno != EINTR)
                return got;
        }
    }

    UniqueFd own_;
    int fd_ = -1;
    std::size_t held_ = 0; // unread octets at the front of the buffer
    std::array<char, std::size_t{1} << 17U> buffer_{};
};

namespace
{

struct Packing {
    int filter;
    std::string_view magic;
};

constexpr std::array packings{Packing{ARCHIVE_FILTER_GZIP, "\x1f\x8b"},
                              Packing{ARCHIVE_FILTER_XZ, {"\xfd\x37zXZ\0", 6}},
                              Packing{ARCHIVE_FILTER_ZSTD, "\x28\xb5\x2f\xfd"}};
constexpr std::size_t longest_magic = 6;

// Returns the filter that unpacks a file with these first octets; nothing if there is none.
std::optional<int> filter_of(std::string_view first)
{
    const auto *const packing = std::ranges::find_if(
        packings, [first](const Packing &each) { return first.starts_with(each.magic); });
    return packing == packings.end() ? std::nullopt : std::optional(packing->filter);
}

} // namespace

std::string name_of_input(const std::string &option, const std::string &path)
{
    return option.empty() ? path : option + " " + path;
}

InputFile::InputFile(const std::string &option, const std::string &path, UnpackLimit limit)
    : option_(option), path_(path),
      origin_(std::make_unique<Origin>(path, "cannot read " + name_of_input(option, path))),
      reader_(archive_read_new(), archive_read_free), limit_(limit)
{
    archive *const reader = reader_.get();
    // The library's own search for filters would unpack several times.
    if (const std::optional<int> filter = filter_of(origin_->first(longest_magic)))
        if (archive_read_append_filter(reader, *filter) != ARCHIVE_OK)
            refuse_archive();
    archive_read_support_format_raw(reader);
    archive_read_support_format_empty(reader);
    // If a packed file is cut off early, the library opens it, takes it for an empty one, and notes
    // the error.
    if (archive_read_open(reader, origin_.get(), nullptr, Origin::read, nullptr) != ARCHIVE_OK ||
        archive_errno(reader) != 0)
        refuse_archive();
    archive_entry *entry = nullptr;
    const int found = archive_read_next_header(reader, &entry);
    if (found != ARCHIVE_OK && found != ARCHIVE_EOF)
        refuse_archive();
    has_content_ = found == ARCHIVE_OK;
}

InputFile::~InputFile() = default;

std::size_t InputFile::read(std::span<char> buffer)
{
    if (!has_content_)
        return 0;
    const la_ssize_t got = archive_read_data(reader_.get(), buffer.data(), buffer.size());
    if (got < 0)
        refuse_archive();
    unpacked_ += static_cast<std::uint64_t>(got);
    check_limit();
    return static_cast<std::size_t>(got);
}

void InputFile::check_limit() const
{
    // The last filter is the one that is always there.
    const bool is_packed = archive_filter_count(reader_.get()) > 1;
    const auto packed = static_cast<std::uint64_t>(archive_filter_bytes(reader_.get(), -1));
    if (is_packed && unpacked_ > limit_.octets && unpacked_ / limit_.times >= packed)
        refuse(fmt::format("it unpacks to more than {} MiB, from {} KiB of the file: unpack it "
                           "first (zstd -d, gzip -d, xz -d), or let dnsgauge-queries convert it "
                           "with --unpacked-most",
                           limit_.octets >> 20U, (packed >> 10U) + 1));
}

void InputFile::refuse(const std::string &why) const
{
    throw SetupError("cannot read {}: {}", name_of_input(option_, path_), why);
}

void InputFile::refuse_archive() const
{
    const char *const why = archive_error_string(reader_.get());
    refuse(why == nullptr ? "it is damaged" : why);
}

std::string file_checksum(const std::string &option, const std::string &path)
{
    if (std::error_code error;
        std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
        throw SetupError(name_of_input(option, path) +
                         " is read more than once: name a regular file");
    boost::crc_optimal<64, 0x42f0e1eba9ea3693> sum;
    std::ifstream file(path, std::ios::binary);
    std::array<char, std::size_t{1} << 16U> octets{};
    do {
        file.read(octets.data(), octets.size());
        sum.process_bytes(octets.data(), static_cast<std::size_t>(file.gcount()));
    } while (file);
    if (!file.eof())
        throw SetupError("cannot read " + name_of_input(option, path));
    return fmt::format("{:016x}", sum.checksum());
}

} // namespace dnsgauge
