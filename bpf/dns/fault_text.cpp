// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "dns/fault_text.h"

#include "system/listed.h"
#include "system/number_text.h"
#include "system/setup_error.h"

#include <boost/math/distributions/exponential.hpp>
#include <boost/math/distributions/lognormal.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/pareto.hpp>
#include <boost/math/distributions/uniform.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

namespace dnsgauge
{

namespace
{

#define KIND_NAME(NAME, text) text,
constexpr std::array<std::string_view, FAULTS> kind_names{"none", FAULT_KINDS(KIND_NAME)};
#undef KIND_NAME

constexpr std::array<std::pair<std::string_view, double>, 4> time_units{
    {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

// A quantile that cannot be calculated is infinite, or no number; checked_delay() refuses it as too
// long.
namespace policies = boost::math::policies;
using Quietly = policies::policy<policies::domain_error<policies::ignore_error>,
                                 policies::overflow_error<policies::ignore_error>,
                                 policies::evaluation_error<policies::ignore_error>,
                                 policies::pole_error<policies::ignore_error>>;

[[noreturn]] void refuse(std::string_view place, const std::string &why)
{
    throw SetupError(std::string(place) + ": " + why);
}

// Returns a number of at least zero, and the text after it.
std::optional<std::pair<double, std::string_view>> read_decimal(std::string_view text)
{
    double value = 0;
    const char *end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
    if (error != std::errc{} || !std::isfinite(value) || value < 0)
        return std::nullopt;
    return std::pair{value, std::string_view(stop, static_cast<std::size_t>(end - stop))};
}

double parse_time(std::string_view item, std::string_view text)
{
    if (const auto number = read_decimal(text)) {
        for (const auto &[unit, ns] : time_units)
            if (unit == number->second)
                return number->first * ns;
    }
    refuse(item, "\"" + std::string(text) + "\" is no time: a number and ns, us, ms or s");
}

double parse_positive(std::string_view item, std::string_view text)
{
    const auto number = read_decimal(text);
    if (!number || number->first == 0 || !number->second.empty())
        refuse(item, "\"" + std::string(text) + "\" is no number above 0");
    return number->first;
}

std::uint64_t checked_delay(std::string_view item, double ns)
{
    if (!(ns <= static_cast<double>(fault_delay_max)))
        refuse(item, "its longest delay is above 60 s");
    return static_cast<std::uint64_t>(std::llround(std::max(ns, 0.0)));
}

template <class Distribution>
void set_quantiles(std::string_view item, const Distribution &distribution, __u64 *delays)
{
    for (unsigned i = 0; i < FAULT_QUANTILES; i++)
        delays[i] = checked_delay(item, quantile(distribution, (i + 0.5) / FAULT_QUANTILES));
}

// "uniform", "100us", "2ms"
void set_distribution(std::string_view item, const std::vector<std::string_view> &words,
                      __u64 *delays)
{
    namespace math = boost::math;
    const std::string_view shape = words[0];
    const std::size_t wanted = shape == "exponential" ? 2 : 3;
    if (shape != "uniform" && shape != "exponential" && shape != "normal" && shape != "lognormal" &&
        shape != "pareto")
        refuse(item, "\"" + std::string(shape) +
                         "\" is neither a time (500us) nor uniform, exponential, normal, lognormal "
                         "or pareto");
    if (words.size() != wanted)
        refuse(item,
               std::string(shape) + " takes " + (wanted == 2 ? "one parameter" : "two parameters"));
    const double first = parse_time(item, words[1]);
    if (first == 0 && shape != "uniform" && shape != "normal")
        refuse(item, "the first parameter of " + std::string(shape) + " must be above 0");
    if (shape == "uniform") {
        const double most = parse_time(item, words[2]);
        if (most <= first)
            refuse(item, "the second parameter of uniform must be above the first");
        set_quantiles(item, math::uniform_distribution<double, Quietly>(first, most), delays);
    } else if (shape == "exponential") {
        set_quantiles(item, math::exponential_distribution<double, Quietly>(1 / first), delays);
    } else if (shape == "normal") {
        const double deviation = parse_time(item, words[2]);
        if (deviation == 0)
            refuse(item, "the second parameter of normal must be above 0");
        set_quantiles(item, math::normal_distribution<double, Quietly>(first, deviation), delays);
    } else if (shape == "lognormal") {
        set_quantiles(item,
                      math::lognormal_distribution<double, Quietly>(std::log(first),
                                                                    parse_positive(item, words[2])),
                      delays);
    } else {
        set_quantiles(
            item, math::pareto_distribution<double, Quietly>(first, parse_positive(item, words[2])),
            delays);
    }
}

// Gives a kind its share of the positions, whose ends are `end`.
void add_share(std::string_view place, std::span<std::uint16_t> end, std::size_t kind,
               std::uint16_t share)
{
    if (end[kind] != end[kind - 1])
        refuse(place, "this fault is given twice");
    if (end.back() + share > FAULT_BLOCK)
        refuse(place, "all shares together are above 100%");
    for (; kind < end.size(); kind++)
        end[kind] = static_cast<std::uint16_t>(end[kind] + share);
}

// "delay=2%:500us", in parts
struct Item {
    std::string place; // for messages
    std::string_view name;
    std::uint16_t share = 0;
    std::optional<std::string_view> parameter;
};

void add_answer_fault(const Item &item, unsigned kind, fault_plan &plan)
{
    if (fault_is_delay(kind) != 0) {
        if (!item.parameter)
            refuse(item.place, fmt::format("say how long, as in {}=1%:500us", item.name));
        std::array<std::uint64_t, FAULT_QUANTILES> delays{};
        parse_delays(item.place, *item.parameter, delays);
        std::ranges::copy(delays, plan.delay_ns[kind == FAULT_LATE]);
    } else if (item.parameter) {
        refuse(item.place, std::string(item.name) + " takes no time");
    }
    add_share(item.place, plan.end, kind, item.share);
}

void add_connection_fault(const Item &item, std::size_t kind, ConnectionFaultPlan &plan)
{
    const auto &[name, least, most] = connection_faults[kind];
    if (item.parameter.has_value() != (most != 0))
        refuse(item.place,
               most != 0 ? fmt::format("give a number, as in {}=1%:{}", name, std::max(least, 20U))
                         : fmt::format("{} takes no number", name));
    if (item.parameter) {
        const auto number = read_number(*item.parameter, most);
        if (!number || *number < least)
            refuse(item.place,
                   fmt::format("\"{}\" is no number from {} to {}", *item.parameter, least, most));
        plan.number[kind] = *number;
    }
    add_share(item.place, plan.end, kind, item.share);
}

// Returns the name's place in the table; 0, which is the place of "none", if the table lacks the
// name.
template <class Table, class NameOf = std::identity>
std::size_t kind_of(std::string_view name, const Table &table, NameOf name_of = {})
{
    const auto found = std::ranges::find(table, name, name_of);
    return found == table.end() ? 0 : static_cast<std::size_t>(found - table.begin());
}

void add_fault(std::string_view text, fault_plan &plan, ConnectionFaultPlan *connections)
{
    const std::size_t equals = std::min(text.find('='), text.size());
    Item item{.place = "--fault " + std::string(text), .name = text.substr(0, equals)};
    const std::size_t of_answers = kind_of(item.name, kind_names);
    const std::size_t of_connections =
        connections == nullptr ? 0
                               : kind_of(item.name, connection_faults, &ConnectionFaultKind::name);
    if (equals == text.size() || of_answers + of_connections == 0)
        refuse(item.place,
               "give NAME=SHARE%, the name being " + fault_names() +
                   (connections == nullptr ? "" : "; for connections " + connection_fault_names()));
    const std::string_view value = text.substr(equals + 1);
    const std::size_t colon = std::min(value.find(':'), value.size());
    item.share = parse_thousandths(item.place, value.substr(0, colon));
    if (colon != value.size())
        item.parameter = value.substr(colon + 1);
    if (of_answers != 0)
        add_answer_fault(item, static_cast<unsigned>(of_answers), plan);
    else
        add_connection_fault(item, of_connections, *connections);
}

fault_kind fault_of_aaaa(const fault_plan &plan, std::uint32_t number, std::uint32_t aaaa_share)
{
    const fault_kind kind = fault_of(number, &plan);
    return fault_needs_address(kind) != 0 && test_name_has_aaaa(number, aaaa_share) == 0
               ? FAULT_NONE
               : kind;
}

} // namespace

std::string fault_names()
{
    return listed({kind_names.begin() + 1, kind_names.end()}, "or");
}

std::string connection_fault_names()
{
    std::vector<std::string> names;
    for (std::size_t kind = 1; kind < connection_faults.size(); kind++)
        names.emplace_back(connection_faults[kind].name);
    return listed(names, "or");
}

std::string_view fault_name(unsigned kind)
{
    return kind_names.at(kind);
}

bool has_fault(const fault_plan &plan, unsigned kind)
{
    return kind != FAULT_NONE && plan.end[kind] != plan.end[kind - 1];
}

bool has_held_faults(const fault_plan &plan)
{
    for (unsigned kind = 1; kind < FAULTS; kind++)
        if (fault_is_held(kind) != 0 && has_fault(plan, kind))
            return true;
    return false;
}

std::uint16_t parse_thousandths(std::string_view place, std::string_view text)
{
    const auto number = read_decimal(text);
    if (!number || number->second != "%" || number->first > 100)
        refuse(place, "\"" + std::string(text) + "\" is no share: 0% to 100%");
    const double thousandths = std::round(number->first * 10);
    if (std::abs(thousandths - number->first * 10) > 1e-9)
        refuse(place, "shares are multiples of 0.1%, exact in every aligned " +
                          std::to_string(FAULT_BLOCK) + " names");
    return static_cast<std::uint16_t>(thousandths);
}

void parse_delays(std::string_view place, std::string_view text,
                  std::span<std::uint64_t, FAULT_QUANTILES> delays)
{
    const std::vector<std::string_view> words = split(text, ':');
    std::array<__u64, FAULT_QUANTILES> quantiles{};
    if (words.size() == 1 && read_decimal(words[0]))
        quantiles.fill(checked_delay(place, parse_time(place, words[0])));
    else
        set_distribution(place, words, quantiles.data());
    std::ranges::copy(quantiles, delays.begin());
}

void parse_faults(std::string_view text, fault_plan &plan, ConnectionFaultPlan *connections)
{
    for (const std::string_view item : split(text, ','))
        add_fault(item, plan, connections);
}

// Faults and records repeat every FAULT_BLOCK names: the loop walks one block, and counts the
// others.
FaultCounts predict_faults(const fault_plan &plan, const NameRange &names, std::uint32_t aaaa_share)
{
    static_assert(FAULT_BLOCK % 100 == 0, "records repeat every 100 names");
    FaultCounts counts{};
    const std::uint64_t blocks = names.count / FAULT_BLOCK;
    const std::uint64_t rest = names.count % FAULT_BLOCK;
    for (std::uint64_t i = 0; i < (blocks == 0 ? rest : FAULT_BLOCK); i++) {
        const auto number = static_cast<std::uint32_t>((names.first + i) % FAULT_BLOCK);
        counts[fault_of_aaaa(plan, number, aaaa_share)] += blocks + (i < rest ? 1 : 0);
    }
    return counts;
}

} // namespace dnsgauge
