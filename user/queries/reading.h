// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What the commands that read captures and lists share: options, the inputs, and what to tell of
// them.
#pragma once

#include "options/option.h"
#include "queries/message_filter.h"
#include "queries/message_source.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace dnsgauge
{

inline constexpr double seconds_most = 1e9;

struct Reading {
    std::vector<std::string> files;
    InputOptions input{.client = parse_ip_address("198.18.0.1"),
                       .server = parse_ip_address("198.18.0.2")};
    FilterOptions filter;
};

// Returns the options of input, choice and lists.
[[nodiscard]] Options rows(Reading &reading);

// Returns all inputs, merged by time. Throws SetupError.
[[nodiscard]] std::unique_ptr<MessageSource> open_inputs(const Reading &reading);

// These functions tell on standard error what the output lacks.
void tell_left_out(std::uint64_t count, const char *what);
void tell_left_out(const CaptureCounts &counts);

} // namespace dnsgauge
