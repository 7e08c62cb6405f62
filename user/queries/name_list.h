// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Lists of names that exist (README.md). Makes such a list from the answers in captures, and reads
// lists.
#pragma once

#include "capture/captured_message.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace dnsgauge
{

// Names with the types and TTLs of their records, as answers had them.
class NameBook
{
public:
    static constexpr std::size_t most = 1'000'000; // names, so that memory is bounded

    // Notes what an answer says. Ignores queries.
    void add(const CapturedMessage &message);

    std::uint64_t answers = 0;
    std::uint64_t denied = 0; // answers that say that a name does not exist
    // Answers that say nothing about a name: errors, referrals, damaged answers.
    std::uint64_t useless = 0;
    std::uint64_t uncounted = 0; // answers about names for which there was no room

    [[nodiscard]] std::size_t size() const { return names_.size(); }

    // Returns a line for each name. The name that was answered most often is the first.
    [[nodiscard]] std::vector<std::string> lines() const;

private:
    struct Entry {
        std::uint64_t answers = 0;
        std::map<std::uint16_t, std::uint32_t> ttls; // by type: a cache counts TTLs down, so the
                                                     // largest is the nearest to the zone's
    };

    Entry *entry(const std::string &name);

    std::unordered_map<std::string, Entry> names_; // wire form, small letters
};

// Returns name_text() of a name in wire form.
[[nodiscard]] std::string name_text(const std::string &wire);

// Returns the names of a list, in wire form: the first word of each line. Throws SetupError if the
// file cannot be read, a word is no name, or there is no name.
[[nodiscard]] std::vector<std::string> read_name_list(const std::string &path,
                                                      const std::string &option);

} // namespace dnsgauge
