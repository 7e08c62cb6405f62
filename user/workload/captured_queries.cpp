// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/captured_queries.h"

#include "capture/recent_queries.h"
#include "system/setup_error.h"
#include "workload/query.h"
#include "workload/query_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <tuple>
#include <unordered_map>

namespace dnsgauge
{

// Numbers clients in the order in which they come.
class CapturedQueries::ClientNumbers
{
public:
    // Returns the number of a client's address, the same in all captures.
    [[nodiscard]] std::uint32_t of(const IpAddress &address)
    {
        const auto [place, is_new] =
            addresses_.emplace(address, static_cast<std::uint32_t>(addresses_.size()));
        if (is_new)
            in_order_.push_back(address);
        return place->second;
    }
    // Returns the number of the client that stands for this address in one part. The parts are the
    // captures or slices that are played at once; each part has its own clients.
    [[nodiscard]] std::uint32_t of(std::uint32_t part, std::uint32_t address)
    {
        if (clients_.size() <= part)
            clients_.resize(part + 1);
        std::vector<std::uint32_t> &of_part = clients_[part];
        if (of_part.size() <= address)
            of_part.resize(addresses_.size(), nobody);
        if (of_part[address] == nobody)
            of_part[address] = given_++;
        return of_part[address];
    }
    [[nodiscard]] std::uint32_t clients() const { return given_; }
    // Returns the address of each number that the first of() has given.
    [[nodiscard]] const std::vector<IpAddress> &in_order() const { return in_order_; }

private:
    std::unordered_map<IpAddress, std::uint32_t, boost::hash<IpAddress>> addresses_;
    std::vector<IpAddress> in_order_;
    static constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::vector<std::uint32_t>> clients_; // of each part, by the number of the address
    std::uint32_t given_ = 0;
};

// The queries of a capture whose answers may still come.
class CapturedQueries::OpenQueries
{
public:
    void ask(const CapturedMessage &query, std::uint64_t hash, std::uint64_t place)
    {
        // Memory is bounded by the queries of twice this time.
        constexpr std::int64_t patience_ns = 10'000'000'000;
        const std::int64_t passed_ns = query.time_ns - begun_ns_;
        if (passed_ns > patience_ns) {
            older_ = std::exchange(places_, {});
            if (passed_ns > 2 * patience_ns)
                older_.clear();
            begun_ns_ = query.time_ns;
        }
        places_.insert_or_assign(Identity{query.client(), query.server(), id_of(query), hash},
                                 place);
    }
    // Returns the place of the answer's query, and forgets the query.
    [[nodiscard]] std::optional<std::uint64_t> take(const CapturedMessage &answer,
                                                    std::uint64_t hash)
    {
        const Identity identity{answer.client(), answer.server(), id_of(answer), hash};
        for (auto *places : {&places_, &older_}) {
            const auto found = places->find(identity);
            if (found == places->end())
                continue;
            const std::uint64_t place = found->second;
            places->erase(found);
            return place;
        }
        return std::nullopt;
    }

private:
    // Client, server, ID, and the hash of the question.
    using Identity = std::tuple<Endpoint, Endpoint, std::uint16_t, std::uint64_t>;

    static std::uint16_t id_of(const CapturedMessage &message)
    {
        return wire_get16(message.message.data());
    }

    using Places = std::unordered_map<Identity, std::uint64_t, boost::hash<Identity>>;
    Places places_;
    Places older_;
    std::int64_t begun_ns_ = 0; // the first query of places_
};

// How the captures are cut into slices, of which some are played at once.
struct CapturedQueries::Slicing {
    explicit Slicing(const ReplayWish &wish)
        : played(wish.load_factor == 0 ? static_cast<std::uint32_t>(wish.files.size())
                                       : wish.load_factor),
          all(std::max(played, wish.slices)),
          files(std::min(static_cast<std::uint32_t>(wish.files.size()), all)),
          first(wish.first_slice), speed(wish.speed)
    {
    }

    // Returns the slices of a file. The first files have one slice more if the number is no
    // multiple.
    [[nodiscard]] std::uint32_t slices_of(std::uint32_t file) const
    {
        return all / files + (file < all % files ? 1 : 0);
    }
    [[nodiscard]] bool is_played(std::uint32_t slice) const
    {
        return (slice + all - first) % all < played;
    }

