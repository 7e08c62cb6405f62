// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The Tester's own work for a query, without the kernel's: run under an instruction counter by
// tests/bench/cost.py, which subtracts the count of few queries from that of many.
//
//     query_cost PART QUERIES
//
// PART: what of the work is done, `query` for all of it.
#include "common/name_range.h"
#include "common/setup_error.h"
#include "common/zone_name.h"
#include "engine/frame_template.h"
#include "engine/histogram.h"
#include "engine/slots.h"
#include "reply_clock_abi.h"
#include "workload/name_stream.h"
#include "workload/schedule.h"

#include <fmt/format.h>

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

// Keeps what was computed from being left out.
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
        plan_identities(rate, std::chrono::milliseconds(250), 1024, 4000, 1, 0x5aa5);
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
            frame.patch(memory.data(), identities.port(), identities.id(), address);
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

} // namespace

int main(int argc, char **argv)
{
    try {
        if (argc != 3)
            throw SetupError("usage: query_cost PART QUERIES");
        run(work_of(argv[1]), std::stoull(argv[2]));
    } catch (const std::exception &error) {
        fmt::print(stderr, "query_cost: {}\n", error.what());
        return 2;
    }
    return 0;
}
