// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What all commands that read captures and lists share: options, inputs, and what they tell about
// the inputs.
#pragma once

#include "capture/capture_reader.h"
#include "options/option.h"
#include "queries/message_filter.h"
#include "units/rate.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

class MessageSource
{
public:
    MessageSource &operator=(MessageSource &&) = delete;
    virtual ~MessageSource() = default;

    // Returns the next message, valid until the next call; nothing at the end. Throws SetupError if
    // the input is damaged.
    [[nodiscard]] virtual std::optional<CapturedMessage> next() = 0;

    // Returns the counts of what was read so far. A list has only queries.
    [[nodiscard]] virtual CaptureCounts counts() const = 0;

    // Returns how many messages followed a message with a later time.
    [[nodiscard]] virtual std::uint64_t disordered() const = 0;
};

struct InputOptions {
    std::uint16_t port = CaptureReader::dns_port;
    // Times and addresses for the queries of a list, which has none. The first query has the time
    // `begin_ns`, and the others follow at `rate`.
    std::int64_t begin_ns = 0;
    Rate rate{.per_second = 1000};
    IpAddress client;
    IpAddress server;
    bool recursion_desired = false;
    UnpackLimit unpack{}; // for each packed input
    bool align = false;   // shift all inputs so that they begin with the earliest of them
};

inline constexpr double seconds_most = 1e9;

struct Reading {
    std::vector<std::string> files;
    InputOptions input{.client = parse_ip_address("198.18.0.1"),
                       .server = parse_ip_address("198.18.0.2")};
    FilterOptions filter;
};

// Returns the options of input, choice and lists.
[[nodiscard]] Options rows(Reading &reading);

// Returns all inputs, merged by time. The first octets of a file tell whether it is a capture or a
// list. "-" is a capture on standard input. Throws SetupError.
[[nodiscard]] std::unique_ptr<MessageSource> open_inputs(const Reading &reading);

// These functions say on standard error what the output lacks.
void tell_left_out(std::uint64_t count, const char *what);
void tell_left_out(const CaptureCounts &counts);

} // namespace dnsgauge
