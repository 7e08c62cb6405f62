// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "fakedns/internet_counters.h"

#include "internet/world_options.h"

#include "userland/query_type.h"
#include "userland/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

namespace dnsgauge
{

namespace
{

constexpr auto kinds = words<WorldAnswerKind>({{WorldAnswerKind::ignored, "ignored"},
                                               {WorldAnswerKind::records, "records"},
                                               {WorldAnswerKind::alias, "alias"},
                                               {WorldAnswerKind::referral, "referral"},
                                               {WorldAnswerKind::nodata, "nodata"},
                                               {WorldAnswerKind::nxdomain, "nxdomain"},
                                               {WorldAnswerKind::hinfo, "hinfo"},
                                               {WorldAnswerKind::refused, "refused"},
                                               {WorldAnswerKind::truncated, "truncated"},
                                               {WorldAnswerKind::limited, "limited"},
                                               {WorldAnswerKind::formerr, "formerr"},
                                               {WorldAnswerKind::notimp, "notimp"},
                                               {WorldAnswerKind::badvers, "badvers"},
                                               {WorldAnswerKind::lame, "lame"},
                                               {WorldAnswerKind::servfail, "servfail"},
                                               {WorldAnswerKind::lost, "lost"}});
static_assert(kinds.end() - kinds.begin() == world_answer_kinds);

constexpr auto tiers = words<ServerTier>({{ServerTier::root, "root"},
                                          {ServerTier::registry, "registry"},
                                          {ServerTier::other, "other"},
                                          {ServerTier::none, "none"}});

constexpr auto paths = words<InternetPath>(
    {{InternetPath::udp, "udp"}, {InternetPath::tcp, "tcp"}, {InternetPath::xdp, "xdp"}});

constexpr std::array<std::uint16_t, InternetCounters::types - 1> counted_types{
    DNS_TYPE_A, DNS_TYPE_AAAA, DNS_TYPE_NS, type_mx, type_txt, type_https, DNS_TYPE_SOA, type_ds};

std::string type_name(std::size_t type)
{
    return type < counted_types.size() ? query_type_text(counted_types[type]) : "other";
}

std::uint64_t sum(const auto &values)
{
    return std::accumulate(values.begin(), values.end(), std::uint64_t{0});
}

} // namespace

void InternetCounters::add(ServerTier tier, const WorldAnswer &answer, InternetPath path)
{
    const auto *const type = std::ranges::find(counted_types, answer.type);
    value_[static_cast<std::size_t>(path)][static_cast<std::size_t>(tier)][static_cast<std::size_t>(
        answer.kind)][static_cast<std::size_t>(type - counted_types.begin())]++;
}

std::string InternetCounters::table() const
{
    std::string text =
        fmt::format("{:<20}{:>12}{:>12}{:>12}{:>12}\n", "", "root", "registry", "other", "total");
    const auto row = [&text](const std::string &name, const auto &value_of) {
        std::array<std::uint64_t, server_tiers> of_tier{};
        for (unsigned tier = 0; tier < server_tiers; tier++)
            of_tier[tier] = value_of(tier);
        // "other" also counts addresses that are no server's.
        fmt::format_to(std::back_inserter(text), "{:<20}{:>12}{:>12}{:>12}{:>12}\n", name,
                       of_tier[0], of_tier[1], of_tier[2] + of_tier[3], sum(of_tier));
    };
    for (const auto &word : kinds)
        row(word.text, [&](unsigned tier) {
            const auto kind = static_cast<std::size_t>(word.value);
            std::uint64_t all = 0;
            for (const ByTier &way : value_)
                all += sum(way[tier][kind]);
            return all;
        });
    for (std::size_t type = 0; type < types; type++)
        row("type-" + type_name(type), [&](unsigned tier) {
            std::uint64_t all = 0;
            for (const ByTier &way : value_)
                for (const ByType &kind : way[tier])
                    all += kind[type];
            return all;
        });
    for (const auto &path : paths)
        row(path.text, [&](unsigned tier) {
            std::uint64_t all = 0;
            for (const ByType &kind : value_[static_cast<std::size_t>(path.value)][tier])
                all += sum(kind);
            return all;
        });
    fmt::format_to(std::back_inserter(text), "waiting {}\nunsent {}\n", waiting, unsent);
    return text;
}

std::string InternetCounters::metrics() const
{
    std::string text =
        "# HELP fakedns_internet_answers_total Answers, by the kind of server asked, what they "
        "say, the type asked for, path and transport.\n"
        "# TYPE fakedns_internet_answers_total counter\n";
    for (const auto &path : paths)
        for (const auto &tier : tiers)
            for (const auto &kind : kinds)
                for (std::size_t type = 0; type < types; type++) {
                    const std::uint64_t value =
                        value_[static_cast<std::size_t>(path.value)][static_cast<std::size_t>(
                            tier.value)][static_cast<std::size_t>(kind.value)][type];
                    if (value != 0)
                        fmt::format_to(std::back_inserter(text),
                                       "fakedns_internet_answers_total{{servers=\"{}\",kind=\"{}\","
                                       "type=\"{}\",path=\"{}\",transport=\"{}\"}} {}\n",
                                       tier.text, kind.text, type_name(type),
                                       path.value == InternetPath::xdp ? "xdp" : "socket",
                                       path.value == InternetPath::tcp ? "tcp" : "udp", value);
                }
    fmt::format_to(std::back_inserter(text),
                   "# HELP fakedns_internet_waiting Answers that are not sent yet.\n"
                   "# TYPE fakedns_internet_waiting gauge\nfakedns_internet_waiting {}\n"
                   "# HELP fakedns_internet_unsent_total Answers that were not sent.\n"
                   "# TYPE fakedns_internet_unsent_total counter\n"
                   "fakedns_internet_unsent_total {}\n",
                   waiting, unsent);
    return text;
}

} // namespace dnsgauge
