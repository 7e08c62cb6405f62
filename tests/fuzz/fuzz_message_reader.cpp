// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as a server's octets over TCP, in pieces of several sizes: the messages are the
// same, and the reader's memory is bounded.
#include "fuzz.h"

#include "dns/message_reader.h"

#include <utility>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

// Small, so that short inputs have messages that are cut.
constexpr std::size_t longest = 100;

using Messages = std::vector<std::pair<std::vector<std::uint8_t>, std::size_t>>;

Messages messages_in(std::span<const std::uint8_t> octets, std::size_t piece)
{
    MessageReader reader(longest);
    Messages messages;
    while (!octets.empty()) {
        const std::size_t count = std::min(piece, octets.size());
        reader.read(octets.first(count), [&](std::span<const std::uint8_t> message,
                                             std::size_t size) {
            must(message.size() == std::min(size, longest), "only long ones are cut");
            messages.emplace_back(std::vector<std::uint8_t>(message.begin(), message.end()), size);
        });
        octets = octets.subspan(count);
        must(reader.memory() <= 2 * (longest + 2), "memory is bounded");
    }
    return messages;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::span input(data, size);
    const Messages at_once = messages_in(input, size + 1);
    std::size_t octets = 0;
    for (const auto &[message, whole] : at_once)
        octets += 2 + whole;
    must(octets <= size, "no octet is in two messages");
    for (const std::size_t piece : {1U, 2U, 7U, 101U})
        must(messages_in(input, piece) == at_once, "the pieces do not matter");
    return 0;
}
