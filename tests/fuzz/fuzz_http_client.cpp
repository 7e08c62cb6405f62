// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Sends any octets to the Tester as a server's HTTP/2. The first octet chooses what the Tester does
// meanwhile. Each query has one outcome at most, and a message that a query can have.
#include "fuzz.h"

#include "streams/http_client.h"

#include <memory>
#include <set>
#include <span>
#include <vector>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

constexpr std::size_t message_size = 40;
constexpr std::uint16_t asked_first = 3;
constexpr std::uint16_t asked_most = 200;
constexpr std::size_t most_said = std::size_t{1} << 20U;

// The queries of one connection.
class Asker
{
public:
    explicit Asker(HttpClient &client) : client_(client), connection_(client.begin())
    {
        must(connection_ != nullptr, "there is memory");
        is_well_ = client_.answer(*connection_);
        while (next_ < asked_first)
            ask();
        gather();
    }

    [[nodiscard]] bool is_well() const { return is_well_; }

    void hear(std::span<const std::uint8_t> octets)
    {
        is_well_ = client_.take_in(*connection_, octets);
        gather();
        is_well_ = is_well_ && client_.answer(*connection_);
        gather();
        must(is_well_ || !client_.failure().empty(), "a failure has a reason");
    }

    void ask()
    {
        if (!is_well_ || next_ == asked_most || !client_.may_ask(*connection_, message_size))
            return;
        std::vector<std::uint8_t> message(message_size, 0xfb);
        message[0] = 0;
        message[1] = static_cast<std::uint8_t>(next_++);
        is_well_ = client_.ask(*connection_, message);
        gather();
    }

    void give_up(std::uint16_t id)
    {
        if (id >= next_ || ended_.contains(id))
            return;
        client_.give_up(*connection_, id);
        given_up_.insert(id);
    }

private:
    void gather()
    {
        constexpr std::size_t longest = 65'535;
        for (const HttpClient::Outcome &one : client_.outcomes()) {
            must(one.id < next_, "a query with an outcome was asked");
            must(!given_up_.contains(one.id), "nobody awaits this query");
            must(one.message.size() <= longest, "a message is no longer than DNS has it");
            must(one.message.empty() || (one.cause == nullptr && one.status == 200),
                 "a reply comes with status 200");
            must(ended_.insert(one.id).second, "a query has one outcome");
        }
        client_.forget_outcomes();
        must(client_.outgoing().size() <= most_said, "the Tester answers little");
        client_.outgoing().clear();
    }

    HttpClient &client_;
    std::unique_ptr<HttpSession> connection_;
    bool is_well_ = true;
    std::uint16_t next_ = 0;
    std::set<std::uint16_t> ended_{};
    std::set<std::uint16_t> given_up_{};
};

void hear_all(HttpClient &client, std::span<const std::uint8_t> input, std::size_t piece)
{
    Asker asker(client);
    while (!input.empty() && asker.is_well()) {
        asker.hear(input.first(std::min(piece, input.size())));
        input = input.subspan(std::min(piece, input.size()));
    }
}

// Asks and gives queries up while the octets come.
void ask_on(HttpClient &client, std::span<const std::uint8_t> input, std::size_t piece)
{
    Asker asker(client);
    Asker other(client);
    for (std::uint16_t turn = 0; !input.empty() && asker.is_well(); turn++) {
        asker.hear(input.first(std::min(piece, input.size())));
        input = input.subspan(std::min(piece, input.size()));
        asker.ask();
        other.ask();
        if (turn % 3 == 0)
            asker.give_up(turn / 2);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    if (size == 0)
        return 0;
    constexpr std::size_t record = 16'384;
    const std::span input(data + 1, size - 1);
    HttpClient client(
        {.authority = "dns.test", .method = data[0] % 2 == 0 ? HttpMethod::post : HttpMethod::get});
    hear_all(client, input, record);
    hear_all(client, input, 1);
    ask_on(client, input, 1U + data[0] / 2U);
    return 0;
}
