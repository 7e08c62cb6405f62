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

template <>
inline constexpr auto members<RttTally::Numbers> =
    std::tuple(&RttTally::Numbers::histogram, &RttTally::Numbers::count, &RttTally::Numbers::min,
               &RttTally::Numbers::sum_high, &RttTally::Numbers::sum_low,
               &RttTally::Numbers::squares_high, &RttTally::Numbers::squares_low);

template <>
inline constexpr auto members<QueryTally> = std::tuple(&QueryTally::states, &QueryTally::rcodes,
                                                       &QueryTally::late_rcodes, &QueryTally::rtts);

template <>
inline constexpr auto members<StrayCounts> =
    std::apply([](const auto &...each) { return std::tuple(each.count...); }, stray_classes);

#define MEMBER(key) , &TraitsTally::key
template <>
inline constexpr auto members<TraitsTally> = std::tuple(&TraitsTally::sizes, &TraitsTally::octets,
                                                        &TraitsTally::smallest,
                                                        &TraitsTally::largest REPLY_TRAITS(MEMBER));
#undef MEMBER

template <>
inline constexpr auto members<ReplyTally> = std::tuple(&ReplyTally::queries, &ReplyTally::strays,
                                                       &ReplyTally::passed, &ReplyTally::traits);

template <>
inline constexpr auto members<StampCounts> = std::tuple(&StampCounts::transmitted,
                                                        &StampCounts::received,
                                                        &StampCounts::contradictory);

template <>
inline constexpr auto members<Stall> = std::tuple(&Stall::who, &Stall::since, &Stall::until,
                                                  &Stall::longest, &Stall::burst, &Stall::stalls);

template <>
inline constexpr auto members<MissBin> = std::tuple(&MissBin::number, &MissBin::lost,
                                                    &MissBin::late);

template <>
inline constexpr auto members<MissTally> = std::tuple(&MissTally::width_bits, &MissTally::bins);

template <>
inline constexpr auto members<ConnectionCounts> =
    std::apply([](const auto &...each) { return std::tuple(each.count...); }, connection_counts);

template <>
inline constexpr auto members<TlsSuite> = std::tuple(&TlsSuite::version, &TlsSuite::cipher,
                                                     &TlsSuite::alpn, &TlsSuite::connections);

template <>
inline constexpr auto members<QuicCounts> =
    std::apply([](const auto &...each) { return std::tuple(each.count...); }, quic_counts);

template <>
inline constexpr auto members<Silence> = std::tuple(&Silence::since, &Silence::until);

template <>
inline constexpr auto members<ConnectionTally> = std::tuple(
    &ConnectionTally::counts, &ConnectionTally::handshakes, &ConnectionTally::waited,
    &ConnectionTally::tls_full, &ConnectionTally::tls_resumed, &ConnectionTally::keepalives,
    &ConnectionTally::tls_suites, &ConnectionTally::tls_failure, &ConnectionTally::http_statuses,
    &ConnectionTally::http_failure, &ConnectionTally::quic, &ConnectionTally::backlog,
    &ConnectionTally::silences);

template <>
inline constexpr auto members<WindowTally> = std::tuple(&WindowTally::places, &WindowTally::open,
                                                        &WindowTally::ran);

template <>
inline constexpr auto members<LaneTally> = std::tuple(
    &LaneTally::share, &LaneTally::queue, &LaneTally::cpu, &LaneTally::handed_over,
    &LaneTally::unsent, &LaneTally::not_logged, &LaneTally::kicks, &LaneTally::last_sent,
    &LaneTally::overrun, &LaneTally::driver_lag, &LaneTally::ran, &LaneTally::waited,
    &LaneTally::nice, &LaneTally::is_pinned, &LaneTally::link_failed, &LaneTally::lateness,
    &LaneTally::bursts, &LaneTally::stamps, &LaneTally::hardware_rtts, &LaneTally::intervals,
    &LaneTally::stalls, &LaneTally::forgotten_stalls, &LaneTally::misses, &LaneTally::lost_by_port,
    &LaneTally::connections, &LaneTally::window);

template <>
inline constexpr auto members<Tally> = std::tuple(&Tally::replies, &Tally::lanes,
                                                  &Tally::log_failed);

template <>
inline constexpr auto members<RunPath> = std::tuple(&RunPath::engine, &RunPath::rtt_begins,
                                                    &RunPath::rtt_ends, &RunPath::least_rtt);

template <>
inline constexpr auto members<OwnLoss> = std::tuple(&OwnLoss::name, &OwnLoss::count,
                                                    &OwnLoss::label, &OwnLoss::why);

template <>
inline constexpr auto members<OwnLosses> = std::tuple(&OwnLosses::kinds, &OwnLosses::interface,
                                                      &OwnLosses::interface_sending,
                                                      &OwnLosses::interface_receiving,
                                                      &OwnLosses::interface_doubtful);

// Without the faults that the tally tells.
template <>
inline constexpr auto
    members<RunFaults> = std::tuple(&RunFaults::interrupted, &RunFaults::link_failed,
                                    &RunFaults::next_hop_moved, &RunFaults::not_counted);

// Without what has a JSON form of its own.
template <>
inline constexpr auto members<Measurement> =
    std::tuple(&Measurement::server, &Measurement::path, &Measurement::tally, &Measurement::losses,
               &Measurement::faults, &Measurement::doubts, &Measurement::stall_limit,
               &Measurement::server_stalls, &Measurement::server_drops, &Measurement::wire_overhead,
               &Measurement::keeps_client_ports, &Measurement::clients_in, &Measurement::since,
               &Measurement::until);

// packed() and unpack() find these by their arguments' types, which they do not in an unnamed
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
