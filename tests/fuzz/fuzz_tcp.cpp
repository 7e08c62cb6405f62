// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Any bytes as what a client sends over TCP: in whatever pieces they come and answers go, the
// answers are the same.
#include "fuzz.h"

#include "fakedns/tcp_stream.h"
#include "support/program_configs.h"

#include <algorithm>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

std::vector<std::uint8_t> answers_to(std::span<const std::uint8_t> input, std::size_t piece)
{
    static const answer_zones zones = fakedns_test_config().zones;
    Counters counters;
    TcpStream stream(zones, counters);
    std::vector<std::uint8_t> answers;
    for (;;) {
        while (!stream.output().empty()) {
            const auto gone = stream.output().first(std::min(piece, stream.output().size()));
            answers.insert(answers.end(), gone.begin(), gone.end());
            stream.sent(gone.size());
        }
        if (input.empty())
            return answers;
        must(stream.wants_input(), "who has all its answers may ask on");
        const std::span<std::uint8_t> room = stream.input();
        must(!room.empty(), "there is room for what is wanted");
        const std::size_t count = std::min({room.size(), piece, input.size()});
        std::copy_n(input.begin(), count, room.begin());
        stream.received(count);
        input = input.subspan(count);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::span input(data, size);
    const std::vector<std::uint8_t> at_once = answers_to(input, std::size_t{1} << 20);
    must(answers_to(input, 1) == at_once, "octet by octet");
    must(answers_to(input, 7) == at_once, "in small pieces");
    return 0;
}
