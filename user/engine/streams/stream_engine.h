// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Queries over TCP, TLS, HTTPS or QUIC by kernel sockets: one busy thread for each CPU sends,
// receives and judges.
#pragma once

#include "dns/ip_address.h"
#include "dns/ip_prefix.h"
#include "engine/engine.h"
#include "engine/query_log.h"
#include "streams/http_client.h"
#include "streams/tls_client.h"
#include "system/unique_fd.h"
#include "units/idle_times.h"
#include "workload/query_source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

class StreamLane;

// Clients that have a connection each. The sources yield queries with the clients' numbers. Lane i
// of all hosts' lanes has the clients i, i + shares, i + 2 shares, ...
struct StreamClients {
    std::uint32_t numbers = 1;   // all clients have numbers below this
    std::uint32_t most_open = 1; // connections that a lane's clients have at once, at most
    // Client n has address n + 1 of these. Without them all clients have the plan's source.
    std::optional<IpPrefix> addresses{};
    // A connection is closed when its client has not used it for this time. It is in use until all
    // its queries are answered or twice the timeout has passed.
    IdleTimes idle_times;
};

struct StreamPlan {
    RunPlan run;
    JudgePlan judge;

    IpAddress server;
    std::uint16_t server_port = 53;
    IpAddress source; // of the server's family
    std::string interface {
    }; // that packets leave by; empty means that routes decide
    // Connections of each lane that take queries at a time. Queries go to them in turn.
    std::uint32_t connections = 1;
    std::optional<StreamClients> clients{}; // in place of `connections`
    // A connection that has carried this many queries takes no more; 0 means no limit. Another one
    // is opened in its place at once, or for a client's next query. The old one is closed when all
    // its queries are answered or lost.
    std::uint64_t queries_per_connection = 0;
    // Connections carry no query: each query is a connection that is opened and closed.
    bool has_handshakes_alone = false;
    // While this many queries of a connection are without a reply, further ones wait; 0 means no
    // limit.
    std::uint32_t pipeline = 0;
    Acks acks = Acks::quick;
    // Queries ask for the server's idle timeout (RFC 7828). A connection that has been idle for
    // that time, or whose timeout is 0, gets no further query.
    bool heeds_keepalive = false;
    Rate peak; // of this host's lanes, over twice the timeout
    std::optional<TlsPlan> tls{};
    std::optional<HttpPlan> http{}; // needs TLS
    bool is_quic = false;           // over UDP; speaks_quic() is true, and there is `tls`
};

// Returns whether the program was built with QUIC.
[[nodiscard]] bool speaks_quic();

class StreamEngine final : public Engine
{
public:
    // Opens the connections and the per-query file. Waits no longer than the timeout for the
    // server. A server that refuses connections is no error: the run counts what happens. Throws
    // SetupError if the Tester itself cannot open this many connections.
    StreamEngine(StreamPlan plan, QuerySources sources);
    ~StreamEngine() override;

    [[nodiscard]] RunPath path() const override;
    // The lanes' tallies have `connections`.
    [[nodiscard]] Tally run(Nanoseconds start, const RunWatch &watch) override;
    [[nodiscard]] OwnLosses losses(const Tally &tally, const CounterValues &growth) const override;

private:
    [[nodiscard]] RunProgress progress_now() const;
    [[nodiscard]] const char *rtt_ends() const;

    StreamPlan plan_;
    QuerySources sources_;
    UniqueFd stamping_; // see stamping_socket()
    std::optional<QueryLog> log_;
    std::vector<std::unique_ptr<StreamLane>> lanes_;
    std::int64_t start_ns_ = 0;
};

} // namespace dnsgauge
