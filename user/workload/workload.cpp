// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "workload/workload.h"

#include "system/overloaded.h"
#include "workload/captured_queries.h"
#include "workload/mixed_queries.h"
#include "workload/query_list.h"
#include "workload/query_message.h"

namespace dnsgauge
{

namespace
{

// Returns what replies must be; nothing if the captures tell.
std::optional<std::uint32_t> wants_of(Expect expect)
{
    switch (expect) {
    case Expect::answered:
        return WANTS_ANY_RCODE;
    case Expect::useful:
        return WANTS_USEFUL;
    case Expect::captured:
        break;
    }
    return std::nullopt;
}

CaseWish case_wish(const Workload &workload)
{
    const LetterSummary letters = letters_of(workload);
    return {.exact = letters.letter_case == LetterCase::exact, .seed = letters.seed};
}

template <class Queries>
MessageFormat format_of(const Queries &queries, std::uint32_t wants, CaseWish letters)
{
    return {queries, queries.edns, wants, letters};
}

QueryMix query_mix(const MixWorkload &mix)
{
    QueryMix made{.zone = mix.zone,
                  .names = mix.names,
                  .aaaa_share = mix.aaaa_share.value_or(100),
                  .dnssec_ok = mix.with_do,
                  .nxdomain = mix.nxdomain,
                  .is_signed = mix.is_signed,
                  .types = mix.types};
    if (made.types.empty())
        made.types = {{.type = query_type_text(mix.qtype), .percent = 100}};
    return made;
}

} // namespace

std::vector<QueryFile> files_of(const Workload &workload)
{
    std::vector<QueryFile> files;
    if (const auto *list = part_of<ListWorkload>(workload))
        files.push_back({.option = "--queries", .path = list->file});
    if (const auto *capture = part_of<CaptureWorkload>(workload))
        for (const std::string &path : capture->files)
            files.push_back({.option = "--capture", .path = path});
    return files;
}

void load(Workload &workload, Nanoseconds duration, bool without_data)
{
    const std::optional<std::uint32_t> wants = wants_of(expectation_of(workload));
    const CaseWish letters = case_wish(workload);
    std::visit(Overloaded{[](NamesWorkload & /*names*/) {},
                          [&](MixWorkload &mix) {
                              if (!mix.queries)
                                  mix.queries = std::make_shared<const MixedQueries>(
                                      query_mix(mix), format_of(mix, WANTS_USEFUL, letters));
                          },
                          [&](ListWorkload &list) {
                              if (list.queries)
                                  return;
                              QueryList read = read_query_list(
                                  list.file,
                                  format_of(list, wants.value_or(WANTS_USEFUL), letters));
                              if (list.shuffle_seed)
                                  read.shuffle(*list.shuffle_seed);
                              list.queries = std::make_shared<const QueryList>(std::move(read));
                          },
                          [&](CaptureWorkload &capture) {
                              if (capture.queries)
                                  return;
                              ReplayWish wish = capture;
                              wish.edns_options = capture.edns;
                              wish.letters = letters;
                              wish.without_data = without_data;
                              capture.queries =
                                  std::make_shared<const CapturedQueries>(wish, duration, wants);
                          },
                          [](HandshakesWorkload & /*none*/) {}},
               workload);
}

Expect expectation_of(const Workload &workload)
{
    const auto *wish = part_of<ReplyWish>(workload);
    return wish == nullptr ? Expect::useful : wish->expect.value_or(Expect::useful);
}

LetterSummary letters_of(const Workload &workload)
{
    LetterSummary letters;
    if (const auto *wish = part_of<ReplyWish>(workload); wish != nullptr && wish->case_seed)
        letters = {.letter_case = LetterCase::exact, .seed = wish->case_seed};
    if (const auto *wish = part_of<MessageWish>(workload))
        letters.letter_case = wish->letter_case.value_or(letters.letter_case);
    return letters;
}

NameFormat name_format(const NamesWorkload &names)
{
    return {names, names.zone, names.qtype};
}

NameKey key_of(const ZoneNames &names, const scatter_key &order)
{
    return names.name_order == NameOrder::random ? NameKey(order) : NameKey();
}

std::uint64_t names_for(const Workload &workload, std::uint64_t queries)
{
    if (const auto *names = part_of<NamesWorkload>(workload))
        return names->cached.names_for(queries);
    return part_of<ZoneNames>(workload) == nullptr ? 0 : queries;
}

} // namespace dnsgauge
