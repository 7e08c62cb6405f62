// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "probe/probe_log.h"

#include "dns/ip_address.h"
#include "system/privileges.h"
#include "system/setup_error.h"

#include <bpf/libbpf.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <span>
#include <utility>

namespace dnsgauge
{

namespace
{

constexpr std::size_t text_most = 1U << 16U; // octets that wait for one write

} // namespace

bool has_stages(const probe_record &record)
{
    // The largest value stands for a time that is too long for the slot.
    return record.left_ns != 0 && record.left_ns < std::numeric_limits<std::uint32_t>::max() &&
           record.slot.read_ns != 0;
}

// Returns whether the probe saw when the reply came to the interface's queue. A sample does not.
static bool has_leave(const probe_record &record)
{
    return record.slot.replied_ns != 0;
}

// Returns whether the probe saw when the server's socket had the query.
static bool has_stack(const probe_record &record)
{
    return record.slot.queued_ns != 0;
}

static bool has_wakeup(const probe_record &record)
{
    return record.slot.wakeup_ns != PROBE_UNTOLD;
}

std::array<std::uint64_t, 5> stage_times(const probe_record &record)
{
    const probe_slot &slot = record.slot;
    const std::uint64_t replied_ns = has_leave(record) ? slot.replied_ns : record.left_ns;
    const std::uint64_t wakeup_ns = has_wakeup(record) ? slot.wakeup_ns : 0;
    const std::uint64_t waited_ns = slot.read_ns - wakeup_ns;
    const std::uint64_t stack_ns = std::min<std::uint64_t>(slot.queued_ns, waited_ns);
    return {stack_ns, waited_ns - stack_ns, wakeup_ns, replied_ns - slot.read_ns,
            record.left_ns - replied_ns};
}

std::string columns_of(const probe_record &record, const ReasonName &reason_name)
{
    std::string fate = "unanswered";
    if (record.left_ns != 0)
        fate = "left";
    else if (record.reason != 0)
        fate = reason_name(record.reason);
    else if (record.slot.read_ns == 0)
        fate = "unread";
    else if (record.slot.dropped != 0)
        fate = "reply_" + reason_name(record.slot.dropped);
    const auto told = [](bool is_known, std::uint64_t time) {
        return is_known ? std::to_string(time) : std::string();
    };
    const std::string wire = told(record.slot.wire_ns != 0, record.slot.wire_ns);
    if (!has_stages(record))
        return fmt::format("{};{};;;;;", fate, wire);
    const auto [stack, queue, wakeup, server, leave] = stage_times(record);
    return fmt::format("{};{};{};{};{};{};{}", fate, wire, told(has_stack(record), stack), queue,
                       told(has_wakeup(record), wakeup), server, told(has_leave(record), leave));
}

std::string log_line(const probe_record &record, std::uint64_t start_ns,
                     const ReasonName &reason_name)
{
    const std::span head(record.head);
    const bool is_reply = record.left_ns != 0;
    const bool is_ipv6 = head[0] >> 4U == 6;
    const std::size_t udp = is_ipv6 ? PACKET_IPV6_SIZE : PACKET_IPV4_SIZE;
    const std::size_t address = is_ipv6    ? (is_reply ? PACKET_IPV6_TARGET : PACKET_IPV6_SOURCE)
                                : is_reply ? PACKET_IPV4_TARGET
                                           : PACKET_IPV4_SOURCE;
    const probe_slot &slot = record.slot;
    return fmt::format("{};{};{};{};{}\n", slot.arrived_ns - start_ns,
                       to_string(IpAddress::of(head.subspan(address, is_ipv6 ? 16 : 4))),
                       wire_get16(&head[udp + (is_reply ? PACKET_UDP_TARGET : 0)]),
                       wire_get16(&head[udp + PACKET_UDP_SIZE]), columns_of(record, reason_name));
}

ProbeLog::ProbeLog(const std::string &path)
    : file_(path, "--per-query"),
      text_(fmt::format("arrived_ns;client;port;id;{}\n", probe_columns)),
      ring_(nullptr, ring_buffer__free)
{
}

ProbeLog::~ProbeLog() = default;

void ProbeLog::start(int ring_fd, std::uint64_t start_ns, ReasonName reason_name)
{
    start_ns_ = start_ns;
    reason_name_ = std::move(reason_name);
    ring_.reset(ring_buffer__new(ring_fd, take, this, nullptr));
    if (!ring_)
        throw_errno("cannot read the probe's log");
    writer_ = std::jthread([this](const std::stop_token &stop) { run(stop); });
}

void ProbeLog::finish()
{
    writer_ = {};
    ring_buffer__consume(ring_.get());
    if (!error_.empty())
        throw SetupError(error_);
    file_.commit(text_);
}

int ProbeLog::take(void *log, void *data, std::size_t /*size*/)
{
    auto &mine = *static_cast<ProbeLog *>(log);
    const auto &record = *static_cast<const probe_record *>(data);
    // A record without a packet does not name the client.
    if (record.head[0] == 0)
        return 0;
    mine.text_ += log_line(record, mine.start_ns_, mine.reason_name_);
    if (mine.text_.size() >= text_most)
        mine.write_text();
    return 0;
}

// After a failure nothing more is written: the file is left whole or not at all.
void ProbeLog::write_text()
{
    if (error_.empty()) {
        try {
            file_.write(text_);
        } catch (const SetupError &error) {
            error_ = error.what();
        }
    }
    text_.clear();
}

void ProbeLog::run(const std::stop_token &stop)
{
    try {
        drop_privileges();
    } catch (const SetupError &error) {
        error_ = error.what();
        return;
    }
    while (!stop.stop_requested())
        if (ring_buffer__consume(ring_.get()) == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

} // namespace dnsgauge
