// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// One sender's queries for names of the test namespace.
#pragma once

#include "workload/name_walk.h"
#include "workload/query.h"

#include <cstdint>

namespace dnsgauge
{

template <Schedule Timing>
class NameStream
{
public:
    NameStream(const NameWalk &names, const Timing &timing) : names_(names), timing_(timing) {}

    [[nodiscard]] std::int64_t due() const { return timing_.due(); }

    NameQuery next()
    {
        const NameQuery query{.due_ns = timing_.due(), .expectation = names_.next()};
        timing_.advance();
        return query;
    }

private:
    NameWalk names_;
    Timing timing_;
};

} // namespace dnsgauge
