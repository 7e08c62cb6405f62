// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Any bytes as a query to FakeDNS that misbehaves: each kind of fault, on all names, spoils what is
// answered and nothing else.
#include "fuzz.h"

#include "fakedns/faulty_responder.h"
#include "support/exact_buffer.h"
#include "support/program_configs.h"

#include <algorithm>
#include <memory>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

// All names have the fault.
std::unique_ptr<fault_plan> plan_of(unsigned kind, std::uint16_t pad_to)
{
    auto plan = std::make_unique<fault_plan>();
    std::fill(std::begin(plan->end) + kind, std::end(plan->end), std::uint16_t{FAULT_BLOCK});
    plan->end[0] = 0;
    plan->pad_to = pad_to;
    return plan;
}

void check(std::span<const std::uint8_t> query, unsigned kind, std::uint16_t pad_to)
{
    static const answer_zones zones = fakedns_test_config().zones;
    const auto plan = plan_of(kind, pad_to);
    const std::size_t room = std::max<std::size_t>(answer_room(query.size()), FAULT_PAD_MAX);
    const ExactBuffer right(query, room);
    const Answered answered = answer_message(right.bytes(), query.size(), zones);
    const ExactBuffer spoilt(query, room);
    const FaultyAnswer answer = faulty_answer_message(spoilt.bytes(), query.size(), zones, *plan);
    must(answer.is_answer == (answered.length != 0), "what is ignored is ignored");
    must(answer.answered.length <= room, "the answer fits");
    must(answer.fault == FAULT_NONE || answer.fault == kind, "there is no other fault");
    if (answer.fault != FAULT_NONE || pad_to != 0)
        return;
    must(answer.answered.length == answered.length &&
             std::ranges::equal(spoilt.bytes().first(answered.length),
                                right.bytes().first(answered.length)),
         "an answer without a fault is right");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    for (unsigned kind = FAULT_NONE + 1; kind < FAULTS; kind++)
        for (const int pad_to : {0, 90, FAULT_PAD_MAX})
            check({data, size}, kind, static_cast<std::uint16_t>(pad_to));
    return 0;
}
