// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "machine/route.h"
#include "streams/stream_engine.h"
#include "trial/carrier.h"
#include "trial/plan.h"
#include "workload/played_queries.h"

#include "wire/packet.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

namespace dnsgauge
{

namespace
{

// Octets of a TCP header with time stamps, and of the length before a DNS message.
constexpr unsigned tcp_header = 32;
constexpr unsigned length_size = 2;
// Octets that a TLS 1.3 record adds: header, type and tag.
constexpr unsigned record_overhead = 5 + 1 + 16;
// Octets of a short HTTP/2 response: the headers of two frames, and three fields.
constexpr unsigned response_overhead = 2 * 9 + 6;
// Octets of the UDP header, and octets that a QUIC packet adds: header, frame of a stream, and tag.
constexpr unsigned udp_header = 8;
constexpr unsigned quic_overhead = 1 + 8 + 2 + 1 + 4 + 2 + 16;
// Octets between the IP header and a reply that is alone in its segment, record or packet, by
// Transport. UDP is no stream, and captured queries over TCP are in a trial over TCP.
constexpr std::array around_message{0U,
                                    tcp_header + length_size,
                                    tcp_header + record_overhead + length_size,
                                    tcp_header + record_overhead + response_overhead,
                                    udp_header + quic_overhead + length_size,
                                    0U};

class Streams final : public Carrier
{
public:
    explicit Streams(const CarrierPlan &plan)
        : transport_(plan.trial.transport), is_ipv6_(plan.trial.server.is_ipv6),
          senders_(static_cast<std::uint32_t>(plan.run.cpus.size())), source_(address_of(plan)),
          engine_(engine_plan(plan), query_sources(plan, source_))
    {
    }

    [[nodiscard]] Engine &engine() override { return engine_; }
    void describe(Measurement &measured) const override
    {
        measured.circumstances.source_address = to_string(source_);
        measured.wire_overhead = PACKET_ETHERNET_SIZE +
                                 (is_ipv6_ ? PACKET_IPV6_SIZE : PACKET_IPV4_SIZE) +
                                 around_message.at(static_cast<std::size_t>(transport_)) + wire_gap;
    }

private:
    [[nodiscard]] static IpAddress address_of(const CarrierPlan &plan);
    // Returns the clients with their own connections; nothing if all queries share some. Sets
    // `peak` to the rate of all senders, each counted as busy as the busiest.
    [[nodiscard]] std::optional<StreamClients> clients_of(const CarrierPlan &plan,
                                                          Rate &peak) const;
    [[nodiscard]] StreamPlan engine_plan(const CarrierPlan &plan) const;

    Transport transport_;
    bool is_ipv6_;
    std::uint32_t senders_;
    IpAddress source_;
    StreamEngine engine_;
};

IpAddress Streams::address_of(const CarrierPlan &plan)
{
    const Route route = find_route(plan.interface, plan.trial.server);
    if (plan.trial.source)
        require_local_route(
            {*plan.trial.source, static_cast<unsigned>(8 * plan.trial.source->octets().size())});
    return plan.trial.source.value_or(route.source);
}

std::optional<StreamClients> Streams::clients_of(const CarrierPlan &plan, Rate &peak) const
{
    // Each sender has one place, which each connection leaves at once.
    if (has_handshakes_alone(plan.trial))
        return StreamClients{.numbers = plan.shares.all, .idle_times = plan.trial.idle_times};
    if (!has_client_connections(plan.trial))
        return std::nullopt;
    const auto &capture = std::get<CaptureWorkload>(plan.trial.workload);
    if (capture.clients)
        require_local_route(*capture.clients);
    // A query may wait for its reply this long, and may be sent late.
    const Nanoseconds patience = 2 * plan.trial.timeout + std::chrono::seconds(1);
    StreamClients clients{.addresses = capture.clients, .idle_times = plan.trial.idle_times};
    peak = {};
    for (std::uint32_t sender = 0; sender < senders_; sender++) {
        const PlayedQueries played(
            capture.queries,
            {.first = plan.shares.first + sender, .count = 1, .of = plan.shares.all});
        clients.numbers = std::max(clients.numbers, played.client_numbers());
        clients.most_open =
            std::max(clients.most_open, played.clients_at_once([&](std::uint32_t client) {
                return patience + clients.idle_times.of(client);
            }));
        peak = std::max(peak, {played.peak_rate(2 * plan.trial.timeout).per_second * senders_});
    }
    return clients;
}

StreamPlan Streams::engine_plan(const CarrierPlan &plan) const
{
    const TrialPlan &trial = plan.trial;
    const bool is_http = transport_ == Transport::doh;
    Rate peak = peak_of(trial, plan.shares, senders_);
    std::optional<StreamClients> clients = clients_of(plan, peak);
    return {
        .run = plan.run,
        .judge = judge_plan(trial),
        .server = trial.server,
        .server_port = trial.server_port,
        .source = source_,
        .interface = plan.interface.name,
        .connections = shared_connections(trial),
        .clients = std::move(clients),
        .queries_per_connection = has_handshakes_alone(trial) ? 1 : trial.queries_per_connection,
        .has_handshakes_alone = has_handshakes_alone(trial),
        .pipeline = trial.pipeline,
        .acks = trial.acks,
        .heeds_keepalive = asks_keepalive(trial),
        .peak = peak,
        .tls = is_over_tls(trial)
                   ? std::optional(TlsPlan{.name = trial.tls_name,
                                           .ca_file = trial.tls_ca,
                                           .reuses_tickets = trial.resumption == Resumption::ticket,
                                           .protocol = is_http ? "h2" : "dot",
                                           .keys = trial.key_log.empty()
                                                       ? nullptr
                                                       : std::make_shared<KeyLog>(trial.key_log)})
                   : std::nullopt,
        .http = is_http ? std::optional(HttpPlan{.authority = http_authority(trial),
                                                 .path = trial.doh_path,
                                                 .method = trial.http_method})
                        : std::nullopt,
        .is_quic = transport_ == Transport::doq};
}

} // namespace

std::unique_ptr<Carrier> make_streams(const CarrierPlan &plan)
{
    return std::make_unique<Streams>(plan);
}

std::unique_ptr<Carrier> make_carrier(CarrierPlan plan)
{
    if (plan.trial.transport == Transport::udp)
        return make_datagrams(std::move(plan));
    return plan.trial.transport == Transport::capture ? make_mixed(plan) : make_streams(plan);
}

} // namespace dnsgauge
