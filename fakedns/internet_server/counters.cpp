// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "internet_server/counters.h"

#include "internet/world_options.h"

#include "dns/query_type.h"
#include "system/words.h"

#include <fmt/format.h>

#include <algorithm>
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

} // namespace

std::uint64_t &InternetCounters::at(InternetPath path, ServerTier tier, WorldAnswerKind kind,
                                    std::size_t type)
{
    const auto of_path = static_cast<std::size_t>(path) * server_tiers;
    const auto of_tier = (of_path + static_cast<std::size_t>(tier)) * world_answer_kinds;
    return value_[(of_tier + static_cast<std::size_t>(kind)) * types + type];
}

void InternetCounters::add(ServerTier tier, const WorldAnswer &answer, InternetPath path)
{
    const auto *const type = std::ranges::find(counted_types, answer.type);
    at(path, tier, answer.kind, static_cast<std::size_t>(type - counted_types.begin()))++;
}

template <class Visit>
void InternetCounters::each(Visit visit) const
{
    const std::uint64_t *value = value_.data();
    for (const auto &path : paths)
        for (const auto &tier : tiers)
            for (const auto &kind : kinds)
                for (std::size_t type = 0; type < types; type++)
                    visit(path, tier, kind, type, *value++);
}

std::string InternetCounters::table() const
{
    std::string text =
        fmt::format("{:<20}{:>12}{:>12}{:>12}{:>12}\n", "", "root", "registry", "other", "total");
    // Adds a row for the counts that match `fits`.
    const auto row = [&](const std::string &name, auto fits) {
        std::array<std::uint64_t, server_tiers> of_tier{};
        each([&](const auto &path, const auto &tier, const auto &kind, std::size_t type,
                 std::uint64_t count) {
            if (fits(path.value, kind.value, type))
                of_tier[static_cast<std::size_t>(tier.value)] += count;
        });
        // "other" also counts queries to addresses that no server has.
        text += fmt::format("{:<20}{:>12}{:>12}{:>12}{:>12}\n", name, of_tier[0], of_tier[1],
                            of_tier[2] + of_tier[3],
                            std::accumulate(of_tier.begin(), of_tier.end(), std::uint64_t{0}));
    };
    for (const auto &word : kinds)
        row(word.text,
            [&](InternetPath, WorldAnswerKind kind, std::size_t) { return kind == word.value; });
    for (std::size_t one = 0; one < types; one++)
        row("type-" + type_name(one),
            [one](InternetPath, WorldAnswerKind, std::size_t type) { return type == one; });
    for (const auto &word : paths)
        row(word.text,
            [&](InternetPath path, WorldAnswerKind, std::size_t) { return path == word.value; });
    text += fmt::format("waiting {}\nunsent {}\n", waiting, unsent);
    return text;
}

std::string InternetCounters::metrics() const
{
    std::string text =
        "# HELP fakedns_internet_answers_total Answers, by the kind of server asked, what they "
        "say, the type asked for, path and transport.\n"
        "# TYPE fakedns_internet_answers_total counter\n";
    each([&](const auto &path, const auto &tier, const auto &kind, std::size_t type,
             std::uint64_t count) {
        if (count != 0)
            text += fmt::format("fakedns_internet_answers_total{{servers=\"{}\",kind=\"{}\","
                                "type=\"{}\",path=\"{}\",transport=\"{}\"}} {}\n",
                                tier.text, kind.text, type_name(type),
                                path.value == InternetPath::xdp ? "xdp" : "socket",
                                path.value == InternetPath::tcp ? "tcp" : "udp", count);
    });
    text += fmt::format("# HELP fakedns_internet_waiting Answers that are not sent yet.\n"
                        "# TYPE fakedns_internet_waiting gauge\nfakedns_internet_waiting {}\n"
                        "# HELP fakedns_internet_unsent_total Answers that were not sent.\n"
                        "# TYPE fakedns_internet_unsent_total counter\n"
                        "fakedns_internet_unsent_total {}\n",
                        waiting, unsent);
    return text;
}

} // namespace dnsgauge
