// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Decides which messages are wanted.
#pragma once

#include "capture/captured_message.h"
#include "dns/ip_prefix.h"
#include "units/rate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// The question of a message, with the name as the message has it.
struct Question {
    std::span<const std::uint8_t> name; // whole and uncompressed
    std::uint16_t type = 0;
    std::uint16_t class_ = 0;
};

// Returns the question of a message that has exactly one, uncompressed.
[[nodiscard]] std::optional<Question> question_of(std::span<const std::uint8_t> message);

// Returns the name in small letters.
[[nodiscard]] std::string folded(std::span<const std::uint8_t> name);

// All given conditions must hold. A condition with several values holds if one of the values
// matches.
struct FilterOptions {
    std::vector<std::string> types;
    std::vector<std::string> names; // these names, and all names below them
    std::vector<IpPrefix> clients;
    std::vector<IpAddress> servers;
    std::optional<unsigned> opcode;
    bool answers = false; // whether answers are wanted, too
    Nanoseconds since{};  // counted from the first message of all inputs
    Nanoseconds until{};  // 0 for the end

    // Returns whether every query is wanted.
    [[nodiscard]] bool takes_all() const
    {
        return types.empty() && names.empty() && clients.empty() && servers.empty() && !opcode &&
               since == Nanoseconds{} && until == Nanoseconds{};
    }
};

class MessageFilter
{
public:
    // Throws SetupError if a text is no type or name.
    explicit MessageFilter(const FilterOptions &options);

    // Returns whether the message is wanted. The message of the first call begins the input.
    [[nodiscard]] bool passes(const CapturedMessage &message);

    // Returns how many messages were left out because answers are not wanted.
    [[nodiscard]] std::uint64_t dropped_answers() const { return dropped_answers_; }

private:
    [[nodiscard]] bool has_time(const CapturedMessage &message);
    [[nodiscard]] bool has_question(const CapturedMessage &message) const;

    FilterOptions options_;
    std::vector<std::uint16_t> types_;
    std::vector<std::string> names_; // wire form, small letters
    std::optional<std::int64_t> begin_ns_;
    std::uint64_t dropped_answers_ = 0;
};

} // namespace dnsgauge
