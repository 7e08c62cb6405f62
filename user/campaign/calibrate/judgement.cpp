// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "calibrate/judgement.h"

#include "system/listed.h"

#include <cstdlib>

namespace dnsgauge
{

namespace
{

// Near the timeout one reply in this many may come too late to tell anything.
constexpr std::uint64_t overdue_at_edge = 10;

template <class Number>
double us(Number nanoseconds)
{
    return static_cast<double>(nanoseconds) / 1e3;
}

double us(Nanoseconds time)
{
    return us(time.count());
}

std::uint64_t count(Nanoseconds time)
{
    return static_cast<std::uint64_t>(time.count());
}

std::string at_rate(Rate rate)
{
    return fmt::format("at {} queries/s", rate.per_second);
}

std::int64_t least_excess(const DelayCheck &check)
{
    return static_cast<std::int64_t>(check.rtt.min) - check.delay.count();
}

} // namespace

void set_bias(DelayCheck &check, const DelayCheck &first)
{
    check.bias = least_excess(check) - least_excess(first);
    if (check.excess && first.excess)
        check.error = RttExcess{.p50 = check.excess->p50 - first.excess->p50,
                                .p99 = check.excess->p99 - first.excess->p50};
    for (std::size_t i = 0; i < check.testers.size(); i++) {
        DelayCheck &found = check.testers[i].found;
        found.bias = least_excess(found) - least_excess(first.testers.at(i).found);
        if (i == 0 || std::abs(found.bias) > std::abs(check.bias))
            check.bias = found.bias;
    }
}

std::optional<Doubt> judge(const CountingCheck &check)
{
    const std::string wrong = joined(check.classes, [](const CountedClass &one) {
        return one.counted == one.predicted
                   ? ""
                   : fmt::format("{} {} instead of {}", one.name, one.counted, one.predicted);
    });
    if (wrong.empty())
        return std::nullopt;
    return Doubt{"counts", fmt::format("{} the Tester counted {}", at_rate(check.rate), wrong)};
}

std::optional<Doubt> judge_delay(const DelayCheck &check, const CalibrationLimits &limits)
{
    const auto doubt = [&](const std::string &why) {
        return Doubt{"rtt_ns", fmt::format("when FakeDNS holds replies for {:.1f} us, {}",
                                           us(check.delay), why)};
    };
    if (check.sent == 0 || check.valid != check.sent)
        return doubt(fmt::format("{} of {} are valid", check.valid, check.sent));
    if (check.rtt.min < count(check.delay))
        return doubt(fmt::format("the shortest RTT is {:.1f} us", us(check.rtt.min)));
    if (std::abs(check.bias) > limits.bias.count())
        return doubt(fmt::format("the shortest RTT differs by {:.1f} us from this time plus the "
                                 "baseline: --max-bias allows {:.1f} us",
                                 us(check.bias), us(limits.bias)));
    return std::nullopt;
}

std::optional<Doubt> judge_at_once(const DelayCheck &check)
{
    if (check.valid != 0)
        return std::nullopt;
    return Doubt{"rtt_ns", fmt::format("{} none of {} replies that FakeDNS sends at once is valid",
                                       at_rate(check.rate), check.sent)};
}

std::optional<Doubt> judge_before_edge(const DelayCheck &check)
{
    if (check.sent != 0 && check.valid + check.late == check.sent &&
        check.late * overdue_at_edge <= check.sent)
        return std::nullopt;
    return Doubt{"late", fmt::format("FakeDNS held {} replies until {:.3f} ms, shortly before the "
                                     "timeout: {} are valid and {} late, not nine in ten valid",
                                     check.sent, us(check.delay) / 1e3, check.valid, check.late)};
}

std::optional<Doubt> judge_behind_edge(const DelayCheck &check)
{
    if (check.sent != 0 && check.valid == 0 &&
        (check.sent - check.late) * overdue_at_edge <= check.sent)
        return std::nullopt;
    return Doubt{"late", fmt::format("FakeDNS held {} replies until {:.3f} ms, shortly after the "
                                     "timeout: {} are valid and {} late, not nine in ten late "
                                     "and none valid",
                                     check.sent, us(check.delay) / 1e3, check.valid, check.late)};
}

std::optional<Doubt> judge(const PacingCheck &check, const CalibrationLimits &limits)
{
    const PacingFigures &seen = check.seen;
    if (check.sent != check.planned || seen.arrived != check.sent || check.repeated != 0)
        return Doubt{
            "sent",
            fmt::format("{} the Tester says that it sent {} of {} queries: {} of them arrived, and "
                        "{} packets arrived twice",
                        at_rate(check.rate), check.sent, check.planned, seen.arrived,
                        check.repeated)};
    if (static_cast<std::uint64_t>(std::abs(seen.span_error)) > count(limits.overrun))
        return Doubt{"achieved_rate",
                     fmt::format("{} the time from the first arrival to the last one is {:.1f} us "
                                 "{} than the rate asks: --max-overrun allows {:.1f} us",
                                 at_rate(check.rate), us(std::abs(seen.span_error)),
                                 seen.span_error < 0 ? "shorter" : "longer", us(limits.overrun))};
    if (seen.lateness.p99 > count(limits.lateness_p99))
        return Doubt{"lateness_ns",
                     fmt::format("{} one query in a hundred arrived {:.1f} us or more behind the "
                                 "schedule: --max-lateness-p99 allows {:.1f} us",
                                 at_rate(check.rate), us(seen.lateness.p99),
                                 us(limits.lateness_p99))};
    if (seen.lateness.max > count(limits.lateness))
        return Doubt{"lateness_ns",
                     fmt::format("{} one query arrived {:.1f} us behind the schedule: "
                                 "--max-lateness allows {:.1f} us",
                                 at_rate(check.rate), us(seen.lateness.max), us(limits.lateness))};
    return std::nullopt;
}

} // namespace dnsgauge
