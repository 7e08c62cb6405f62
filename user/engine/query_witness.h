// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What somebody else saw of a trial's queries, such as a probe in the server's kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace dnsgauge
{

struct QueryRecord;

// A query's source port and ID, which its reply has, too.
struct PortAndId {
    std::uint16_t port = 0;
    std::uint16_t id = 0;
};

class QueryWitness
{
public:
    virtual ~QueryWitness() = default;

    // Returns the heads of the columns, each after a semicolon.
    [[nodiscard]] virtual std::string heads() const = 0;
    // Takes what was seen since the last call. Is called a thousand times a second or more often,
    // and never while another function runs.
    virtual void look() = 0;
    // Is called when nothing more will be seen.
    virtual void finish() = 0;
    // Takes what the Tester knows of a query. Returns what the witness knows of it, as columns,
    // each after a semicolon; nothing if more may be known after finish(). Is called for each query
    // if there is a per-query file, otherwise only for late queries.
    [[nodiscard]] virtual std::optional<std::string> judge(const QueryRecord &record,
                                                           PortAndId sent) = 0;
};

} // namespace dnsgauge
