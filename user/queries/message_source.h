// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The sources of dnsgauge-queries' DNS messages: captures and lists.
#pragma once

#include "capture/capture_reader.h"
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
    MessageSource() = default;
    MessageSource(const MessageSource &) = delete;
    MessageSource &operator=(const MessageSource &) = delete;
    virtual ~MessageSource() = default;

    // Returns the next message, valid until the next call; nothing at the end. Throws SetupError if
    // the input is damaged.
    [[nodiscard]] virtual std::optional<CapturedMessage> next() = 0;

    // Returns the counts of what was read so far. A list has only queries.
    [[nodiscard]] virtual CaptureCounts counts() const = 0;

    // Returns how many messages came after a message of a later time.
    [[nodiscard]] virtual std::uint64_t disordered() const = 0;
};

struct InputOptions {
    std::uint16_t port = CaptureReader::dns_port;
    // Times and addresses for the queries of a list, which has none of its own. The first query is
    // sent at `begin_ns`, and the others follow at `rate`.
    std::int64_t begin_ns = 0;
    Rate rate{.per_second = 1000};
    IpAddress client;
    IpAddress server;
    bool recursion_desired = false;
    UnpackLimit unpack{}; // of each input that is packed
    bool align = false;   // shift all inputs to begin when the earliest of them begins
};

// Opens a capture or a list: the first octets of the file say which. "-" is a capture on standard
// input. Throws SetupError.
[[nodiscard]] std::unique_ptr<MessageSource> open_source(const std::string &path,
                                                         const InputOptions &options);

// Opens several inputs. Their messages come in the order of their times. Throws SetupError.
[[nodiscard]] std::unique_ptr<MessageSource> open_sources(const std::vector<std::string> &paths,
                                                          const InputOptions &options);

} // namespace dnsgauge
