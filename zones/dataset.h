// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Data sets for authoritative servers: zones like the root, like a top-level domain, or like the
// many small zones of a hoster (after the data sets of Knot DNS' benchmark). Each data set has
// queries that fit it, and tells what is expected of every reply. Everything is made up, and
// follows only from the options and a seed: the same options give the same octets.
#pragma once

#include "dns/zone_name.h"

#include <cstdint>
#include <functional>
#include <string>

namespace dnsgauge
{

enum class DatasetKind {
    root,    // the root: delegations of top-level domains, with glue
    tld,     // one zone with delegations
    hosting, // many zones with the records of a web site and its mail
};

struct DatasetSpec {
    DatasetKind kind = DatasetKind::root;
    ZoneName parent;                 // tld: the zone; hosting: the domain above the zones
    std::uint64_t names = 1'500;     // delegations, or zones
    std::uint64_t queries = 100'000; // lines of the list
    unsigned ds_share = 90;          // percent of the delegations with DS records
    unsigned nxdomain_share = 30;    // percent of the queries whose names do not exist
    unsigned dnssec_ok_share = 80;   // percent of the queries with DO
    std::uint64_t seed = 1;
    bool is_signed = false; // replies to queries with DO have signatures
};

inline constexpr std::uint64_t dataset_names_most = 100'000'000;

// Returns the label of the delegation or zone `index`. It consists of syllables, differs for each
// index, and does not depend on the seed. Every label begins with a consonant.
[[nodiscard]] std::string dataset_label(std::uint64_t index, std::uint64_t names);

// Returns how many zones the data set has.
[[nodiscard]] std::uint64_t zones_of(const DatasetSpec &spec);

// Returns the name of a zone of the data set, with the last dot.
[[nodiscard]] std::string zone_name_of(const DatasetSpec &spec, std::uint64_t zone);

// Gets text piece by piece.
using TextSink = std::function<void(const std::string &)>;

// Gives the zone to `sink` as a zone file (RFC 1035 section 5).
void put_zone(const DatasetSpec &spec, std::uint64_t zone, const TextSink &sink);

// Gives the queries to `sink` as a list that "dnsgauge trial --queries" reads. Each line tells
// which RCODE and how many answers the reply must have, and whether it must be authoritative.
void put_queries(const DatasetSpec &spec, const TextSink &sink);

} // namespace dnsgauge
