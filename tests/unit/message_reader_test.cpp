// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/message_reader.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <utility>

using namespace dnsgauge;

namespace
{

using Octets = std::vector<std::uint8_t>;
// Each message with its size before it was cut.
using Messages = std::vector<std::pair<Octets, std::size_t>>;

Octets octets_of(const std::vector<Octets> &messages)
{
    Octets all;
    for (const Octets &message : messages) {
        all.push_back(static_cast<std::uint8_t>(message.size() >> 8U));
        all.push_back(static_cast<std::uint8_t>(message.size()));
        all.insert(all.end(), message.begin(), message.end());
    }
    return all;
}

Messages read_in_pieces(const Octets &octets, const std::vector<std::size_t> &cuts,
                        std::size_t longest = MessageReader::longest_message)
{
    MessageReader reader(longest);
    Messages messages;
    std::span<const std::uint8_t> rest(octets);
    std::size_t done = 0;
    const auto read = [&](std::size_t until) {
        reader.read(rest.first(until - done),
                    [&](std::span<const std::uint8_t> message, std::size_t size) {
                        messages.emplace_back(Octets(message.begin(), message.end()), size);
                    });
        rest = rest.subspan(until - done);
        done = until;
    };
    for (const std::size_t cut : cuts)
        read(cut);
    read(octets.size());
    return messages;
}

} // namespace

TEST_CASE("messages are the same wherever their octets are cut")
{
    const std::vector<Octets> sent{{1, 2, 3}, {}, {4}, Octets(300, 7), {5, 6}};
    const Octets octets = octets_of(sent);
    for (std::size_t one = 0; one <= octets.size(); one += 3) {
        for (std::size_t other = one; other <= octets.size(); other++) {
            const Messages got = read_in_pieces(octets, {one, other});
            REQUIRE(got.size() == sent.size());
            for (std::size_t i = 0; i < sent.size(); i++) {
                REQUIRE(got[i].first == sent[i]);
                REQUIRE(got[i].second == sent[i].size());
            }
        }
    }
}

TEST_CASE("a message that is too long is cut, and the next one is read")
{
    constexpr std::size_t longest = 10;
    const std::vector<Octets> sent{Octets(25, 1), {2, 3}, Octets(10, 4), Octets(11, 5), {6}};
    const Octets octets = octets_of(sent);
    for (std::size_t cut = 0; cut <= octets.size(); cut++) {
        const Messages got = read_in_pieces(octets, {cut}, longest);
        REQUIRE(got.size() == sent.size());
        for (std::size_t i = 0; i < sent.size(); i++) {
            REQUIRE(got[i].second == sent[i].size());
            REQUIRE(got[i].first ==
                    Octets(sent[i].begin(), sent[i].begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                  longest, sent[i].size()))));
        }
    }
}

TEST_CASE("a message that never ends takes bounded memory")
{
    constexpr std::size_t longest = 4096;
    MessageReader reader(longest);
    const Octets endless(1000, 0xff);
    std::size_t messages = 0;
    for (int i = 0; i < 1000; i++)
        reader.read(endless, [&](std::span<const std::uint8_t> message, std::size_t size) {
            CHECK(message.size() == longest);
            CHECK(size == 65'535);
            messages++;
        });
    CHECK(messages == 1'000'000 / 65'537);
    CHECK(reader.memory() <= 2 * (longest + 2));
}
