// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Writes a file that is there whole or not at all, also after a power failure.
//
// The constructor opens the file for writing, so that a file that cannot be written is refused at
// the beginning. A regular file has no name at first, if the file system has such files, or else a
// name that no other writer has, PATH.*.tmp; commit() gives the file its own name. Without
// commit(), whatever the reason, an older PATH stays as it was. A symbolic link stays a link. A
// file that is replaced keeps its permissions, and its owner where the system allows that.
//
// Devices, pipes and the files of standard output and standard error are written directly: a pipe
// needs a reader when it is opened, who must not stop reading. system/output_place.h says which
// places are refused. A directory in which everybody may replace files is refused as well.
#pragma once

#include "system/output_place.h"
#include "system/unique_fd.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>

namespace dnsgauge
{

// Every member throws SetupError when the system refuses: disk full, reader gone, no permission.
class WholeFile
{
public:
    // `option` is the option that named the file, for messages; empty if none did. `patience` is
    // how long a pipe's reader may take nothing before writing fails.
    explicit WholeFile(const std::filesystem::path &path, const std::string &option = {},
                       std::chrono::milliseconds patience = std::chrono::seconds(30));
    ~WholeFile();
    WholeFile &operator=(WholeFile &&) = delete;

    [[nodiscard]] bool is_direct() const { return is_direct_; }

    void write(std::string_view text);
    // Writes `text` as the end of the content, and gives the file its name.
    void commit(std::string_view text = {});

private:
    bool dup_standard_file();
    void open_special();
    void open_nameless();
    void open_temporary();
    void keep_owner_and_mode();
    void give_name();
    void rename_temporary();
    [[nodiscard]] std::string temporary_name(unsigned number) const;
    [[noreturn]] void fail() const;

    std::filesystem::path path_;
    std::string name_; // for errors
    std::chrono::milliseconds patience_;
    OutputPlace place_;
    std::string temporary_; // name in the place's directory; empty if it has none
    UniqueFd fd_;
    bool is_direct_ = false;
};

// Makes a file that is not there yet, by the same rules, without synchronising it with the disk.
// This is for many files, if another file says that all are whole. Throws SetupError, also if the
// name is taken.
void write_new_file(const std::filesystem::path &path, std::string_view text);

// Writes all of `text`, in as many calls as that takes. Returns false, with errno, if not all of it
// is written: EAGAIN if the reader of a descriptor that does not block has taken nothing for
// `patience`. A negative patience waits for ever.
[[nodiscard]] bool write_all(int fd, std::string_view text,
                             std::chrono::milliseconds patience = std::chrono::milliseconds(-1));

// Returns whether `path` still names the file that `fd` has open.
[[nodiscard]] bool is_open_as(int fd, const std::string &path);

// Puts the name of the file `path` on the disk, after the file was made or renamed. Without this
// the name may not outlive a power failure. Returns false, with errno, if the name may not be
// there.
[[nodiscard]] bool sync_directory_of(const std::string &path);

} // namespace dnsgauge
