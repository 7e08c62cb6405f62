// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "trial/testers.h"

#include "system/listed.h"
#include "system/random.h"
#include "system/setup_error.h"
#include "trial/plan.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr auto start_delay = std::chrono::milliseconds(20); // in which threads can start

class Alone final : public JointTrial
{
public:
    explicit Alone(std::uint32_t senders) : senders_(senders) {}

    [[nodiscard]] Shares shares() const override
    {
        return {.first = 0, .all = senders_, .order = order_};
    }
    std::vector<ReadyTester> get_ready(const Readiness &mine) override
    {
        return {{.name = {}, .circumstances = mine.circumstances}};
    }
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
    scatter_key order_ = new_scatter_key();
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

void check_same_modes(const SelftestCover &cover, const std::vector<ReadyTester> &testers)
{
    if (!cover.covers())
        return;
    if (cover.modes.size() != testers.size())
        throw SetupError("the self-test ({}) does not tell which modes each of the {} "
                         "Testers used: run it again",
                         cover.record, testers.size());
    for (std::size_t rank = 0; rank < testers.size(); rank++) {
        const std::string &then = cover.modes[rank];
        const std::string now = modes_text(testers[rank].circumstances.modes, " and ");
        const std::string &name = testers[rank].name;
        if (now != then)
            throw SetupError("{}{}the self-test ({}) used {}, this trial {}: run the self-test "
                             "again, or give {} to both",
                             name, name.empty() ? "" : ": ", cover.record, then, now,
                             mode_options_text());
    }
}

std::unique_ptr<JointTrial> make_alone(std::uint32_t senders)
{
    return std::make_unique<Alone>(senders);
}

} // namespace dnsgauge
