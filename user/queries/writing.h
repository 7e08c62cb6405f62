// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What all commands that write messages share: options, the output, and what they tell about it.
#pragma once

#include "capture/capture_reader.h"
#include "capture/captured_message.h"
#include "options/option.h"
#include "workload/captured_queries.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace dnsgauge
{

// The last form is for trials, which map it. It needs all messages at once, so it has no sink.
enum class OutputForm { pcap, text, binary, prepared };

// All members throw SetupError if the file cannot be written.
class MessageSink
{
public:
    MessageSink &operator=(MessageSink &&) = delete;
    virtual ~MessageSink() = default;

    // Appends the message, if it fits the form.
    virtual void put(const CapturedMessage &message) = 0;
    // Ends the file, and gives it its name.
    virtual void commit() = 0;

    std::uint64_t unfit = 0; // messages that were left out because the form has no place for them
    std::uint64_t simplified = 0; // messages that lost a part
};

// Opens the file; "-" is standard output. A list holds only queries. Throws SetupError also for
// OutputForm::prepared.
//
// A line of a text list is "www.example.org. MX D": name, type, and E for a query with an OPT
// record, or D for a query with DO in that record. In a binary list each message follows its
// length, 16 bits big-endian.
[[nodiscard]] std::unique_ptr<MessageSink> open_sink(const std::filesystem::path &path,
                                                     OutputForm form);

struct Writing {
    std::string file = "-";
    std::optional<OutputForm> given_form{};

    // Returns the form that the user gave, or the form that the file's name shows.
    [[nodiscard]] OutputForm form() const;
};

[[nodiscard]] Option output_row(std::string &file);
[[nodiscard]] Options rows(Writing &writing);

// Returns the output. Throws SetupError.
[[nodiscard]] std::unique_ptr<MessageSink> open_output(const Writing &writing);

// Throws SetupError if the file is standard output, which a trial cannot map.
void check_is_file(const std::string &file);

// Writes the queries that `next` returns, with their times and clients, as a file that a trial
// maps.
void prepare(const CapturedQueries::NextMessage &next, const std::string &file);

// Says on standard error what was read and is not in the output.
void tell_losses(const CaptureCounts &counts, const MessageSink &sink, std::uint64_t disordered);

} // namespace dnsgauge
