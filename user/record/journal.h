// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The journal of a series: a file of JSON lines that stays whole even if the process dies.
//
// The first line, the header, says which series the journal belongs to. Each other line is a
// record, which is on the disk when append() returns. A crash may leave an incomplete last line,
// which the next run cuts off. Only one process at a time has a journal open.
#pragma once

#include "system/unique_fd.h"

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

    // Makes a new journal. Throws SetupError if there is such a file, or if it cannot be written.
    [[nodiscard]] static Journal create(const std::string &path, const Json &header);
    // Opens an existing journal, also one of an older form. Changes nothing before the first
    // append(). Throws SetupError if the journal does not exist, cannot be read or is in use.
    // Throws SetupError with the difference if its header differs from `header`, and with the
    // line's number if a line is no record.
    [[nodiscard]] static Journal resume(const std::string &path, const Json &header);

    Journal(Journal &&other) noexcept;
    // Removes a new journal that has no record.
    ~Journal();

    // Appends a record. Throws SetupError; the file then may have an incomplete line at its end.
    void append(const Json &record);

    [[nodiscard]] const std::string &path() const { return path_; }
    // Returns the first line, as it is in the file.
    [[nodiscard]] const Json &header() const { return header_; }
    // Returns the records that the journal had when it was opened.
    [[nodiscard]] const std::vector<Record> &records() const { return records_; }
    // Returns the number of octets of an incomplete last line when the journal was opened.
    [[nodiscard]] std::uint64_t torn() const { return torn_; }

    // Throws SetupError about one of the journal's lines.
    [[noreturn]] void refuse(std::uint64_t line, const std::string &what) const;

private:
    Journal(std::string path, UniqueFd fd, const Json &header);
    void read(const Json &header);
    void check_header(const std::string &line, const Json &header);
    void mend_end();
    void write_line(const std::string &line);

    std::string path_;
    std::string owner_; // as messages call it: "search", "sweep"
    Json header_;
    UniqueFd fd_;
    std::vector<Record> records_;
    std::string missing_;       // what to append first: a line break, or the header
    std::uint64_t whole_ = 0;   // octets of whole lines
    std::uint64_t torn_ = 0;    // octets after whole lines
    bool needs_cut_ = false;    // nothing has been appended since reading
    bool is_empty_new_ = false; // this process made the journal, which has no record yet
};

} // namespace dnsgauge
