// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Long text for a file that is there whole or not at all.
#pragma once

#include "system/whole_file.h"

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace dnsgauge
{

// Keeps SIGINT, SIGTERM and SIGHUP from ending the process while the process has something to tidy
// up. The signals take effect when this object is destroyed. A signal that the process ignores
// stays ignored.
class HeldSignals
{
public:
    HeldSignals();
    HeldSignals &operator=(HeldSignals &&) = delete;
    ~HeldSignals();

    // Returns whether one of the signals has arrived since.
    [[nodiscard]] bool pending() const;

private:
    sigset_t held_{};
    sigset_t previous_{};
};

// Collects text in a block of constant size, and writes it to a WholeFile or, for "-", to standard
// output. Every member throws SetupError where a WholeFile does; write() and commit() also throw it
// when a signal asks the process to end before the file is whole.
class OutputFile
{
public:
    static constexpr std::size_t block_size = std::size_t{1} << 20U;

    explicit OutputFile(const std::filesystem::path &path);
    OutputFile &operator=(OutputFile &&) = delete;

    // Returns room for at least `size` (<= block_size) characters, valid until the next call of a
    // member.
    [[nodiscard]] char *reserve(std::size_t size)
    {
        if (block_.size() - used_ < size)
            write_block();
        return block_.data() + used_;
    }

    // Notes that the caller has filled the room up to `end`.
    void filled_to(const char *end) { used_ = static_cast<std::size_t>(end - block_.data()); }

    void write(std::string_view text);

    // Ends the content, and gives the file its name.
    void commit();

private:
    void write_block();

    std::filesystem::path path_;
    std::optional<HeldSignals> held_; // as long as ending would leave half a file
    std::optional<WholeFile> file_;   // missing for standard output
    std::vector<char> block_;
    std::size_t used_ = 0;
};

} // namespace dnsgauge
