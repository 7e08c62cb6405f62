// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Access to a plan's values, by kind: see options/access.h. The plan must outlive the access.
#pragma once

#include "options/access.h"
#include "trial/plan.h"

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace dnsgauge
{

// Each needs a port: all are from one address to one server.
inline constexpr std::uint64_t connections_most = 60'000;

// Declares that the value belongs to the sources whose workloads have the part.
template <class Part>
OptionAccess beside(OptionAccess access)
{
    if constexpr (std::derived_from<NamesWorkload, Part>)
        access.sources.emplace_back("names");
    if constexpr (std::derived_from<MixWorkload, Part>)
        access.sources.emplace_back("a mix");
    if constexpr (std::derived_from<ListWorkload, Part>)
        access.sources.emplace_back("a list");
    if constexpr (std::derived_from<CaptureWorkload, Part>)
        access.sources.emplace_back("a capture");
    if constexpr (std::derived_from<HandshakesWorkload, Part>)
        access.sources.emplace_back("handshakes alone");
    return access;
}

// Returns access to a value of a part of the workload, which `access_to` finds. If the value is set
// to another one than the default, the workload becomes one that has the part.
template <class Part>
OptionAccess of_part(Workload &workload, const std::function<OptionAccess(Part &part)> &access_to)
{
    Part usual;
    OptionAccess access = beside<Part>(access_to(usual));
    access.get = [&workload, access_to] {
        Part none;
        Part *part = part_of<Part>(workload);
        return access_to(part == nullptr ? none : *part).get();
    };
    access.set = [&workload, access_to](const std::string &text, const std::string &name) {
        if (Part *part = part_of<Part>(workload))
            return access_to(*part).set(text, name);
        Part values;
        const OptionAccess given = access_to(values);
        const OptionValue before = given.get();
        given.set(text, name);
        if (given.get() != before)
            access_to(give_part<Part>(workload)).set(text, name);
    };
    return access;
}

// Returns access to a member of a part. `access_to` makes the access to a value.
template <class Part, class Value, class Access>
OptionAccess of(Workload &workload, Value Part::*member, Access access_to)
{
    return of_part<Part>(workload, [=](Part &part) { return access_to(part.*member); });
}

// Return functions that make access to a value, for of().
inline auto whole_of(std::uint64_t least,
                     std::uint64_t most = std::numeric_limits<std::uint64_t>::max())
{
    return [=](auto &value) { return whole(value, least, most); };
}
template <class All>
auto word_of(const All &all)
{
    return [&all](auto &value) { return word(value, all); };
}
template <class Read>
auto read_by(Read read)
{
    return [=](auto &value) { return parsed(value, read); };
}

// A percentage, with at most the digits that verdicts use.
[[nodiscard]] OptionAccess percentage(double &percent);
// The ID or the name of a process.
[[nodiscard]] OptionAccess process(std::optional<std::string> &value);
// The names of the judge's rules, with commas between them.
[[nodiscard]] OptionAccess accepted_rules(std::uint32_t &accepts);
// A text. The value is missing if the text is empty.
[[nodiscard]] OptionAccess text_or_none(std::string &value);
[[nodiscard]] OptionAccess server_port(TrialPlan &plan);
// --connections. The value is missing if each client has a connection.
[[nodiscard]] OptionAccess connections_at_once(TrialPlan &plan);
[[nodiscard]] OptionAccess url_path(std::string &path);
[[nodiscard]] OptionAccess type_shares(std::vector<TypeShare> &value);

} // namespace dnsgauge
