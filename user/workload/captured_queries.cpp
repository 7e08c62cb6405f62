// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/captured_queries.h"

#include "common/random.h"
#include "common/setup_error.h"
#include "workload/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>

namespace dnsgauge
{

// Numbers clients in the order in which they come.
class CapturedQueries::Numbers
{
public:
    // Returns the number of a client's address, the same in all captures.
    [[nodiscard]] std::uint32_t of(const IpAddress &address)
    {
        std::string octets(address.bytes.begin(), address.bytes.end());
        octets += address.is_ipv6 ? '6' : '4';
        return addresses_.emplace(octets, static_cast<std::uint32_t>(addresses_.size()))
            .first->second;
    }
    // Returns the number of the client that stands for this address in one part: the parts are the
    // captures or slices that are played at once, and each part has clients of its own.
    [[nodiscard]] std::uint32_t of(std::uint32_t part, std::uint32_t address)
    {
        const std::uint64_t both = std::uint64_t{part} << 32U | address;
        return clients_.emplace(both, static_cast<std::uint32_t>(clients_.size())).first->second;
    }
    [[nodiscard]] std::uint32_t clients() const
    {
        return static_cast<std::uint32_t>(clients_.size());
    }

private:
    std::unordered_map<std::string, std::uint32_t> addresses_;
    std::unordered_map<std::uint64_t, std::uint32_t> clients_;
};

// The queries of a capture whose answer has not come yet.
class CapturedQueries::Open
{
public:
    void ask(const CapturedMessage &query, std::uint64_t hash, std::uint64_t place)
    {
        places_.insert_or_assign(Identity{query.client(), query.server(), id_of(query), hash},
                                 place);
    }
    // Returns the place of the query that the answer is to, and forgets the query.
    [[nodiscard]] std::optional<std::uint64_t> take(const CapturedMessage &answer,
                                                    std::uint64_t hash)
    {
        const auto found = places_.find({answer.client(), answer.server(), id_of(answer), hash});
        if (found == places_.end())
            return std::nullopt;
        const std::uint64_t place = found->second;
        places_.erase(found);
        return place;
    }

private:
    struct Identity {
        Endpoint client;
        Endpoint server;
        std::uint16_t id;
        std::uint64_t hash; // of the question
        bool operator==(const Identity &) const = default;
    };
    struct Hash {
        std::size_t operator()(const Identity &query) const
        {
            const std::uint8_t *address = query.client.address.bytes.data();
            return query.hash ^ (wire_raw64(address) + wire_raw64(address + 8)) ^
                   (std::uint64_t{query.client.port} << 48U | std::uint64_t{query.id} << 16U);
        }
    };

    static std::uint16_t id_of(const CapturedMessage &message)
    {
        return wire_get16(message.message.data());
    }

