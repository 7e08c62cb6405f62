// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends any octets to FakeDNS as a client's HTTP/2, after the client's preface and settings. Each
// answer that is counted is sent whole, is counted as unsent, or waits for the client.
#include "fuzz.h"

#include "base/http_stream.h"
#include "server/responder.h"
#include "support/program_configs.h"

#include <nghttp2/nghttp2.h>

#include <span>
#include <string_view>
#include <vector>

using namespace dnsgauge;
using namespace dnsgauge::testing;
using namespace std::string_view_literals;

namespace
{

constexpr std::string_view beginning = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"sv;
// Octets that wait for a client: more than the limit, because a piece may ask for many answers.
constexpr std::size_t most_waiting = std::size_t{4} << 20U;

// Returns how many responses with a body have ended in these frames of a server.
std::uint64_t ended_in(std::span<const std::uint8_t> frames)
{
    constexpr std::size_t head = 9;
    std::uint64_t ended = 0;
    while (!frames.empty()) {
        must(frames.size() >= head, "frames are whole");
        const std::size_t size =
            head + (std::size_t{frames[0]} << 16U | std::size_t{frames[1]} << 8U | frames[2]);
        must(frames.size() >= size, "frames are whole");
        ended += frames[3] == NGHTTP2_DATA && (frames[4] & NGHTTP2_FLAG_END_STREAM) != 0 ? 1 : 0;
        frames = frames.subspan(size);
    }
    return ended;
}

void ask(std::span<const std::uint8_t> input, std::size_t piece)
{
    static const answer_zones zones = fakedns_test_config().zones;
    Counters counters;
    ZoneAnswerer answerer(zones, counters);
    const auto made = make_http_stream(answerer);
    MessageStream &stream = *made;
    std::vector<std::uint8_t> said;
    const auto fetch = [&] {
        must(stream.output().size() <= most_waiting, "little waits for a client");
        said.insert(said.end(), stream.output().begin(), stream.output().end());
        stream.sent(stream.output().size());
    };
    stream.received({reinterpret_cast<const std::uint8_t *>(beginning.data()), beginning.size()});
    while (!input.empty() && !stream.is_over()) {
        const std::span<const std::uint8_t> next = input.first(std::min(piece, input.size()));
        input = input.subspan(next.size());
        stream.received(next);
        fetch();
    }
    stream.ended();
    fetch();
    must(ended_in(said) + stream.unsent() + counters.of(COUNTER_UNSENT) == counters.answers({}, {}),
         "each answer is sent, unsent or waits");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::span input(data, size);
    constexpr std::size_t record = 16'384;
    ask(input, record);
    ask(input, 7);
    ask(input, 1);
    return 0;
}