    std::uint32_t played;
    std::uint32_t all;
    std::uint32_t files; // that are read
    std::uint32_t first; // slice that is played
    double speed;
};

namespace
{

// Returns whether both keys give data the same hashes.
bool hash_alike(const question_key &one, const question_key &other)
{
    return one.tail == other.tail && std::ranges::equal(one.name, other.name);
}

// Returns whether the one capture is played as it is.
bool is_whole(const ReplayWish &wish)
{
    return wish.files.size() == 1 && wish.load_factor <= 1 && wish.speed == 1 && !wish.server &&
           wish.slices <= 1 && wish.skip == Nanoseconds{} && wish.edns_options.empty() &&
           !wish.letters.exact && !wish.letters.seed;
}

Rate mean_rate_of(const CaptureSlice &queries)
{
    const double span = static_cast<double>(queries.last_ns) / nanoseconds_per_second;
    const double rate = span > 0 ? std::ceil(static_cast<double>(queries.queries - 1) / span) : 1;
    return {.per_second = static_cast<std::uint64_t>(std::clamp(rate, 1.0, 1e10))};
}

void check_clients(const ReplayWish &wish, std::uint32_t clients)
{
    // The first address of a prefix is the network's own.
    if (wish.clients && wish.clients->size() <= clients)
        throw SetupError("--clients {}: {} clients need an address each, and the first "
                         "is nobody's: give a larger prefix",
                         to_string(*wish.clients), clients);
}

// A prepared capture has the queries that were chosen when it was made.
void refuse_port(const ReplayWish &wish)
{
    if (wish.port != ReplayWish{}.port)
        throw SetupError(
            "--capture-port: a prepared capture does not say which port its clients "
            "asked: choose it when the file is made (dnsgauge-queries convert --port)");
}

} // namespace

CapturedQueries::CapturedQueries(const ReplayWish &wish, Nanoseconds duration,
                                 std::optional<std::uint32_t> wants)
    : key_(new_question_key(wish.letters)), wants_(wants), duration_(duration)
{
    if (wish.without_data)
        own_wants_at_ = CapturedEntry::number_at;
    if (wish.letters.seed)
        case_mixer_.emplace(*wish.letters.seed);
    if (is_whole(wish) && is_prepared(wish.files[0])) {
        map(wish.files[0], wish, duration);
        check_clients(wish, clients_);
        return;
    }
    const Slicing slicing(wish);
    take_key(wish, slicing.files);
    folding_ = key_;
    folding_.exact = 0;
    const double wanted_ns = static_cast<double>(duration.count()) * wish.speed;
    ClientNumbers numbers;
    DuePlaces all;
    for (std::uint32_t file = 0; file < slicing.files; file++) {
        const std::uint32_t slices = slicing.slices_of(file);
        // Only the end of the file tells where a second slice begins.
        const Nanoseconds most{slices == 1 && wanted_ns < 1e18
                                   ? static_cast<std::int64_t>(wanted_ns)
                                   : std::numeric_limits<std::int64_t>::max()};
        cut(read(wish.files[file], wish, most, numbers), slices, slicing, numbers, all);
    }
    played_ = slicing.played;
    if (all.empty())
        throw SetupError(why_none(wish));
    check_clients(wish, numbers.clients());
    arrange(all);
}

CapturedQueries::CapturedQueries(const NextMessage &next)
    : key_(new_question_key({})), folding_(key_), played_(1)
{
    constexpr std::uint32_t unknown = std::numeric_limits<std::uint32_t>::max();
    ClientNumbers numbers;
    DuePlaces all;
    for (const ReadQuery &query : read(next, {}, Nanoseconds::max(), numbers)) {
        std::memcpy(octets_.data() + query.place + CapturedEntry::client_at, &query.address,
                    sizeof(query.address));
        all.emplace_back(query.due_ns, query.place);
    }
    if (all.empty())
        throw SetupError("there is no query to prepare: see dnsgauge-queries stats");
    arrange(all);
    // Clients have their numbers in the order in which they ask.
    std::vector<std::uint32_t> number_of(numbers.in_order().size(), unknown);
    for (const std::uint64_t place : places_) {
        std::uint8_t *const at = octets_.data() + place + CapturedEntry::client_at;
        const std::uint32_t read_as = wire_raw32(at);
        if (number_of[read_as] == unknown) {
            number_of[read_as] = clients_++;
            addresses_.push_back(numbers.in_order()[read_as]);
        }
        std::memcpy(at, &number_of[read_as], sizeof(std::uint32_t));
    }
}

CapturedQueries::CapturedQueries(std::shared_ptr<const CapturedQueries> whole, bool over_tcp)
    : key_(whole->key_), wants_(whole->wants_), own_wants_at_(whole->own_wants_at_),
      clients_(whole->clients_), played_(whole->played_), duration_(whole->duration_),
      whole_(std::move(whole)), base_(whole_->base_)
{
    for (std::size_t i = 0; i < whole_->order_.size(); i++) {
        const std::uint8_t *const entry = base_ + whole_->order_[i];
        if (CapturedEntry::is_over_tcp(entry) != over_tcp)
            continue;
        due_ns_.push_back(whole_->due_[i]);
        places_.push_back(whole_->order_[i]);
        longest_ = std::max(longest_, CapturedEntry::size_of(entry));
        count_wants(entry);
    }
    if (places_.empty())
        throw SetupError("--transport capture: no query of the captures came over {}: give "
                         "--transport {}",
                         over_tcp ? "TCP" : "UDP", over_tcp ? "udp" : "tcp");
    due_ = due_ns_;
    order_ = places_;
}

void CapturedQueries::save(const std::string &path) const
{
    write_prepared(path, {.kind = PreparedKind::captures,
                          .key = key_,
                          .entries = {octets_.data(), octets_.size()},
                          .due_ns = due_ns_,
                          .places = places_,
                          .clients = addresses_});
}

void CapturedQueries::map(const std::string &path, const ReplayWish &wish, Nanoseconds duration)
{
    refuse_port(wish);
    prepared_ = std::make_shared<const PreparedFile>("--capture", path, PreparedKind::captures);
    const PreparedQueries &queries = prepared_->queries();
    const auto end = std::ranges::lower_bound(queries.due_ns(), duration.count());
    const auto count = static_cast<std::size_t>(end - queries.due_ns().begin());
    if (count == 0)
        throw SetupError("--capture {}: no query is due before the end of --duration", path);
    base_ = queries.entries().data();
    due_ = queries.due_ns().first(count);
    order_ = queries.places().first(count);
    key_ = queries.head().key;
    longest_ = queries.longest();
    played_ = 1;
    omissions_.outside = queries.due_ns().size() - count;
    for (const std::uint64_t place : order_) {
        clients_ = std::max(clients_, wire_raw32(base_ + place + CapturedEntry::client_at) + 1);
        count_wants(base_ + place);
    }
}

void CapturedQueries::count_wants(const std::uint8_t *entry)
{
    if ((wire_raw32(entry + CapturedEntry::number_at) & WANTS_COUNT) != 0)
        answered_++;
    const std::uint32_t wants = wants_.value_or(wire_raw32(entry + own_wants_at_));
    reads_data_ = reads_data_ || (wants & WANTS_DATA) != 0;
}

void CapturedQueries::take_key(const ReplayWish &wish, std::uint32_t files)
{
    const auto first = std::find_if(wish.files.begin(), wish.files.begin() + files, is_prepared);
    if (first == wish.files.begin() + files)
        return;
    const __u64 exact = key_.exact;
    key_ = PreparedFile("--capture", *first, PreparedKind::captures).queries().head().key;
    key_.exact = exact;
}

void CapturedQueries::cut(const std::vector<ReadQuery> &found, std::uint32_t slices,
                          const Slicing &slicing, ClientNumbers &numbers, DuePlaces &all)
{
    std::int64_t last = 0;
    for (const ReadQuery &query : found)
        last = std::max(last, query.due_ns);
    const std::int64_t length = last / slices + 1;
    const auto before = static_cast<std::uint32_t>(slices_.size());
    slices_.resize(before + slices);
    all.reserve(all.size() + found.size());
    for (const ReadQuery &query : found) {
        const std::uint32_t slice = before + static_cast<std::uint32_t>(query.due_ns / length);
        const std::int64_t due =
            std::llround(static_cast<double>(query.due_ns % length) / slicing.speed);
        if (due >= duration_.count()) {
            omissions_.outside++;
            continue;
        }
        slices_[slice].queries++;
        slices_[slice].last_ns = std::max(slices_[slice].last_ns, due);
        const std::uint32_t known = numbers.clients();
        const std::uint32_t client = numbers.of(slice, query.address);
        if (!slicing.is_played(slice))
            continue;
        clients_ += numbers.clients() - known;
        std::memcpy(octets_.data() + query.place + CapturedEntry::client_at, &client,
                    sizeof(client));
        all.emplace_back(due, query.place);
    }
}

void CapturedQueries::arrange(DuePlaces &all)
{
    // Places ascend in the order of the files: queries of one time keep that order.
    if (!std::ranges::is_sorted(all))
        std::ranges::sort(all);
    due_ns_.reserve(all.size());
    places_.reserve(all.size());
    for (const auto &[due, place] : all) {
        due_ns_.push_back(due);
        places_.push_back(place);
        count_wants(octets_.data() + place);
    }
    base_ = octets_.data();
    due_ = due_ns_;
    order_ = places_;
}

std::vector<CapturedQueries::ReadQuery> CapturedQueries::read(const std::string &path,
                                                              const ReplayWish &wish,
                                                              Nanoseconds most,
                                                              ClientNumbers &addresses)
{
    if (is_prepared(path)) {
        refuse_port(wish);
        const PreparedFile file("--capture", path, PreparedKind::captures);
        return copy(file.queries(), wish, most, addresses);
    }
    CaptureReader reader(path, wish.port);
    std::vector<ReadQuery> found = read([&reader] { return reader.next(); }, wish, most, addresses);
    counts_ += reader.counts();
    return found;
}

std::vector<CapturedQueries::ReadQuery> CapturedQueries::copy(const PreparedQueries &queries,
                                                              const ReplayWish &wish,
                                                              Nanoseconds most,
                                                              ClientNumbers &addresses)
{
    if (wish.server)
        throw SetupError(
            "--capture-server: a prepared capture does not say whom its clients asked: "
            "choose its queries when you make it (dnsgauge-queries convert --server)");
    std::vector<ReadQuery> found;
    for (std::size_t i = 0; i < queries.places().size(); i++) {
        const std::uint8_t *const entry = queries.entries().data() + queries.places()[i];
        const std::int64_t due = queries.due_ns()[i] - wish.skip.count();
        if (due < 0 || due > most.count()) {
            omissions_.outside++;
            continue;
        }
        const std::uint32_t client = wire_raw32(entry + CapturedEntry::client_at);
        const CapturedMessage query{
            .source = {.address = queries.client(client),
                       .port = wire_raw16(entry + CapturedEntry::port_at)},
            .message = {entry + CapturedEntry::head_size, CapturedEntry::size_of(entry)},
            .over_tcp = CapturedEntry::is_over_tcp(entry)};
        const Wants wants{.data = wire_raw32(entry + CapturedEntry::wants_at),
                          .number = wire_raw32(entry + CapturedEntry::number_at)};
        if (!wants_ && !wish.without_data && (wants.data & WANTS_DATA) != 0 &&
            !hash_alike(queries.head().key, key_))
            throw SetupError("--expect captured: the data of answers in captures that were "
                             "prepared one by one cannot be compared by one key: play the "
                             "captures themselves, or give --accept-answers data");
        static_cast<void>(add(query, wish.edns_options, found, due, addresses, wants));
    }
    return found;
}

std::vector<CapturedQueries::ReadQuery> CapturedQueries::read(const NextMessage &next,
                                                              const ReplayWish &wish,
                                                              Nanoseconds most,
                                                              ClientNumbers &addresses)
{
    // Messages may come after others that are so much later.
    constexpr std::int64_t disorder_most = 1'000'000'000;
    std::vector<ReadQuery> found;
    std::optional<std::int64_t> begin;
    OpenQueries open;
    RecentQueries recent;
    while (const std::optional<CapturedMessage> message = next()) {
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
        else if (const std::optional<Added> added =
                     add(*message, wish.edns_options, found, std::max<std::int64_t>(due, 0),
                         addresses)) {
            doubled_ += recent.has(*message, added->hash) ? 1 : 0;
            if (!wants_)
                open.ask(*message, added->hash, added->place);
        }
    }
    return found;
}

// Returns the hash of the message's one question, by which an answer finds its query.
std::optional<std::uint64_t>
CapturedQueries::folded_hash(std::span<const std::uint8_t> message) const
{
    __u64 hash = 0;
    if (wire_get16(message.data() + 4) != 1 ||
        question_hash(reading_cursor(message), &folding_, &hash) == 0)
        return std::nullopt;
    return hash;
}

void CapturedQueries::learn(const CapturedMessage &answer, OpenQueries &open)
{
    const std::optional<std::uint64_t> hash = folded_hash(answer.message);
    if (!hash)
        return;
    const std::optional<std::uint64_t> place = open.take(answer, *hash);
    const std::optional<Wants> wants = wants_of(answer);
    if (!place || !wants)
        return;
    std::uint8_t *const entry = octets_.data() + *place;
    std::memcpy(entry + CapturedEntry::wants_at, &wants->data, sizeof(wants->data));
    std::memcpy(entry + CapturedEntry::number_at, &wants->number, sizeof(wants->number));
}

std::optional<CapturedQueries::Wants> CapturedQueries::wants_of(const CapturedMessage &answer) const
{
    const wire_cursor message = reading_cursor(answer.message);
    const std::uint16_t flags = wire_get16(message.pos + 2);
    const std::uint32_t count = wire_get16(message.pos + 6);
    const std::uint32_t rcode = answer.rcode();
    // A wish cannot express an RCODE above 15.
    if ((flags & DNS_TC) != 0 || count > WANTS_COUNT_MAX || rcode >= DNS_RCODES)
        return std::nullopt;
    const std::uint32_t number = 1U << rcode | WANTS_COUNT | count << WANTS_COUNT_SHIFT;
    // The capture's answer may break a rule that the trial has loosened.
    const judge_rule rule{.accepts = (1U << JUDGE_RULE_COUNT) - 1};
    const records_truth truth{.rule = &rule, .key = &folding_, .wants = WANTS_DATA, .address = 0};
    __u64 hash = 0;
    __u32 length = 0;
    if (rcode != DNS_RCODE_NOERROR || question_read(message, &folding_, &hash, &length) == 0 ||
        !has_plain_data(wire_get16(message.pos + DNS_HEADER_SIZE + length)))
        return Wants{.data = number, .number = number};
    const std::uint64_t found = records_read(message, length, &truth);
    constexpr std::uint64_t with_data = RECORDS_WHOLE | RECORDS_DATA;
    if ((found & with_data) != with_data)
        return Wants{.data = number, .number = number};
    return Wants{.data = wants_data((found >> RECORDS_DATA_SHIFT) + count) |
                         ((found & RECORDS_RRSIG) != 0 ? WANTS_RRSIG : 0U),
                 .number = number};
}

std::optional<CapturedQueries::Added>
CapturedQueries::add(const CapturedMessage &query, const EdnsOptions &options,
                     std::vector<ReadQuery> &found, std::int64_t due_ns, ClientNumbers &addresses,
                     const Wants &wants)
{
    const std::optional<std::uint64_t> folded = folded_hash(query.message);
    if ((wire_get16(query.message.data() + 2) & DNS_OPCODE) != 0 || !folded) {
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
        throw SetupError("the queries of the captures take more than {} GiB of memory: "
                         "play less of them (--duration, --skip), or slices "
                         "(dnsgauge-queries slice)",
                         memory_most >> 30U);
    const std::uint64_t place = octets_.size();
    std::uint8_t *entry = octets_.add(CapturedEntry::head_size + size);
    const auto size16 =
        static_cast<std::uint16_t>(size | (query.over_tcp ? CapturedEntry::over_tcp : 0U));
    std::memset(entry + CapturedEntry::client_at, 0, sizeof(std::uint32_t));
    std::memcpy(entry + CapturedEntry::wants_at, &wants.data, sizeof(wants.data));
    std::memcpy(entry + CapturedEntry::number_at, &wants.number, sizeof(wants.number));
    std::memcpy(entry + CapturedEntry::size_at, &size16, sizeof(size16));
    // Nobody can answer to port 0.
    const std::uint16_t port = std::max<std::uint16_t>(query.source.port, 1);
    std::memcpy(entry + CapturedEntry::port_at, &port, sizeof(port));
    const std::span sent(entry + CapturedEntry::head_size, size);
    std::ranges::copy(message, sent.begin());
    if (case_mixer_)
        case_mixer_->mix(sent);
    __u64 hash = *folded; // options leave the question as it is
    if (key_.exact != 0)
        static_cast<void>(question_hash(reading_cursor(sent), &key_, &hash)); // as the folded one
    std::memcpy(entry, &hash, sizeof(hash));
    longest_ = std::max(longest_, size);
    found.push_back(
        {.due_ns = due_ns, .place = place, .address = addresses.of(query.source.address)});
    return Added{.place = place, .hash = *folded};
}

std::string CapturedQueries::why_none(const ReplayWish &wish) const
{
    std::string why = fmt::format("--capture {}: there is no query to send", wish.files[0]);
    if (counts_.packets != 0)
        why += fmt::format(" among {} packets", counts_.packets);
    const auto tell = [&why](std::uint64_t count, const char *what) {
        if (count != 0)
            why += fmt::format(", {} {}", count, what);
    };
    tell(counts_.answers, "are answers");
    tell(counts_.tcp, "are TCP segments without a whole message");
    tell(counts_.fragments, "are fragments");
    tell(counts_.cut, "were captured in part");
    tell(omissions_.other_server, "went to other servers than --capture-server");
    tell(omissions_.unreadable, "are no queries (opcode QUERY) with one uncompressed question");
    tell(omissions_.too_long, "are too long");
    tell(omissions_.other_records, "have other records than one of OPT, for --edns-options");
    tell(omissions_.outside, "are outside of --skip and --duration");
    return counts_.packets != 0 ? why + ": see dnsgauge-queries stats" : why;
}

std::vector<std::pair<const char *, std::uint64_t>> CapturedQueries::left_out() const
{
    return {{"tcp", counts_.tcp},
            {"fragments", counts_.fragments},
            {"cut", counts_.cut},
            {"malformed", counts_.malformed},
            {"other_server", omissions_.other_server},
            {"unreadable", omissions_.unreadable},
            {"too_long", omissions_.too_long},
            {"outside", omissions_.outside},
            {"other_records", omissions_.other_records}};
}

std::vector<std::string> CapturedQueries::doubts() const
{
    std::vector<std::string> doubts;
    if (std::string twice = doubled_text(doubled_, size()); !twice.empty())
        doubts.push_back(std::move(twice));
    std::uint64_t lost = 0;
    for (const auto &[reason, count] : left_out())
        // The others are left out by wish.
        if (std::string_view(reason) != "other_server" && std::string_view(reason) != "outside")
            lost += count;
    if (100 * lost >= counts_.packets && lost != 0)
        doubts.push_back(fmt::format(
            "{} of the captures' {} packets, {:.1f} %, are DNS messages or parts of packets that "
            "are not played{}",
            lost, counts_.packets,
            100 * static_cast<double>(lost) / static_cast<double>(counts_.packets),
            counts_.cut == 0 ? "" : ": record whole packets (tcpdump -s 0)"));
    return doubts;
}

std::size_t CapturedQueries::memory() const
{
    return octets_.size() + due_ns_.capacity() * sizeof(due_ns_[0]) +
           places_.capacity() * sizeof(places_[0]) + (prepared_ ? prepared_->size() : 0);
}

Rate CapturedQueries::mean_rate() const
{
    return mean_rate_of({.queries = size(), .last_ns = due_.back()});
}

Nanoseconds CapturedQueries::sending_time() const
{
    return std::min(duration_, Nanoseconds(due_.back()) + due_at(mean_rate(), 1));
}

std::optional<Rate> CapturedQueries::mean_rate_from(std::uint32_t first) const
{
    CaptureSlice sum;
    for (std::uint32_t i = 0; i < played_; i++) {
        const CaptureSlice &slice = slices_[(first + i) % slices_.size()];
        sum.queries += slice.queries;
        sum.last_ns = std::max(sum.last_ns, slice.last_ns);
    }
    return sum.queries == 0 ? std::nullopt : std::optional(mean_rate_of(sum));
}

} // namespace dnsgauge
