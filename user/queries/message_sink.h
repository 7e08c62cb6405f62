// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What dnsgauge-queries writes: captures and lists.
#pragma once

#include "capture/captured_message.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace dnsgauge
{

// A trial maps the last form. It needs all messages at once, so it has no sink.
enum class OutputForm { pcap, text, binary, prepared };

// All members throw SetupError if the file cannot be written.
class MessageSink
{
public:
    MessageSink() = default;
    MessageSink(const MessageSink &) = delete;
    MessageSink &operator=(const MessageSink &) = delete;
    virtual ~MessageSink() = default;

    // Appends the message, if it fits the form.
    virtual void put(const CapturedMessage &message) = 0;
    // Ends the file, and gives it its name.
    virtual void commit() = 0;

    std::uint64_t unfit = 0;      // messages left out, because the form has no place for them
    std::uint64_t simplified = 0; // messages of which a part was left out
};

// Opens the file; "-" is standard output. A list holds queries alone. Throws SetupError also for
// OutputForm::prepared.
//
// A line of a text list is "www.example.org. MX D": name, type, and E of a query with an OPT record
// or D of one with DO in it. In a binary list each message follows its length, 16 bits big-endian.
[[nodiscard]] std::unique_ptr<MessageSink> open_sink(const std::filesystem::path &path,
                                                     OutputForm form);

} // namespace dnsgauge
