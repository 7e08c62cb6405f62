// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The octets of a file or of standard input, unpacked where gzip, zstd or xz packed them. A file
// that was packed twice is unpacked once: unpacking a small one further may take years.
#pragma once

#include "input/unpack_limit.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

struct archive;

namespace dnsgauge
{

// Returns what messages call a file: `option` and `path`, or `path` alone if no option named the
// file.
[[nodiscard]] std::string name_of_input(const std::string &option, const std::string &path);

class InputFile
{
public:
    // Opens the file `path`, or standard input if that is "-". Messages begin with "cannot read",
    // `option` and `path`. Throws SetupError.
    InputFile(const std::string &option, const std::string &path, UnpackLimit limit = {});
    ~InputFile();
    InputFile &operator=(InputFile &&) = delete;

    // Fills the front of `buffer`. Returns the number of octets; 0 at the end. Throws SetupError,
    // also if the file unpacks to more than the limit.
    [[nodiscard]] std::size_t read(std::span<char> buffer);

private:
    class Origin;

    [[noreturn]] void refuse(const std::string &why) const;
    [[noreturn]] void refuse_archive() const;
    void check_limit() const;

    std::string option_;
    std::string path_;
    std::unique_ptr<Origin> origin_; // outlives the reader
    std::unique_ptr<archive, int (*)(archive *)> reader_;
    UnpackLimit limit_;
    std::uint64_t unpacked_ = 0; // octets that were returned
    bool has_content_ = false;
};

// Returns CRC-64 (ECMA-182) of the file's octets, packed or not, in hexadecimal digits. Throws
// SetupError.
[[nodiscard]] std::string file_checksum(const std::string &option, const std::string &path);

} // namespace dnsgauge
