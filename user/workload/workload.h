// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What a trial asks: names of a test zone, a mix of queries for such names, a list, captures, or
// nothing but connections.
// Each workload has its own parameters. Parameters that several workloads have are a part, such as
// ZoneNames.
#pragma once

#include "dns/ip_prefix.h"
#include "dns/name_range.h"
#include "dns/pref64_text.h"
#include "dns/query_type.h"
#include "dns/zone_name.h"
#include "result/trial_result.h"
#include "units/rate.h"
#include "workload/edns_options.h"
#include "workload/name_walk.h"
#include "workload/query_message.h"

#include "wire/dns.h"

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace dnsgauge
{

class CapturedQueries;
class MixedQueries;
class QueryList;

struct ReplayWish {
    std::vector<std::string> files;  // none if nothing is played
    std::uint16_t port = 53;         // of the servers in the captures
    std::optional<IpAddress> server; // only its queries are played; any server's if unset
    // The prefix in which each client gets an address of its own, from the second address on. If
    // unset, all queries leave from the Tester's address.
    std::optional<IpPrefix> clients;
    double speed = 1;
    // The number of captures that are played at once, all from their beginnings. Fewer files are
    // cut into as many slices of equal length, and each slice has clients of its own. 0 plays the
    // files as they are.
    std::uint32_t load_factor = 0;
    // The captures are cut into this number of slices, as for a load factor of that number.
    // `load_factor` of them are played, from `first_slice` (from 0) on; the first slice follows the
    // last. A slice has the same clients, whichever others are played. 0 plays all slices.
    std::uint32_t slices = 0;
    std::uint32_t first_slice = 0;
    Nanoseconds skip{};         // of each capture's beginning
    EdnsOptions edns_options{}; // that queries have besides
    CaseWish letters{};         // of the queries' names
    bool without_data = false;  // replies may have other data than the capture's own answers

    [[nodiscard]] bool is_wanted() const { return !files.empty(); }
};

struct ZoneNames {
    ZoneName zone = parse_zone_name("dns64perf.test");
    NameRange names{.first = 0, .count = 0};
    NameOrder name_order = NameOrder::ascending;
    bool allow_repeats = false;
    std::uint16_t qtype = DNS_TYPE_AAAA;
    bool any_answer = false; // any record of the right type is right
    // Percent of the names for which AuthDNS, or a mix's server, has an AAAA record. The default is
    // 0, and 100 for a mix.
    std::optional<unsigned> aaaa_share;
};

struct MessageWish {
    EdnsOptions edns;
    // Whether replies must repeat the letters' case. By default letters that case_seed mixes must
    // be repeated.
    std::optional<LetterCase> letter_case;
};

struct ReplyWish {
    std::optional<Expect> expect;           // by default useful
    std::optional<std::uint64_t> case_seed; // mixes the letters of the queries' names
};

// Queries for names that exist, all of one type.
struct NamesWorkload : ZoneNames, QueryHeader {
    CachedShare cached; // share of the queries that ask for the first of the names
    pref64 aaaa_prefix = parse_pref64("2001:db8::/96"); // of the data of AuthDNS' AAAA records
};

// Exact shares of the queries: see dns/query_mix.h.
struct MixShares {
    unsigned with_do = 0; // percent of the queries; likewise the next one
    unsigned nxdomain = 0;
    std::vector<TypeShare> types{}; // if none, all queries are of the names' type
    bool is_signed = false;         // the zone
};

struct MixWorkload : ZoneNames, QueryHeader, MessageWish, MixShares {
    std::shared_ptr<const MixedQueries> queries; // load() makes them, whatever their names
};

// A file of queries, which are asked over and over.
struct ListWorkload : QueryHeader, MessageWish, ReplyWish {
    std::string file;
    std::optional<std::uint64_t> shuffle_seed;
    std::shared_ptr<const QueryList> queries; // load() reads them
};

struct CaptureWorkload : ReplayWish, MessageWish, ReplyWish {
    std::shared_ptr<const CapturedQueries> queries; // load() reads them
};

// Connections that are opened and closed, and carry no query. Each takes a query's place.
struct HandshakesWorkload {
    bool is_wanted = false; // true, once somebody asks for them
};

using Workload =
    std::variant<NamesWorkload, MixWorkload, ListWorkload, CaptureWorkload, HandshakesWorkload>;

// Returns the part of the workload, or the workload itself; null if it is another workload, or
// lacks the part. `Any` is a Workload, which may be const.
template <class Part, class Any>
[[nodiscard]] auto part_of(Any &workload)
{
    using Found = std::conditional_t<std::is_const_v<Any>, const Part, Part>;
    return std::visit(
        [](auto &source) -> Found * {
            if constexpr (std::derived_from<std::remove_reference_t<decltype(source)>, Part>)
                return &source;
            else
                return nullptr;
        },
        workload);
}

template <class Part, class To>
void copy_part(To &to, const Workload &from)
{
    if constexpr (std::derived_from<To, Part>)
        if (const Part *part = part_of<Part>(from))
            static_cast<Part &>(to) = *part;
}

// Makes the workload the first of `To`, `Others`... that has the part. Parts that both workloads
// have stay as they are.
template <class Part, class To, class... Others>
Part &change_for(Workload &workload)
{
    if constexpr (std::derived_from<To, Part>) {
        To made;
        copy_part<ZoneNames>(made, workload);
        copy_part<QueryHeader>(made, workload);
        copy_part<MessageWish>(made, workload);
        copy_part<ReplyWish>(made, workload);
        return workload.emplace<To>(std::move(made));
    } else {
        return change_for<Part, Others...>(workload);
    }
}

// Returns the part of the workload, which changes into one that has the part if it lacks the part.
template <class Part>
Part &give_part(Workload &workload)
{
    if (Part *part = part_of<Part>(workload))
        return *part;
    return change_for<Part, NamesWorkload, MixWorkload, ListWorkload, CaptureWorkload,
                      HandshakesWorkload>(workload);
}

// A file with queries, and the option that names it.
struct QueryFile {
    const char *option;
    std::string path;
};

// Returns the files that the queries are read from.
[[nodiscard]] std::vector<QueryFile> files_of(const Workload &workload);

// Makes a mix, or reads a list or captures, unless that was done. `duration` is the captures'
// longest duration. `without_data`: replies may have other data than the captures' own answers.
// Throws SetupError.
void load(Workload &workload, Nanoseconds duration, bool without_data);

// Returns what replies to a list or captures must be.
[[nodiscard]] Expect expectation_of(const Workload &workload);

// Returns how letters are sent, and whether replies must repeat their case.
[[nodiscard]] LetterSummary letters_of(const Workload &workload);

[[nodiscard]] NameFormat name_format(const NamesWorkload &names);

// Returns the key of the names' order. `order` is random, and the same for all Testers.
[[nodiscard]] NameKey key_of(const ZoneNames &names, const scatter_key &order);

// Returns how many names the first `queries` queries ask for; 0 if names are not the workload's.
[[nodiscard]] std::uint64_t names_for(const Workload &workload, std::uint64_t queries);

} // namespace dnsgauge
