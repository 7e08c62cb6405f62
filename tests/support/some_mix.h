// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The mix that tests begin with.
#pragma once

#include "dns/query_mix.h"

namespace dnsgauge::testing
{

inline QueryMix some_mix()
{
    return {.zone = parse_zone_name("dns64perf.test"),
            .names = parse_name_range("10.0.0.0/24"),
            .dnssec_ok = 80,
            .nxdomain = 30,
            .types = parse_mix_types("A=60,AAAA=30,MX=10")};
}

} // namespace dnsgauge::testing
