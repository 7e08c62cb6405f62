// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The journal of a search: a file of JSON lines, which is whole whenever the process dies.
//
// The first line, the header, says which search it is of; each other one is a record, on the disk
// when append() returns. Half a last line is what a crash leaves: it is cut off. One process has a
// journal at a time.
#pragma once

#include "common/unique_fd.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace dnsgauge
{

class Journal
{
public:
    using Json = nlohmann::ordered_json;

    struct Record {
        std::uint64_t line = 0; // in the file, from 1
        Json value;
    };

    // A new one. Throws SetupError: there is such a file, or it cannot be written.
    [[nodiscard]] static Journal create(const std::string &path, const Json &header);
    // One that is there, of which nothing is changed before the first append(). Throws SetupError:
    // it is not there, it cannot be read or is in use, its header differs from this one (the
    // message says where), or a line is none of a journal (which one).
    [[nodiscard]] static Journal resume(const std::string &path, const Json &header);

    Journal(Journal &&other) noexcept;
    Journal(const Journal &) = delete;
    Journal &operator=(const Journal &) = delete;
    Journal &operator=(Journal &&) = delete;
    // Removes a journal that is new and has no record.
    ~Journal();

    // Throws SetupError: nothing of `record` is in the file then, or half a line at its end.
    void append(const Json &record);

    [[nodiscard]] const std::string &path() const { return path_; }
    // The first line, as it is in the file.
    [[nodiscard]] const Json &header() const { return header_; }
    // Those that it had when it was opened.
    [[nodiscard]] const std::vector<Record> &records() const { return records_; }
    // Octets of a half line at its end, when it was opened.
    [[nodiscard]] std::uint64_t torn() const { return torn_; }

    // A SetupError about one of its lines.
    [[noreturn]] void refuse(std::uint64_t line, const std::string &what) const;

private:
    Journal(std::string path, UniqueFd fd);
    void read(const Json &header);
    void check_header(const std::string &line, const Json &header);
    void mend_end();
    void write_line(const std::string &line);

    std::string path_;
    Json header_;
    UniqueFd fd_;
    std::vector<Record> records_;
    std::string missing_;       // what the whole lines lack: a new line, or the header
    std::uint64_t whole_ = 0;   // octets of whole lines
    std::uint64_t torn_ = 0;    // octets behind them
    bool needs_cut_ = false;    // nothing has been appended since it was read
    bool is_empty_new_ = false; // made by us, no record yet
};

} // namespace dnsgauge
