// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Zone files (RFC 1035 section 5) of the test namespace, from the codec that FakeDNS and the Tester
// use: a server that loads one gives the answers that FakeDNS gives.
#pragma once

#include "common/name_range.h"
#include "common/zone_name.h"
#include "wire/pref64.h"
#include "zones/host_address.h"
#include "zones/output_file.h"

#include <cstdint>
#include <vector>

namespace dnsgauge
{

// What the names own. Papers: Lencse 2020 section III.B (AAAA alone for authoritative servers),
// Lencse, Georgescu, Kadobayashi 2017 section 7.1 (every name an A record, as the DNS64 falls back
// to it, and a share of them an AAAA record).
enum class ZoneRecords {
    a,     // one A record: its address
    aaaa,  // one AAAA record: its address in the prefix
    mixed, // an A record, and an AAAA record where test_name_has_aaaa() says so
};

struct ZoneSpec {
    ZoneName zone;
    NameRange names;
    ZoneRecords records = ZoneRecords::mixed;
    std::uint32_t aaaa_share = 100; // percent, of ZoneRecords::mixed
    pref64 aaaa_prefix{};
    std::uint32_t ttl = 3600;               // of every positive record, seconds
    std::uint32_t negative_ttl = 3600;      // the SOA's TTL and MINIMUM, seconds
    std::vector<HostAddress> name_server{}; // what "ns" in the zone resolves to
};

// Writes the zone: SOA, NS, the name server's addresses, then the names by rising index. Memory
// does not depend on their number. The caller commits `output`. Throws SetupError.
void write_zone(const ZoneSpec &spec, OutputFile &output);

} // namespace dnsgauge
