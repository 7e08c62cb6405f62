// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/testers.h"

#include "common/listed.h"
#include "trial/trial.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr auto start_delay = std::chrono::milliseconds(20); // enough for threads to start

class Alone final : public JointTrial
{
public:
    explicit Alone(std::uint32_t senders) : senders_(senders) {}

    [[nodiscard]] Shares shares() const override { return {.first = 0, .all = senders_}; }
    void get_ready(const Readiness & /*mine*/) override {}
    [[nodiscard]] Nanoseconds common_start() override
    {
        return std::chrono::steady_clock::now().time_since_epoch() + start_delay;
    }
    [[nodiscard]] bool is_stopped() override { return false; }
    [[nodiscard]] std::vector<TesterPart> exchange(Measurement mine) override
    {
        std::vector<TesterPart> parts(1);
        parts.front().measured = std::move(mine);
        return parts;
    }

private:
    std::uint32_t senders_;
};

} // namespace

std::string tester_name(std::uint32_t rank, const std::string &host)
{
    return fmt::format("Tester {} ({})", rank, host);
}

std::vector<std::string> servers_of(const TrialPlan &plan)
{
    if (plan.testers)
        return each_once(plan.testers->servers(plan));
    return {to_string(plan.server)};
}

std::unique_ptr<JointTrial> make_alone(std::uint32_t senders)
{
    return std::make_unique<Alone>(senders);
}

} // namespace dnsgauge
