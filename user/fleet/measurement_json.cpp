// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fleet/measurement_json.h"

#include "fleet/packed.h"
#include "record/machine_fields.h"
#include "record/probe_fields.h"

#include <span>
#include <utility>
#include <vector>

namespace dnsgauge
{

MEMBERS(RttTally::Numbers, histogram, count, min, sum_high, sum_low, squares_high, squares_low);
MEMBERS(QueryTally, states, rcodes, late_rcodes, rtts);

// Returns the members of a table of counts.
constexpr auto counts_of = [](const auto &...each) { return std::tuple(each.count...); };

template <>
inline constexpr auto members<StrayCounts> = std::apply(counts_of, stray_classes);

#define TRAIT(key) , key
MEMBERS(TraitsTally, sizes, octets, smallest, largest REPLY_TRAITS(TRAIT));
#undef TRAIT

MEMBERS(ReplyTally, queries, strays, passed, traits);
MEMBERS(StampCounts, transmitted, received, contradictory);
MEMBERS(Stall, who, since, until, longest, burst, stalls);
MEMBERS(MissBin, number, lost, late);
MEMBERS(MissTally, width_bits, bins);

template <>
inline constexpr auto members<ConnectionCounts> = std::apply(counts_of, connection_counts);

MEMBERS(TlsSuite, version, cipher, alpn, connections);

template <>
inline constexpr auto members<QuicCounts> = std::apply(counts_of, quic_counts);

MEMBERS(Silence, since, until);
MEMBERS(ConnectionTally, counts, handshakes, waited, tls_full, tls_resumed, keepalives, tls_suites,
        tls_failure, http_statuses, http_failure, quic, backlog, silences);
MEMBERS(WindowTally, places, open, ran);
#define FIGURE(type, key, ...) , key
MEMBERS(LaneTally, share LANE_FIGURES(FIGURE), lateness, bursts, stamps, hardware_rtts, intervals,
        stalls, forgotten_stalls, misses, lost_by_port, connections, window);
#undef FIGURE
MEMBERS(Tally, replies, lanes, log_failed);
MEMBERS(RunPath, engine, rtt_begins, rtt_ends, least_rtt);
MEMBERS(OwnLoss, name, count, label, why, is_of_stall);
MEMBERS(OwnLosses, kinds, interface, interface_sending, interface_receiving, interface_doubtful);

// All members but the faults that the tally tells.
SOME_MEMBERS(RunFaults, interrupted, link_failed, next_hop_moved, not_counted);

// All members but those with their own JSON forms.
SOME_MEMBERS(Measurement, server, path, tally, losses, faults, doubts, stall_limit, server_stalls,
             server_drops, wire_overhead, keeps_client_ports, clients_in, since, until);

// packed() and unpack() find these by their arguments' types, so they cannot be in an unnamed
// namespace.

// Returns the largest value, and [bucket, count] for each bucket that is not empty.
static Message pack(const Histogram &histogram)
{
    Message rows = Message::array();
    const std::span<const __u64> counts = histogram.counts();
    for (std::size_t bucket = 0; bucket < counts.size(); bucket++)
        if (counts[bucket] != 0)
            rows.push_back({bucket, counts[bucket]});
    return {{"max", histogram.max()}, {"rows", std::move(rows)}};
}

static void read_packed(const Message &json, Histogram &histogram)
{
    std::vector<__u64> counts(LOG_HISTOGRAM_BUCKETS);
    for (const Message &row : json.at("rows"))
        counts.at(whole_number(row.at(0))) = whole_number(row.at(1));
    histogram.add(counts, whole_number(json.at("max")));
}

static Message pack(const RttTally &tally)
{
    return packed(tally.numbers());
}

static void read_packed(const Message &json, RttTally &tally)
{
    tally = RttTally(unpacked<RttTally::Numbers>(json));
}

Message measurement_json(const Measurement &measured)
{
    return {{"measured", packed(measured)},
            {"cpus", written(measured.cpus)},
            {"placement", written(measured.placement)},
            {"probe", written(measured.probe)},
            {"circumstances", written(measured.circumstances)}};
}

Measurement read_measurement(const Message &json)
{
    Measurement measured;
    unpack(json.at("measured"), measured);
    measured.cpus = read_list<CpuUse>(json.at("cpus"));
    measured.placement = read_or_none<PlacementResult>(json.at("placement"));
    measured.probe = read_or_none<ProbeResult>(json.at("probe"));
    measured.circumstances = read_fields<Circumstances>(json.at("circumstances"));
    return measured;
}

} // namespace dnsgauge
