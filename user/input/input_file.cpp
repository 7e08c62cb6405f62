// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "input/input_file.h"

#include "common/setup_error.h"
#include "common/unique_fd.h"

#include <archive.h>
#include <archive_entry.h>
#include <boost/crc.hpp>
#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace dnsgauge
{

// What libarchive reads from.
class InputFile::Origin
{
public:
    explicit Origin(const std::string &path)
    {
        if (path != "-")
            own_ = UniqueFd{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
        fd_ = path == "-" ? STDIN_FILENO : own_.get();
    }

    [[nodiscard]] bool is_open() const { return fd_ >= 0; }

    static la_ssize_t read(archive *reader, void *origin, const void **octets)
    {
        Origin &self = *static_cast<Origin *>(origin);
        *octets = self.buffer_.data();
        for (;;) {
            const ssize_t got = ::read(self.fd_, self.buffer_.data(), self.buffer_.size());
            if (got >= 0)
                return got;
            if (errno != EINTR) {
                archive_set_error(reader, errno, "%s", std::strerror(errno));
                return -1;
            }
        }
    }

private:
    UniqueFd own_;
    int fd_ = -1;
    std::array<char, std::size_t{1} << 17U> buffer_{};
};

std::string name_of_input(const std::string &option, const std::string &path)
{
    return option.empty() ? path : option + " " + path;
}

InputFile::InputFile(const std::string &option, const std::string &path, UnpackLimit limit)
    : option_(option), path_(path), origin_(std::make_unique<Origin>(path)),
      reader_(archive_read_new(), archive_read_free), limit_(limit)
{
    if (!origin_->is_open())
        refuse(std::strerror(errno));
    archive *const reader = reader_.get();
    archive_read_support_filter_gzip(reader);
    archive_read_support_filter_xz(reader);
    archive_read_support_filter_zstd(reader);
    archive_read_support_format_raw(reader);
    archive_read_support_format_empty(reader);
    if (archive_read_open(reader, origin_.get(), nullptr, Origin::read, nullptr) != ARCHIVE_OK)
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
    throw SetupError(fmt::format("cannot read {}: {}", name_of_input(option_, path_), why));
}

void InputFile::refuse_archive() const
{
    const char *const why = archive_error_string(reader_.get());
    refuse(why == nullptr ? "it is damaged" : why);
}

std::string file_checksum(const std::string &option, const std::string &path)
{
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
