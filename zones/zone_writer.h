// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Zone files (RFC 1035 section 5) of the test namespace, made with the same code that FakeDNS and
// the Tester use. A server that loads such a file gives the answers that FakeDNS gives.
#pragma once

#include "dns/ip_address.h"
#include "dns/name_range.h"
#include "dns/zone_name.h"
#include "system/output_file.h"
#include "wire/pref64.h"

#include <cstdint>
#include <vector>

namespace dnsgauge
{

// The records that names have. Lencse 2020 section III.B has AAAA records only, for authoritative
// servers. Lencse, Georgescu, Kadobayashi 2017 section 7.1 has an A record for every name, to which
// the DNS64 server falls back, and an AAAA record for a share of the names.
enum class ZoneRecords {
    a,     // one A record: its address
    aaaa,  // one AAAA record: its address in the prefix
    mixed, // an A record, and an AAAA record if test_name_has_aaaa() says so
};

struct ZoneSpec {
    ZoneName zone;
    NameRange names;
    ZoneRecords records = ZoneRecords::mixed;
    std::uint32_t aaaa_share = 100; // percent of the names, for ZoneRecords::mixed
    pref64 aaaa_prefix{};
    std::uint32_t ttl = 3600;             // of every positive record, seconds
    std::uint32_t negative_ttl = 3600;    // the SOA's TTL and MINIMUM, seconds
    std::vector<IpAddress> name_server{}; // the addresses of "ns" in the zone
};

// Writes the zone: SOA, NS, the name server's addresses, then the names by rising index, in memory
// of constant size. The caller commits `output`. Throws SetupError.
void write_zone(const ZoneSpec &spec, OutputFile &output);

} // namespace dnsgauge
