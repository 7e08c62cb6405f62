// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// UDP and TCP at once: each query of captures travels over the transport that it was captured on.
#include "engine/joined_engines.h"
#include "system/setup_error.h"
#include "trial/carrier.h"
#include "workload/captured_queries.h"

#include <algorithm>
#include <utility>

namespace dnsgauge
{

namespace
{

// Returns the trial of the queries that one transport carries, with senders on these CPUs.
TrialPlan part_of_trial(const TrialPlan &whole, Transport transport, std::vector<unsigned> cpus)
{
    TrialPlan part = whole;
    part.transport = transport;
    part.cpus = std::move(cpus);
    auto &capture = std::get<CaptureWorkload>(part.workload);
    capture.queries =
        std::make_shared<const CapturedQueries>(capture.queries, transport == Transport::tcp);
    return part;
}

std::uint64_t queries_of(const TrialPlan &part)
{
    return std::get<CaptureWorkload>(part.workload).queries->size();
}

class Mixed final : public Carrier
{
public:
    explicit Mixed(const CarrierPlan &plan)
        : udp_(part_of_trial(plan.trial, Transport::udp, udp_cpus(plan))),
          tcp_(part_of_trial(plan.trial, Transport::tcp, {plan.run.cpus.back()})),
          datagrams_(make_datagrams(part_of_plan(plan, udp_))),
          streams_(make_streams(part_of_plan(plan, tcp_))),
          engines_(datagrams_->engine(), streams_->engine())
    {
    }

    [[nodiscard]] Engine &engine() override { return engines_; }
    [[nodiscard]] std::vector<unsigned> capabilities() const override
    {
        return datagrams_->capabilities();
    }
    void describe(Measurement &measured) const override
    {
        streams_->describe(measured);
        const unsigned over_tcp = measured.wire_overhead;
        datagrams_->describe(measured);
        measured.wire_overhead = std::max(measured.wire_overhead, over_tcp);
    }
    void describe_run(Measurement &measured) const override
    {
        datagrams_->describe_run(measured);
        measured.by_transport = {
            {.transport = Transport::udp, .planned = queries_of(udp_), .tally = engines_.first()},
            {.transport = Transport::tcp, .planned = queries_of(tcp_), .tally = engines_.second()}};
    }
    [[nodiscard]] std::vector<unsigned> receiving_cpus() const override
    {
        return datagrams_->receiving_cpus();
    }
    [[nodiscard]] bool next_hop_moved() const override { return datagrams_->next_hop_moved(); }

private:
    // All but the last one, which is TCP's.
    [[nodiscard]] static std::vector<unsigned> udp_cpus(const CarrierPlan &plan)
    {
        const std::vector<unsigned> &all = plan.run.cpus;
        if (all.size() < 2)
            throw SetupError("--transport capture needs a CPU for UDP and another one for TCP: "
                             "give both with --cpus");
        return {all.begin(), all.end() - 1};
    }
    // Returns the plan of a part's carrier. Its senders share that part alone.
    [[nodiscard]] static CarrierPlan part_of_plan(const CarrierPlan &plan, const TrialPlan &part)
    {
        const auto senders = static_cast<std::uint32_t>(part.cpus.size());
        CarrierPlan own{.trial = part,
                        .interface = plan.interface,
                        .shares = {.first = 0, .all = senders, .order = plan.shares.order},
                        .run = plan.run};
        own.run.cpus = part.cpus;
        own.run.first_share = 0;
        own.run.shares = senders;
        own.run.queries = queries_of(part);
        return own;
    }

    TrialPlan udp_;
    TrialPlan tcp_;
    // First, because the program that it attaches may reset the link, which would end connections.
    std::unique_ptr<Carrier> datagrams_;
    std::unique_ptr<Carrier> streams_;
    JoinedEngines engines_;
};

} // namespace

std::unique_ptr<Carrier> make_mixed(const CarrierPlan &plan)
{
    return std::make_unique<Mixed>(plan);
}

} // namespace dnsgauge
