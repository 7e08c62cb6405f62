// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "units/pace.h"

#include "system/listed.h"
#include "system/number_text.h"
#include "system/setup_error.h"
#include "units/quantity_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace dnsgauge
{

namespace
{

constexpr std::uint64_t rates_most = 10'000;
// No sender reaches this rate, in queries per second.
constexpr std::uint64_t unreachable = 100'000'000;
// Senders of a window have slots for this number of queries.
constexpr double window_slots = 1e6;

[[noreturn]] void refuse(std::string_view text)
{
    throw SetupError(
        "\"{}\" is no pace: write constant, poisson, poisson=SEED, "
        "steps=FROM:TO:STEP or ramp=FROM:TO, in queries per second, original, window=N "
        "or window=N,rate=R",
        text);
}

// Returns the text after `name` and an equals sign, if `text` begins with these.
std::optional<std::string_view> value_of(std::string_view text, std::string_view name)
{
    if (text.size() <= name.size() || !text.starts_with(name) || text[name.size()] != '=')
        return std::nullopt;
    return text.substr(name.size() + 1);
}

std::uint64_t number_in(std::string_view digits, std::string_view text)
{
    if (const auto number = read_number<std::uint64_t>(digits))
        return *number;
    refuse(text);
}

Pace read_window(std::string_view value, std::string_view text)
{
    constexpr std::string_view behind = ",rate=";
    const std::size_t comma = std::min(value.find(','), value.size());
    Pace pace{.kind = Pace::Kind::window, .window = number_in(value.substr(0, comma), text)};
    if (pace.window == 0 || pace.window > window_most)
        throw SetupError("\"{}\": each sender keeps 1 to {} queries open", text, window_most);
    value.remove_prefix(comma);
    if (value.empty())
        return pace;
    if (!value.starts_with(behind))
        refuse(text);
    pace.most = parse_rate(std::string(value.substr(behind.size())), std::string(text));
    return pace;
}

// Returns this number of rates, which have colons between them.
std::vector<Rate> read_rates(std::string_view rates, std::size_t count, std::string_view text)
{
    const std::vector<std::string_view> parts = split(rates, ':');
    if (parts.size() != count)
        refuse(text);
    std::vector<Rate> found;
    for (const std::string_view part : parts)
        found.push_back(parse_rate(std::string(part), std::string(text)));
    return found;
}

Pace read_steps(std::string_view rates, std::string_view text)
{
    const std::vector<Rate> parts = read_rates(rates, 3, text);
    const Pace pace{
        .kind = Pace::Kind::steps, .from = parts[0], .to = parts[1], .step = parts[2].per_second};
    if (pace.rates() > rates_most)
        throw SetupError("\"{}\": there are {} rates, more than {}: give a larger step", text,
                         pace.rates(), rates_most);
    return pace;
}

Pace read_ramp(std::string_view rates, std::string_view text)
{
    const std::vector<Rate> parts = read_rates(rates, 2, text);
    const Pace pace{.kind = Pace::Kind::ramp, .from = parts[0], .to = parts[1]};
    if (pace.from >= pace.to)
        throw SetupError("\"{}\": a ramp rises: FROM is less than TO", text);
    return pace;
}

} // namespace

std::uint64_t Pace::rates() const
{
    const auto [low, high] = std::minmax(from.per_second, to.per_second);
    return step == 0 ? 1 : (high - low) / step + 1;
}

Pace parse_pace(std::string_view text)
{
    if (text == "constant")
        return {};
    if (text == "original")
        return {.kind = Pace::Kind::original};
    if (text == "poisson")
        return {.kind = Pace::Kind::poisson};
    if (const auto seed = value_of(text, "poisson"))
        return {.kind = Pace::Kind::poisson, .seed = number_in(*seed, text)};
    if (const auto rates = value_of(text, "steps"))
        return read_steps(*rates, text);
    if (const auto rates = value_of(text, "ramp"))
        return read_ramp(*rates, text);
    if (const auto window = value_of(text, "window"))
        return read_window(*window, text);
    refuse(text);
}

std::string to_string(const Pace &pace)
{
    switch (pace.kind) {
    case Pace::Kind::poisson:
        return fmt::format("poisson={}", pace.seed);
    case Pace::Kind::steps:
        return fmt::format("steps={}:{}:{}", pace.from.per_second, pace.to.per_second, pace.step);
    case Pace::Kind::ramp:
        return fmt::format("ramp={}:{}", pace.from.per_second, pace.to.per_second);
    case Pace::Kind::original:
        return "original";
    case Pace::Kind::window:
        return pace.most ? fmt::format("window={},rate={}", pace.window, pace.most->per_second)
                         : fmt::format("window={}", pace.window);
    case Pace::Kind::constant:
        break;
    }
    return "constant";
}

Rate SchedulePlan::highest_of(const Pace &window)
{
    return window.most.value_or(Rate{unreachable});
}

SchedulePlan SchedulePlan::of_rates(const Pace &pace, Nanoseconds duration)
{
    SchedulePlan plan{.pace = pace, .rate = pace.from, .duration = duration};
    const long double mean = static_cast<long double>(plan.queries()) / seconds(duration);
    plan.rate = Rate{std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(mean)))};
    return plan;
}

