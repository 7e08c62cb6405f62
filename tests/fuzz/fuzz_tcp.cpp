// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends any bytes as a client's stream over TCP, once, and over and over. The answers are the same
// in whatever pieces the octets come and the answers go, and whether the client fetches answers at
// once or only when the server waits.
#include "fuzz.h"

#include "base/message_stream.h"
#include "server/responder.h"
#include "support/program_configs.h"

#include <algorithm>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

// More octets than may wait for the client, and more than a message can hold.
constexpr std::size_t many_octets = 70'000;

enum class Client { fetches_at_once, fetches_late };

std::vector<std::uint8_t> answers_to(std::span<const std::uint8_t> input, std::size_t piece,
                                     Client client)
{
    static const answer_zones zones = fakedns_test_config().zones;
    Counters counters;
    ZoneAnswerer answerer(zones, counters);
    TcpStream stream(answerer);
    std::vector<std::uint8_t> answers;
    for (;;) {
        const bool waits = client == Client::fetches_late && !input.empty();
        while (!stream.output().empty() && !(waits && stream.wants_input())) {
            const auto gone = stream.output().first(std::min(piece, stream.output().size()));
            answers.insert(answers.end(), gone.begin(), gone.end());
            stream.sent(gone.size());
        }
        if (input.empty())
            return answers;
        must(stream.wants_input(), "who has all its answers may ask on");
        const std::size_t count = std::min(piece, input.size());
        stream.received(input.first(count));
        input = input.subspan(count);
    }
}

std::vector<std::uint8_t> over_and_over(std::span<const std::uint8_t> input)
{
    std::vector<std::uint8_t> all;
    while (!input.empty() && all.size() < many_octets)
        all.insert(all.end(), input.begin(), input.end());
    return all;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    constexpr std::size_t all = std::size_t{1} << 20;
    const std::span input(data, size);
    const std::vector<std::uint8_t> at_once = answers_to(input, all, Client::fetches_at_once);
    must(answers_to(input, 1, Client::fetches_at_once) == at_once, "octet by octet");
    must(answers_to(input, 7, Client::fetches_late) == at_once, "in small pieces");
    const std::vector<std::uint8_t> many = over_and_over(input);
    must(answers_to(many, all, Client::fetches_at_once) ==
             answers_to(many, 1000, Client::fetches_late),
         "by a client that fetches nothing before it must");
    return 0;
}
