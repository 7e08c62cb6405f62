// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the commands that write messages share: options, the output, and what to tell of it.
#pragma once

#include "capture/capture_reader.h"
#include "options/option.h"
#include "queries/message_sink.h"
#include "workload/captured_queries.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace dnsgauge
{

struct Writing {
    std::string file = "-";
    std::optional<OutputForm> given_form{};

    // Returns the form that was given, or that the file's name shows.
    [[nodiscard]] OutputForm form() const;
};

[[nodiscard]] Option output_row(std::string &file);
[[nodiscard]] Options rows(Writing &writing);

// Returns the output. Throws SetupError.
[[nodiscard]] std::unique_ptr<MessageSink> open_output(const Writing &writing);

// Throws SetupError if the file is standard output, which a trial cannot map.
void check_is_file(const std::string &file);

// Writes the queries that `next` yields, with their times and clients, for a trial to map.
void prepare(const CapturedQueries::NextMessage &next, const std::string &file);

// Tells on standard error what the output lacks of what was read.
void tell_losses(const CaptureCounts &counts, const MessageSink &sink, std::uint64_t disordered);

} // namespace dnsgauge