Nanoseconds SchedulePlan::begin_of(std::uint64_t number) const
{
    __extension__ using wide = __int128;
    return Nanoseconds(
        static_cast<std::int64_t>(static_cast<wide>(duration.count()) * number / pace.rates()));
}

Rate SchedulePlan::rate_of(std::uint64_t number) const
{
    const std::uint64_t way = number * pace.step;
    return Rate{pace.from <= pace.to ? pace.from.per_second + way : pace.from.per_second - way};
}

std::uint64_t SchedulePlan::queries_in_step(std::uint64_t number) const
{
    return queries_in(rate_of(number), begin_of(number + 1) - begin_of(number));
}

long double SchedulePlan::ramp_at(Nanoseconds time) const
{
    const auto growth = static_cast<long double>(pace.to.per_second - pace.from.per_second);
    return static_cast<long double>(pace.from.per_second) +
           growth * static_cast<long double>(time.count()) /
               static_cast<long double>(duration.count());
}

// The rates until time t make from × t + (to - from) × t² / (2 × duration) queries. Solved for t,
// with the root below the fraction line, where nothing cancels out.
Nanoseconds SchedulePlan::due_in_ramp(std::uint64_t index) const
{
    const auto from = static_cast<long double>(pace.from.per_second);
    const long double growth = static_cast<long double>(pace.to.per_second - pace.from.per_second) *
                               1e9L / static_cast<long double>(duration.count());
    const auto number = static_cast<long double>(index);
    const long double time = 2 * number / (from + std::sqrt(from * from + 2 * growth * number));
    return std::min(Nanoseconds(static_cast<std::int64_t>(time * 1e9L)), duration);
}

std::uint64_t SchedulePlan::queries() const
{
    if (pace.kind == Pace::Kind::ramp)
        return queries_before(duration);
    if (pace.kind != Pace::Kind::steps)
        return queries_in(rate, duration);
    std::uint64_t sum = 0;
    for (std::uint64_t number = 0; number < pace.rates(); number++)
        sum += queries_in_step(number);
    return sum;
}

std::uint64_t SchedulePlan::queries_before(Nanoseconds time) const
{
    if (pace.kind == Pace::Kind::ramp) {
        const long double mean = (ramp_at(Nanoseconds(0)) + ramp_at(time)) / 2;
        return static_cast<std::uint64_t>(mean * static_cast<long double>(time.count()) / 1e9L);
    }
    if (pace.kind != Pace::Kind::steps)
        return queries_in(rate, time);
    std::uint64_t sum = 0;
    for (std::uint64_t number = 0; number < pace.rates() && begin_of(number) < time; number++)
        sum += queries_in(rate_of(number), std::min(time, begin_of(number + 1)) - begin_of(number));
    return sum;
}

Rate SchedulePlan::peak(Nanoseconds time) const
{
    constexpr double deviations = 8; // of a normal distribution, which is what many queries have
    constexpr double more = 20;      // where there are few
    switch (pace.kind) {
    case Pace::Kind::poisson: {
        const double mean = static_cast<double>(rate.per_second) * seconds(time);
        const double most = mean + deviations * std::sqrt(mean) + more;
        return Rate{static_cast<std::uint64_t>(std::ceil(most / seconds(time)))};
    }
    case Pace::Kind::steps:
        return std::max(rate_of(0), rate_of(pace.rates() - 1));
    case Pace::Kind::ramp:
        return pace.to;
    case Pace::Kind::window:
        return std::min(rate,
                        Rate{static_cast<std::uint64_t>(std::ceil(window_slots / seconds(time)))});
    case Pace::Kind::original: // the captures know their own peak
    case Pace::Kind::constant:
        break;
    }
    return rate;
}

} // namespace dnsgauge
