// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/schedule.h"
#include "workload/streams.h"

#include <catch2/catch.hpp>

using namespace dnsgauge;

namespace
{

// Every third nanosecond: not a rate.
class Thirds
{
public:
    [[nodiscard]] std::int64_t due() const { return due_; }
    void advance() { due_ += 3; }

private:
    std::int64_t due_ = 1;
};

} // namespace

static_assert(QueryStream<NameStream<ConstantRate>>);
static_assert(QueryStream<NameStream<Thirds>>);

TEST_CASE("a sender's stream yields its share of the names, each when it is due")
{
    const Rate rate{3};
    NameStream stream(NameWalk(parse_name_range("10.0.0.0/24"), 1, 2), ConstantRate(rate, 1, 2));
    for (std::uint64_t i = 0; i < 100; i++) {
        const std::int64_t due = stream.due();
        const NameQuery query = stream.next();
        CHECK(query.due_ns == due);
        CHECK(query.due_ns == due_at(rate, 1 + 2 * i).count());
        CHECK(query.expectation == 0x0a000001 + 2 * i);
    }
}

TEST_CASE("a stream takes its times from any schedule")
{
    NameStream stream(NameWalk(parse_name_range("10.0.0.0/24"), 0, 1), Thirds());
    CHECK(stream.next().due_ns == 1);
    CHECK(stream.due() == 4);
    CHECK(stream.next().due_ns == 4);
}
