// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "queries/capture_stats.h"

#include "queries/message_filter.h"
#include "system/setup_error.h"

#include <algorithm>
#include <functional>

namespace dnsgauge
{

namespace
{

void add_size(CaptureStats::Sizes &sizes, std::uint64_t octets)
{
    sizes.least = sizes.count++ == 0 ? octets : std::min(sizes.least, octets);
    sizes.most = std::max(sizes.most, octets);
    sizes.sum += octets;
}

} // namespace

void BoundedCounts::add(const std::string &text)
{
    const auto found = counts_.find(text);
    if (found != counts_.end())
        found->second++;
    else if (counts_.size() < most)
        counts_.emplace(text, 1);
    else
        uncounted_++;
}

std::vector<std::pair<std::string, std::uint64_t>>
BoundedCounts::most_frequent(std::size_t wanted) const
{
    std::vector<std::pair<std::string, std::uint64_t>> all(counts_.begin(), counts_.end());
    wanted = std::min(wanted, all.size());
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(wanted);
    std::partial_sort(all.begin(), end, all.end(), [](const auto &a, const auto &b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    all.erase(end, all.end());
    return all;
}

void CaptureStats::add(const CapturedMessage &message)
{
    const bool is_first = queries + answers == 0;
    begin_ns_ = is_first ? message.time_ns : begin_ns_;
    first_ns = is_first ? message.time_ns : std::min(first_ns, message.time_ns);
    last_ns = is_first ? message.time_ns : std::max(last_ns, message.time_ns);
    Interval &interval = interval_of(message.time_ns);
    if (message.is_answer()) {
        add_size(answer_octets, message.message.size());
        answers++;
        interval.answers++;
        rcodes.at(dns_rcode_count(message.rcode()))++;
    } else {
        add_size(query_octets, message.message.size());
        queries++;
        interval.queries++;
        add_query(message);
    }
}

CaptureStats::Interval &CaptureStats::interval_of(std::int64_t time_ns)
{
    const std::int64_t length = interval_.count();
    const std::int64_t since_begin = time_ns - begin_ns_;
    // Rounds down, also below zero.
    const std::int64_t number = since_begin / length - (since_begin % length < 0 ? 1 : 0);
    Interval &interval = intervals_[number];
    const std::int64_t spanned = intervals_.rbegin()->first - intervals_.begin()->first;
    if (spanned >= static_cast<std::int64_t>(intervals_most))
        throw SetupError("the messages span more than {} intervals of {} s: use a "
                         "longer --interval, or leave some out by --since and --until",
                         intervals_most, seconds(interval_));
    return interval;
}

void CaptureStats::add_query(const CapturedMessage &message)
{
    const unsigned flags = wire_get16(message.message.data() + 2);
    opcodes[(flags & DNS_OPCODE) >> 11U]++;
    recursion_desired += (flags & DNS_RD) != 0 ? 1U : 0U;
    const auto client = message.source.address.octets();
    clients.add({client.begin(), client.end()});
    const std::optional<Question> question = question_of(message.message);
    if (!question) {
        unreadable++;
        return;
    }
    types[question->type]++;
    const std::string name = folded(question->name);
    names.add(name);
    const std::uint64_t hash = std::hash<std::string>()(name) + question->type;
    doubled += recent_.has(message, hash) ? 1U : 0U;
    dns_query query{};
    if (dns_read_query(reading_cursor(message.message), 0, &query) == DNS_QUERY_GOOD) {
        edns += query.has_edns;
        dnssec_ok += query.has_edns != 0 && query.dnssec_ok != 0 ? 1U : 0U;
    }
}

std::optional<double> CaptureStats::rate() const
{
    if (duration() <= Nanoseconds::zero())
        return {};
    return static_cast<double>(queries) / seconds(duration());
}

std::vector<CaptureStats::Moment> CaptureStats::over_time() const
{
    std::vector<Moment> moments;
    if (intervals_.empty())
        return moments;
    const std::int64_t length = interval_.count();
    std::int64_t number = intervals_.begin()->first;
    for (const auto &[own, counts] : intervals_)
        for (; number <= own; number++) {
            const std::int64_t begin = begin_ns_ + number * length;
            const std::int64_t since = std::max(begin, first_ns);
            moments.push_back({.since_ns = since,
                               .covered = Nanoseconds{std::min(begin + length, last_ns) - since},
                               .counts = number == own ? counts : Interval{}});
        }
    return moments;
}

} // namespace dnsgauge
