// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/probe_text.h"

#include "system/counted.h"
#include "system/listed.h"
#include "text/lines.h"

#include <algorithm>
#include <span>

namespace dnsgauge
{

namespace
{

constexpr std::size_t threads_told = 8;

void add_fate(Lines &lines, const char *name, std::uint64_t count, std::uint64_t all,
              const std::string &why)
{
    if (count != 0)
        lines.row(name, "{:>12}   {} %   {}", count, percent_text(count, all), why);
}

void add_times(Lines &lines, const char *name, const StageTimes &times, const char *meaning)
{
    lines.row(name, "{:>10} {:>10} {:>10} {:>10} {:>10}   {}", duration(times.mean),
              duration(times.p50), duration(times.p90), duration(times.p99), duration(times.max),
              meaning);
}

// `rtt`: see add_probe().
void add_stages(Lines &lines, const ProbeResult &probe, const RttSummary *rtt)
{
    if (probe.server.count == 0)
        return;
    lines.row("", "{:>10} {:>10} {:>10} {:>10} {:>10}", "mean", "median", "p90", "p99", "max");
    if (probe.wire && probe.wire->count != 0)
        add_times(lines, "wire", *probe.wire,
                  "from the interface's first sight to the network stack's, for all that arrived");
    for (const Stage &stage : stages)
        if ((probe.*stage.times).count != 0)
            add_times(lines, stage.label, probe.*stage.times, stage.meaning);
    if (probe.share_percent < 100)
        lines.row("", "a sample does not tell `stack` and `leave`: `queue` includes the way to the "
                      "socket, and `server` the way to the interface's driver");
    else if (probe.stack.count != 0 && probe.stack.count != probe.queue.count)
        lines.row("",
                  "`stack` lacks {} whose arrival in the socket nobody saw: `queue` includes it",
                  counted(probe.queue.count - std::min(probe.queue.count, probe.stack.count),
                          "query", "queries"));
    if (!rtt || rtt->count != probe.server.count)
        return;
    double rest = rtt->mean;
    for (const Stage &stage : stages) {
        const StageTimes &times = probe.*stage.times;
        rest -=
            times.mean * static_cast<double>(times.count) / static_cast<double>(probe.server.count);
    }
    if (rest >= 0)
        lines.row("rest", "{:>10} {:>45}of the mean RTT: the way to and fro{}, and the Tester",
                  duration(rest), "", probe.wire ? ", which includes `wire`" : "");
}

void add_questions(Lines &lines, const ProbeResult &probe)
{
    if (probe.asked == 0)
        return;
    // A resolver may ask of its own accord while nobody asks it.
    lines.row("asked", "{:>12}   questions to other servers{}; {} had no answer", probe.asked,
              probe.followed == 0
                  ? ""
                  : fmt::format(", {:.2f} per query", static_cast<double>(probe.asked) /
                                                          static_cast<double>(probe.followed)),
              probe.asked - std::min(probe.asked, probe.others.count));
    if (probe.others.count != 0)
        add_times(lines, "others", probe.others, "from such a question until its answer arrived");
    if (probe.alone.count != 0)
        add_times(lines, "alone", probe.alone,
                  fmt::format("`server` of {}, during which no other server's answer came",
                              counted(probe.alone.count, "query", "queries"))
                      .c_str());
}

// Returns a line about the thread. Figures for each query of a sample are scaled to all queries
// that arrived. A sample does not tell how many queries a call read.
std::string thread_text(const ProbedThread &thread, const ProbeResult &probe)
{
    const bool is_sample = probe.share_percent < 100;
    const double queries = arrived_per_followed(probe) *
                           static_cast<double>(std::max<std::uint64_t>(thread.queries, 1));
    std::string text = fmt::format("{} ({}): {}", thread.name, thread.thread,
                                   counted(thread.queries, is_sample ? "followed query" : "query",
                                           is_sample ? "followed queries" : "queries"));
    if (thread.has_times)
        text += fmt::format(", {} of CPU each",
                            duration(static_cast<double>(thread.ran.count()) / queries));
    if (thread.calls != 0 && !is_sample)
        text += fmt::format(", {:.1f} read per call", queries / static_cast<double>(thread.calls));
    if (thread.has_times)
        text += fmt::format(
            ", {}, {} without a CPU, {}",
            thread.wakeups == 0 ? "never asleep"
                                : fmt::format("{:.1f} read per wake-up",
                                              queries / static_cast<double>(thread.wakeups)),
            duration(thread.waited.count()), counted(thread.migrations, "migration"));
    return text;
}

// Says which part of an address's queries each socket had.
std::string sharing_text(const SharedAddress &shared, const ProbeResult &probe)
{
    // If this is false, a socket without reads may have had queries.
    const bool is_steering = probe.unread == 0 && probe.sockets.empty();
    const std::size_t told = std::min(shared.sockets.size() - shared.idle, threads_told);
    const std::string parts = joined(
        std::span(shared.sockets).first(told),
        [&](const SharingSocket &socket) {
            return fmt::format("{:.1f} % {} ({})",
                               100 * static_cast<double>(socket.queries) /
                                   static_cast<double>(shared.queries),
                               socket.reader, socket.thread);
        },
        ", ");
    return fmt::format(
        "{} share {}; of the queries read there: {}{}{}", shared.sockets.size(), shared.address,
        parts, told + shared.idle == shared.sockets.size() ? "" : ", and others",
        shared.idle == 0
            ? ""
            : fmt::format("; none from {}{}", counted(shared.idle, "socket"),
                          is_steering ? ": the kernel chooses a socket by the client's address and "
                                        "port, so ask from more ports"
                                      : ""));
}

} // namespace

void add_probe(Lines &lines, const ProbeResult &probe, const RttSummary *rtt)
{
    lines.row("arrived", "{:>12}   queries at port {} of {} in {}", probe.arrived, probe.port,
              probe.interface, duration(probe.duration.count()));
    if (!probe.lacks.empty())
        lines.row("kernel", "lacks {}", lacks_text(probe));
    if (probe.taken + probe.refused != 0)
        lines.row("AF_XDP",
                  "{:>12}   packets before these; {} found no room in the server's socket",
                  probe.taken + probe.refused, probe.refused);
    if (probe.xdp_sent + probe.xdp_dropped != 0)
        lines.row("XDP",
                  "{:>12}   packets before these that a program sent back; {} were dropped on the "
                  "way out",
                  probe.xdp_sent + probe.xdp_dropped, probe.xdp_dropped);
    if (!probe.interface_drops.empty())
        lines.row("interface", "lost received packets, which need not be queries: {}",
                  joined(probe.interface_drops, [](const auto &counter) {
                      return fmt::format("{} {}", counter.first, counter.second);
                  }));
    if (probe.followed != probe.arrived)
        lines.row("followed", "{:>12}   {} %", probe.followed,
                  percent_text(probe.followed, probe.arrived));
    for (const auto &[reason, count] : probe.dropped)
        add_fate(lines, "dropped", count, probe.followed, reason_text(reason));
    const std::string or_dropped =
        tells(probe, Telling::drops) ? "" : ", or the kernel dropped a packet";
    add_fate(lines, "unread", probe.unread, probe.followed, "no server has read them" + or_dropped);
    add_fate(lines, "unanswered", probe.unanswered, probe.followed,
             "a server read them, and no reply left" + or_dropped);
    for (const auto &[reason, count] : probe.dropped_replies)
        add_fate(lines, "dropped", count, probe.followed, "replies: " + reason_text(reason));
    add_fate(lines, "unknown", probe.forgotten + probe.repeated, probe.followed,
             "the table was full, or the same query came twice");
    lines.row("left", "{:>12}   {} %   a reply reached the driver", probe.left,
              percent_text(probe.left, probe.followed));
    add_fate(lines, "unseen", probe.unseen, probe.followed,
             "of these, nobody saw how the server read them, so the stages lack them");
    add_fate(lines, "unlogged", probe.unlogged, probe.followed,
             "the --per-query file lacks them: it was written too slowly");
    add_stages(lines, probe, rtt);
    add_questions(lines, probe);
    for (std::size_t i = 0; i < std::min(probe.threads.size(), threads_told); i++)
        lines.row("thread", "{}", thread_text(probe.threads[i], probe));
    for (const SharedAddress &shared : shared_addresses(probe))
        lines.row("sockets", "{}", sharing_text(shared, probe));
    for (const ProbedSocket &socket : probe.sockets)
        lines.row("full socket", "of {}: {} dropped, buffer of {} octets{}", owner_text(socket),
                  socket.drops, socket.buffer,
                  socket.waiting == 0 ? ""
                                      : fmt::format(", in which up to {} waited",
                                                    counted(socket.waiting, "datagram")));
}

std::string to_text(const ProbeResult &probe)
{
    Lines lines;
    add_probe(lines, probe, nullptr);
    return lines.take();
}

} // namespace dnsgauge
