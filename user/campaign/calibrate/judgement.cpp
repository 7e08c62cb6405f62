// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "calibrate/judgement.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t overdue_at_edge = 10; // at most one reply in ten

double us(double nanoseconds)
{
    return nanoseconds / 1e3;
}

double us(std::uint64_t nanoseconds)
{
    return us(static_cast<double>(nanoseconds));
}

double us(std::int64_t nanoseconds)
{
    return us(static_cast<double>(nanoseconds));
}

double us(Nanoseconds time)
{
    return us(static_cast<double>(time.count()));
}

std::uint64_t count(Nanoseconds time)
{
    return static_cast<std::uint64_t>(time.count());
}

std::string of_rate(const PacingCheck &check)
{
    return fmt::format("of {} queries/s", check.rate.per_second);
}

} // namespace

std::optional<Doubt> judge(const CountingCheck &check)
{
    std::string wrong;
    for (const CountedClass &one : check.classes)
        if (one.counted != one.predicted)
            fmt::format_to(std::back_inserter(wrong), "{}{} {} instead of {}",
                           wrong.empty() ? "" : ", ", one.name, one.counted, one.predicted);
    if (wrong.empty())
        return std::nullopt;
    return Doubt{"counts", fmt::format("at {} queries/s: {}", check.rate.per_second, wrong)};
}

std::optional<Doubt> judge_delay(const DelayCheck &check, const CalibrationLimits &limits)
{
    const auto doubt = [&](const std::string &why) {
        return Doubt{"rtt_ns",
                     fmt::format("of replies held for {:.1f} us: {}", us(check.delay), why)};
    };
    if (check.sent == 0 || check.valid != check.sent)
        return doubt(fmt::format("{} of {} are valid", check.valid, check.sent));
    if (check.min < count(check.delay))
        return doubt(fmt::format("the shortest is {:.1f} us", us(check.min)));
    if (std::abs(check.bias) > limits.bias.count())
        return doubt(fmt::format(
            "the shortest is {:.1f} us longer than that and the smallest RTT, not within {:.1f} us",
            us(check.bias), us(limits.bias)));
    return std::nullopt;
}

std::optional<Doubt> judge_before_edge(const DelayCheck &check)
{
    if (check.sent != 0 && check.valid + check.late == check.sent &&
        check.late * overdue_at_edge <= check.sent)
        return std::nullopt;
    return Doubt{"late", fmt::format("of {} replies held for {:.3f} ms, right before the timeout, "
                                     "{} are valid and {} late",
                                     check.sent, us(check.delay) / 1e3, check.valid, check.late)};
}

std::optional<Doubt> judge_behind_edge(const DelayCheck &check)
{
    if (check.sent != 0 && check.valid == 0 &&
        (check.sent - check.late) * overdue_at_edge <= check.sent)
        return std::nullopt;
    return Doubt{"late", fmt::format("of {} replies held for {:.3f} ms, right behind the timeout, "
                                     "{} are valid and {} late",
                                     check.sent, us(check.delay) / 1e3, check.valid, check.late)};
}

std::optional<Doubt> judge(const PacingCheck &check, const CalibrationLimits &limits)
{
    const PacingFigures &seen = check.seen;
    if (check.sent != check.planned || seen.arrived != check.sent || check.repeated != 0)
        return Doubt{
            "sent",
            fmt::format("{}: the Tester says that it sent {} of {}; {} arrived, and {} came again",
                        of_rate(check), check.sent, check.planned, seen.arrived, check.repeated)};
    if (static_cast<std::uint64_t>(std::abs(seen.span_error)) > count(limits.overrun))
        return Doubt{"achieved_rate",
                     fmt::format("{}: from the first to the last arrival it took {:.1f} us {} "
                                 "than at that rate, not within {:.1f} us",
                                 of_rate(check), us(std::abs(seen.span_error)),
                                 seen.span_error < 0 ? "less" : "longer", us(limits.overrun))};
    if (seen.lateness_p99 > count(limits.lateness_p99))
        return Doubt{"lateness_ns",
                     fmt::format("{}: one in a hundred arrived {:.1f} us behind the "
                                 "schedule or more, not at most {:.1f}",
                                 of_rate(check), us(seen.lateness_p99), us(limits.lateness_p99))};
    if (seen.lateness_max > count(limits.lateness))
        return Doubt{
            "lateness_ns",
            fmt::format("{}: one arrived {:.1f} us behind the schedule, not at most {:.1f}",
                        of_rate(check), us(seen.lateness_max), us(limits.lateness))};
    return std::nullopt;
}

} // namespace dnsgauge