    std::unordered_map<Identity, std::uint64_t, Hash> places_;
};

namespace
{

// Returns what a reply must be to be as the answer was; nothing where the answer is cut off.
std::optional<std::uint32_t> wants_of(const CapturedMessage &answer)
{
    const std::uint16_t flags = wire_get16(answer.message.data() + 2);
    const std::uint32_t count = wire_get16(answer.message.data() + 6);
    if ((flags & DNS_TC) != 0 || count > WANTS_COUNT_MAX)
        return std::nullopt;
    return 1U << (flags & DNS_RCODE) | WANTS_COUNT | count << WANTS_COUNT_SHIFT;
}

} // namespace

CapturedQueries::CapturedQueries(const ReplayWish &wish, Nanoseconds duration,
                                 std::optional<std::uint32_t> wants)
    : key_(random_value<question_key>()), wants_(wants)
{
    const auto files = static_cast<std::uint32_t>(wish.files.size());
    const std::uint32_t factor = wish.load_factor == 0 ? files : wish.load_factor;
    const std::uint32_t used = std::min(files, factor);
    const double wanted_ns = static_cast<double>(duration.count()) * wish.speed;
    Numbers numbers;
    std::vector<std::pair<std::int64_t, std::uint64_t>> all; // due, place
    for (std::uint32_t file = 0; file < used; file++) {
        // The first files have one slice more where the factor is no multiple.
        const std::uint32_t slices = factor / used + (file < factor % used ? 1 : 0);
        // Where a second slice begins, only the end of the file tells.
        const Nanoseconds most{slices == 1 && wanted_ns < 1e18
                                   ? static_cast<std::int64_t>(wanted_ns)
                                   : std::numeric_limits<std::int64_t>::max()};
        const std::vector<Read> found = read(wish.files[file], wish, most, numbers);
        std::int64_t last = 0;
        for (const Read &query : found)
            last = std::max(last, query.due_ns);
        const std::int64_t length = last / slices + 1;
        for (const Read &query : found) {
            const auto slice = static_cast<std::uint32_t>(query.due_ns / length);
            const std::int64_t due =
                std::llround(static_cast<double>(query.due_ns % length) / wish.speed);
            if (due >= duration.count()) {
                omissions_.outside++;
                continue;
            }
            const std::uint32_t client = numbers.of(played_ + slice, query.address);
            std::memcpy(octets_.data() + query.place + client_at, &client, sizeof(client));
            all.emplace_back(due, query.place);
        }
        played_ += slices;
    }
    if (all.empty())
        throw SetupError(why_none(wish));
    clients_ = numbers.clients();
    // The first address of a prefix is that of a network.
    if (wish.clients && wish.clients->size() <= clients_)
        throw SetupError(fmt::format("--clients {}: {} clients need an address each, and the first "
                                     "is nobody's: give a larger prefix",
                                     to_string(*wish.clients), clients_));
    // Places ascend in the order of the files: queries of one time keep that order.
    std::ranges::sort(all);
    for (const auto &[due, place] : all) {
        due_ns_.push_back(due);
        places_.push_back(place);
        if ((wire_raw32(octets_.data() + place + wants_at) & WANTS_COUNT) != 0)
            answered_++;
    }
}

std::vector<CapturedQueries::Read> CapturedQueries::read(const std::string &path,
                                                         const ReplayWish &wish, Nanoseconds most,
                                                         Numbers &addresses)
{
    // Messages may come after others that are so much later.
    constexpr std::int64_t disorder_most = 1'000'000'000;
    CaptureReader reader(path, wish.port);
    std::vector<Read> found;
    std::optional<std::int64_t> begin;
    Open open;
    while (const std::optional<CapturedMessage> message = reader.next()) {
        begin = begin.value_or(message->time_ns + wish.skip.count());
        const std::int64_t due = message->time_ns - *begin;
        if (due > most.count() && due - most.count() > disorder_most)
            break;
        if (message->is_answer()) {
            if (!wants_)
                learn(*message, open);
            continue;
        }
        if (wish.server && message->target.address != *wish.server)
            omissions_.other_server++;
        else if (due < -disorder_most || (due < 0 && wish.skip.count() != 0))
            omissions_.outside++;
        else if (const std::optional<std::uint64_t> place = add(
                     *message, wish.edns_options, found, std::max<std::int64_t>(due, 0), addresses);
                 place && !wants_)
            open.ask(*message, wire_raw64(octets_.data() + *place), *place);
    }
    counts_ += reader.counts();
    return found;
}

void CapturedQueries::learn(const CapturedMessage &answer, Open &open)
{
    __u64 hash = 0;
    if (wire_get16(answer.message.data() + 4) != 1 ||
        question_hash(reading_cursor(answer.message), &key_, &hash) == 0)
        return;
    const std::optional<std::uint64_t> place = open.take(answer, hash);
    const std::optional<std::uint32_t> wants = wants_of(answer);
    if (!place || !wants)
        return;
    std::memcpy(octets_.data() + *place + wants_at, &*wants, sizeof(*wants));
}

std::optional<std::uint64_t> CapturedQueries::add(const CapturedMessage &query,
                                                  const EdnsOptions &options,
                                                  std::vector<Read> &found, std::int64_t due_ns,
                                                  Numbers &addresses)
{
    __u64 hash = 0;
    if ((wire_get16(query.message.data() + 2) & DNS_OPCODE) != 0 ||
        wire_get16(query.message.data() + 4) != 1 ||
        question_hash(reading_cursor(query.message), &key_, &hash) == 0) {
        omissions_.unreadable++;
        return std::nullopt;
    }
    std::span<const std::uint8_t> message = query.message;
    std::optional<std::vector<std::uint8_t>> made;
    if (!options.empty()) {
        made = with_options(message, options, query.source.address);
        if (!made) {
            omissions_.other_records++;
            return std::nullopt;
        }
        message = *made;
    }
    const std::size_t size = message.size();
    if (size > longest_query) {
        omissions_.too_long++;
        return std::nullopt;
    }
    if (octets_.size() > memory_most)
        throw SetupError(fmt::format("the queries of the captures take more than {} GiB of memory: "
                                     "play less of them (--duration, --skip), or slices "
                                     "(dnsgauge-queries slice)",
                                     memory_most >> 30U));
    const std::uint64_t place = octets_.size();
    std::uint8_t *entry = octets_.add(head_size + size);
    const auto size16 = static_cast<std::uint16_t>(size);
    std::memcpy(entry, &hash, sizeof(hash));
    const std::uint32_t wants = wants_.value_or(WANTS_USEFUL);
    std::memset(entry + client_at, 0, sizeof(std::uint32_t));
    std::memcpy(entry + wants_at, &wants, sizeof(wants));
    std::memcpy(entry + size_at, &size16, sizeof(size16));
    // Nobody can answer to port 0.
    const std::uint16_t port = std::max<std::uint16_t>(query.source.port, 1);
    std::memcpy(entry + port_at, &port, sizeof(port));
    std::ranges::copy(message, entry + head_size);
    longest_ = std::max(longest_, size);
    found.push_back(
        {.due_ns = due_ns, .place = place, .address = addresses.of(query.source.address)});
    return place;
}

std::string CapturedQueries::why_none(const ReplayWish &wish) const
{
    std::string why = fmt::format("--capture {}: there is no query to send among {} packets",
                                  wish.files[0], counts_.packets);
    const auto tell = [&why](std::uint64_t count, const char *what) {
        if (count != 0)
            why += fmt::format(", {} {}", count, what);
    };
    tell(counts_.answers, "are answers");
    tell(counts_.tcp, "are TCP segments");
    tell(counts_.fragments, "are fragments");
    tell(counts_.cut, "were captured in part");
    tell(omissions_.other_server, "went to other servers than --capture-server");
    tell(omissions_.unreadable, "are no queries (opcode QUERY) with one uncompressed question");
    tell(omissions_.too_long, "are too long");
    tell(omissions_.other_records, "have other records than one of OPT, for --edns-options");
    tell(omissions_.outside, "are outside of --skip and --duration");
    return why + ": see dnsgauge-queries stats";
}

std::size_t CapturedQueries::memory() const
{
    return octets_.size() + due_ns_.capacity() * sizeof(due_ns_[0]) +
           places_.capacity() * sizeof(places_[0]);
}

Rate CapturedQueries::mean_rate() const
{
    const double span = static_cast<double>(due_ns_.back()) / nanoseconds_per_second;
    const double queries = static_cast<double>(size() - 1);
    const double rate = span > 0 ? std::ceil(queries / span) : 1;
    return {.per_second = static_cast<std::uint64_t>(std::clamp(rate, 1.0, 1e10))};
}

Rate CapturedQueries::peak_rate(Nanoseconds span) const
{
    std::size_t most = 1;
    std::size_t first = 0;
    for (std::size_t i = 0; i < due_ns_.size(); i++) {
        while (due_ns_[i] - due_ns_[first] > span.count())
            first++;
        most = std::max(most, i - first + 1);
    }
    return {.per_second =
                static_cast<std::uint64_t>(static_cast<double>(most) / seconds(span)) + 1};
}

} // namespace dnsgauge
