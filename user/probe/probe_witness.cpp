// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "probe/probe_witness.h"

#include "engine/query_log.h"
#include "system/setup_error.h"

#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace dnsgauge
{

namespace
{

// In the order of stage_times().
constexpr std::array late_stages{&LatePlaces::stack, &LatePlaces::queue, &LatePlaces::wakeup,
                                 &LatePlaces::server, &LatePlaces::leave};

std::uint32_t key_of(std::uint16_t port, std::uint64_t id)
{
    return std::uint32_t{port} << 16U | static_cast<std::uint16_t>(id);
}

} // namespace

ProbeWitness::ProbeWitness(std::uint32_t share, bool logs_all, Nanoseconds timeout,
                           OpenQueries open_queries, ReasonName reason_name)
    : share_(share), logs_all_(logs_all),
      arrival_most_(2 * static_cast<std::uint64_t>(timeout.count())),
      open_queries_(std::move(open_queries)), reason_name_(std::move(reason_name)),
      ring_(nullptr, ring_buffer__free)
{
}

ProbeWitness::~ProbeWitness() = default;

void ProbeWitness::start(int ring_fd)
{
    const auto take_one = [](void *witness, void *data, std::size_t) {
        static_cast<ProbeWitness *>(witness)->take(*static_cast<const probe_record *>(data));
        return 0;
    };
    ring_.reset(ring_buffer__new(ring_fd, take_one, this, nullptr));
    if (!ring_)
        throw_errno("cannot read the probe's log");
}

void ProbeWitness::take(const probe_record &record)
{
    // A query that lost its place before it was read has nothing to tell.
    if (record.left_ns != 0 || record.reason != 0 || record.slot.read_ns != 0)
        seen_.emplace(key_of(record.slot.port, record.slot.tag), record);
}

std::string ProbeWitness::heads() const
{
    return fmt::format(";{}", probe_columns);
}

void ProbeWitness::look()
{
    ring_buffer__consume(ring_.get());
}

// A query that is still open at the end has no record: the table of open queries has it.
std::optional<probe_record> ProbeWitness::known_of(const QueryRecord &record, PortAndId sent)
{
    const auto is_its = [&](const probe_slot &slot) {
        return slot.arrived_ns - record.sent_ns <= arrival_most_;
    };
    const auto [first, last] = seen_.equal_range(key_of(sent.port, sent.id));
    const auto found =
        std::find_if(first, last, [&](const auto &one) { return is_its(one.second.slot); });
    if (found != last) {
        const probe_record known = found->second;
        seen_.erase(found);
        return known;
    }
    if (has_all_)
        for (const probe_slot &slot : open_queries_(sent.id).slot)
            if (slot.tag != 0 && slot.port == sent.port && is_its(slot))
                return probe_record{.slot = slot, .left_ns = 0, .reason = 0, .head = {}};
    return std::nullopt;
}

// A late query without a record was in no stage for long, unless all queries are logged: then its
// record was lost, and nothing is known of it.
void ProbeWitness::place(std::uint64_t rtt_ns, const std::optional<probe_record> &known)
{
    if (!known && !logs_all_)
        late_.way++;
    if (!known || !has_stages(*known))
        return;
    const auto times = stage_times(*known);
    const auto longest = static_cast<std::size_t>(std::ranges::max_element(times) - times.begin());
    const std::uint64_t way = rtt_ns - std::min<std::uint64_t>(rtt_ns, known->left_ns);
    late_.*(way > times.at(longest) ? &LatePlaces::way : late_stages.at(longest)) += 1;
}

std::optional<std::string> ProbeWitness::judge(const QueryRecord &record, PortAndId sent)
{
    const bool is_followed = probe_follows(share_, sent.id) != 0;
    const auto known = is_followed ? known_of(record, sent) : std::nullopt;
    if (is_followed && !known && logs_all_ && !has_all_)
        return std::nullopt;
    if (is_followed && record.state == QUERY_LATE)
        place(record.rtt_ns, known);
    return ';' + (known ? columns_of(*known, reason_name_) : no_probe_columns);
}

} // namespace dnsgauge
