// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Does the Tester's own work for queries, without the kernel's work. tests/bench/cost.py runs this
// program under an instruction counter, and subtracts the count for few queries from the count for
// many.
//
//     query_cost PART QUERIES
//
// PART is the part of the work to do; `query` is all of it. name-stream, list-stream, mix-stream
// and capture-stream do all of it as a sender does, for names of the namespace, a list, a mix and a
// capture. intervals does what --interval adds to each query.
#include "some_queries.h"

#include "engine/histogram.h"
#include "engine/interval_book.h"
#include "reply_clock_abi.h"
#include "support/some_mix.h"
#include "userland/name_range.h"
#include "userland/random.h"
#include "userland/setup_error.h"
#include "userland/zone_name.h"
#include "workload/capture_stream.h"
#include "workload/message_stream.h"
#include "workload/mixed_queries.h"
#include "workload/name_stream.h"
#include "workload/schedule.h"
#include "xdp/frame_template.h"
#include "xdp/message_frames.h"
#include "xdp/slots.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <string_view>

using namespace dnsgauge;

namespace
{

QueryFormat format_of(bool is_ipv6)
{
    QueryFormat format;
    format.source = parse_ip_address(is_ipv6 ? "2001:db8::1" : "192.0.2.1");
    format.target = parse_ip_address(is_ipv6 ? "2001:db8::53" : "192.0.2.53");
    format.target_port = 53;
    format.zone = parse_zone_name("dns64perf.test");
    format.type = DNS_TYPE_AAAA;
    return format;
}

// Keeps the compiler from leaving out the computation of `value`.
template <class T>
void use(const T &value)
{
    asm volatile("" : : "g"(&value) : "memory");
}

struct Work {
    bool names = false;
    bool identities = false;
    bool schedule = false;
    bool slots = false;
    bool patch = false;
    bool is_ipv6 = false;
};

Work work_of(std::string_view part)
{
    if (part == "names")
        return {.names = true};
    if (part == "identities")
        return {.identities = true};
    if (part == "schedule")
        return {.schedule = true};
    if (part == "slots")
        return {.slots = true};
    if (part == "patch-ipv4")
        return {.patch = true};
    if (part == "patch-ipv6")
        return {.patch = true, .is_ipv6 = true};
    if (part == "query")
        return {.names = true, .identities = true, .schedule = true, .slots = true, .patch = true};
    throw SetupError("no such part: " + std::string(part));
}

void run(const Work &work, std::uint64_t queries)
{
    const Rate rate{1000000};
    const IdentityPlan identity_plan =
        plan_identities(rate, std::chrono::milliseconds(250), 1024, 4000, 1, new_identity_key());
    const FrameTemplate frame(format_of(work.is_ipv6));
    NameWalk names(parse_name_range("10.0.0.0/8"), 0, 1);
    IdentityWalk identities(identity_plan, 0);
    ConstantRate schedule(rate, 0, 1);
    Histogram lateness;
    std::vector<query_slot> slots(identity_plan.slots_each());
    std::array<std::uint8_t, 256> memory{};
    std::memcpy(memory.data(), frame.bytes().data(), frame.length());

    for (std::uint64_t i = 0; i < queries; i++) {
        std::uint32_t address = 0x0a000001;
        if (work.names)
            address = names.next();
        if (work.slots) {
            query_slot &slot = slots[identities.slot()];
            use(__atomic_exchange_n(&slot.word, 0, __ATOMIC_ACQ_REL));
            slot.sent_ns = i;
            slot.expectation = address;
            __atomic_store_n(&slot.word, slot_word(QUERY_OUTSTANDING, identities.tag(), 0),
                             __ATOMIC_RELEASE);
        }
        if (work.patch) {
            const PortAndId identity = identities.identity();
            frame.patch(memory.data(), identity.port, identity.id, address);
            use(memory);
        }
        if (work.schedule) {
            lateness.add(static_cast<std::uint64_t>(schedule.due()));
            schedule.advance();
        }
        if (work.identities)
            identities.advance();
        use(address);
    }
}

// The work for a query that a stream yields, as a sender does it: all of it.
template <QueryStream Stream, class Frames>
void run_stream(Stream stream, const Frames &frames, const IdentityPlan &identity_plan,
                std::uint64_t queries)
{
    IdentityWalk identities(identity_plan, 0);
    Histogram lateness;
    std::vector<query_slot> slots(identity_plan.slots_each());
    std::array<std::uint8_t, 256> memory{};
    frames.prepare(memory.data());
    for (std::uint64_t i = 0; i < queries; i++) {
        const auto query = stream.next();
        query_slot &slot = slots[identities.slot()];
        use(__atomic_exchange_n(&slot.word, 0, __ATOMIC_ACQ_REL));
        slot.sent_ns = i;
        slot.expectation = query.expectation;
        __atomic_store_n(&slot.word, slot_word(QUERY_OUTSTANDING, identities.tag(), 0),
                         __ATOMIC_RELEASE);
        const PortAndId identity = identities.identity();
        use(frames.write(memory.data(), identity.port, identity.id, query));
        use(memory);
        lateness.add(static_cast<std::uint64_t>(query.due_ns));
        identities.advance();
    }
}

constexpr std::uint64_t different_names = 1000;

void run_intervals(std::uint64_t queries)
{
    IntervalBook book({.length = std::chrono::seconds(1), .run = std::chrono::seconds(60)});
    for (std::uint64_t i = 0; i < queries; i++) {
        const std::uint64_t rtt = 50'000 + i % 4096 * 16;
        book.settle(static_cast<std::int64_t>(i * 1000), QUERY_VALID, 0, rtt);
    }
    use(book.tallies());
}

// Does the work of a stream and its frames. Returns false if `part` names no stream.
bool run_named_stream(std::string_view part, std::uint64_t queries)
{
    const Rate rate{1000000};
    const IdentityPlan identities =
        plan_identities(rate, std::chrono::milliseconds(250), 1024, 4000, 1, new_identity_key());
    const ConstantRate times(rate, 0, 1);
    const QueryFormat format = format_of(false);
    if (part == "name-stream") {
        run_stream(NameStream(NameWalk(parse_name_range("10.0.0.0/8"), 0, 1), times),
                   FrameTemplate(format), identities, queries);
    } else if (part == "list-stream") {
        const QueryList list = testing::some_list(different_names);
        run_stream(MessageStream(QueryList::Cursor(list, 0, 1), format.source, times),
                   MessageFrames(format, list.longest()), identities, queries);
    } else {
        return false;
    }
    return true;
}

// Likewise, where the stream needs more beforehand.
bool run_made_stream(std::string_view part, std::uint64_t queries)
{
    // As many as can be asked for: what the making costs falls out of the difference.
    constexpr std::uint64_t most = 32'768;
    const Rate rate{1000000};
    const IdentityPlan identities =
        plan_identities(rate, std::chrono::milliseconds(250), 1024, 4000, 1, new_identity_key());
    const QueryFormat format = format_of(false);
    if (part == "mix-stream") {
        QueryMix mix = testing::some_mix();
        mix.names = parse_name_range("10.0.0.0/8");
        const MixedQueries mixed(mix, {});
        run_stream(MessageStream(MixedQueries::Cursor(mixed, 0, 1), format.source,
                                 ConstantRate(rate, 0, 1)),
                   MessageFrames(format, mixed.longest()), identities, queries);
    } else if (part == "capture-stream") {
        const PlayedQueries played(std::make_shared<const CapturedQueries>(testing::some_capture(
            testing::some_list(different_names), most, std::chrono::microseconds(1))));
        if (queries > most)
            throw SetupError(fmt::format("at most {} queries of a capture", most));
        const CaptureStream stream(played, 0, 1, format.source, parse_ip_prefix("198.19.0.0/16"),
                                   true);
        run_stream(stream, MessageFrames(format, played.captured().longest()), identities, queries);
    } else if (part == "intervals") {
        run_intervals(queries);
    } else {
        return false;
    }
    return true;
}

} // namespace

int main(int argc, char **argv)
{
    try {
        if (argc != 3)
            throw SetupError("usage: query_cost PART QUERIES");
        const std::uint64_t queries = std::stoull(argv[2]);
        if (!run_named_stream(argv[1], queries) && !run_made_stream(argv[1], queries))
            run(work_of(argv[1]), queries);
    } catch (const std::exception &error) {
        fmt::print(stderr, "query_cost: {}\n", error.what());
        return 2;
    }
    return 0;
}
