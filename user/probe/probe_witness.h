// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Joins what a probe saw of a trial's query to what the Tester knows of it. The query's port, its
// ID, and the times of sending and arrival tell which belong together.
#pragma once

#include "engine/query_witness.h"
#include "probe/probe_log.h"
#include "result/probe_result.h"

#include "probe_abi.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

namespace dnsgauge
{

class ProbeWitness final : public QueryWitness
{
public:
    // Returns what the table of open queries has of an ID.
    using OpenQueries = std::function<probe_bucket(std::uint16_t id)>;

    // The probe follows `share` of PROBE_ALL IDs. Without `logs_all` it logs only queries whose
    // reply took half the timeout or longer to leave. If another query is late, the longest part
    // of its RTT is none of the probe's stages. Each query arrives within twice the timeout, and
    // its port and ID are not used again before.
    ProbeWitness(std::uint32_t share, bool logs_all, Nanoseconds timeout, OpenQueries open_queries,
                 ReasonName reason_name);
    ~ProbeWitness() override;

    // Takes records from the ring from now on. Throws SetupError if the kernel refuses that.
    void start(int ring_fd);
    void take(const probe_record &record);

    [[nodiscard]] std::string heads() const override;
    void look() override;
    void finish() override { has_all_ = true; }
    [[nodiscard]] std::optional<std::string> judge(const QueryRecord &record,
                                                   PortAndId sent) override;

    // Returns where the late queries that judge() got were for longest.
    [[nodiscard]] const LatePlaces &late() const { return late_; }

private:
    void place(std::uint64_t rtt_ns, const std::optional<probe_record> &known);
    [[nodiscard]] std::optional<probe_record> known_of(const QueryRecord &record, PortAndId sent);

    std::uint32_t share_;
    bool logs_all_;
    std::uint64_t arrival_most_; // from the sending
    OpenQueries open_queries_;
    ReasonName reason_name_;
    std::unique_ptr<ring_buffer, void (*)(ring_buffer *)> ring_;
    std::unordered_multimap<std::uint32_t, probe_record> seen_; // by port and ID
    bool has_all_ = false;
    LatePlaces late_;
};

} // namespace dnsgauge
