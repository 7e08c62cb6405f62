// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "record/probe_fields.h"

#include "record/json_text.h"
#include "record/trial_fields.h"

#include <fmt/format.h>

#include <compare>

namespace dnsgauge
{

static void fields(Fields &row, StageTimes &times)
{
    const FieldForm form{.is_null = times.count == 0};
    row("count", times.count, "the queries behind these figures");
    row("mean", times.mean, "the mean, exact", form);
    rows_of_percentiles(row, times, form);
    row("max", times.max, "the longest time, exact", form);
    row("histogram", times.histogram, histogram_text);
}

static void fields(Fields &row, AlikeQueries &alike)
{
    row("queries", alike.queries, "the number of these queries", {.least = 1});
    for (std::size_t i = 0; i < stages.size(); i++)
        row(stages[i].key, alike.sums[i], "the sum of this stage over these queries, nanoseconds");
}

static void fields(Fields &row, LatePlaces &places)
{
    for (const LatePlace &place : late_places)
        row(place.key, places.*place.count, place.meaning,
            place.count == &LatePlaces::stack ? newer : FieldForm{});
}

static void fields(Fields &row, ProbedThread &thread)
{
    row("process", thread.process, "the number of the process");
    row("thread", thread.thread, "the number of the thread");
    row("name", thread.name, "the name of the thread, as the kernel has it");
    row("queries", thread.queries, "followed queries that the thread read");
    row("calls", thread.calls, "system calls by which the thread read these", newer);
    if (row.reads())
        thread.has_times = row.json().contains("ran_ns");
    row.only_if(thread.has_times);
    row("wakeups", thread.wakeups, "times that the thread slept and was woken");
    row("migrations", thread.migrations, "times that the thread got another CPU than before");
    row("ran_ns", thread.ran, "nanoseconds that the thread ran, from its first read on");
    row("waited_ns", thread.waited, "nanoseconds that the thread was ready, and had no CPU");
    row.always();
}

static void fields(Fields &row, ProbedSocket &socket)
{
    row("inode", socket.inode, "the socket's inode, as /proc/PID/fd has it");
    row("process", socket.process, "the number of the process that has the socket; 0: unknown");
    row("name", socket.name, "the name of the process");
    row("thread", socket.thread,
        "the number of the thread that read followed queries from the socket; 0: unknown", newer);
    row("reader", socket.reader, "the name of this thread", newer);
    row("drops", socket.drops, "datagrams that found the socket's buffer full");
    row("buffer_octets", socket.buffer, "the size of the buffer, as the kernel counts it");
    row("waiting", socket.waiting,
        "datagrams that waited in the socket when it dropped one, at most", newer);
}

static void fields(Fields &row, SharingSocket &socket)
{
    row("address", socket.address, "the address that the socket is bound to");
    row("inode", socket.inode, "the socket's inode, as /proc/PID/fd has it");
    row("queries", socket.queries, "followed queries that were read from the socket");
    row("thread", socket.thread, "the number of the thread that read these last; 0: unknown");
    row("reader", socket.reader, "the name of this thread");
}

// How many queries met which fate.
static void count_rows(Fields &row, ProbeResult &probe)
{
    row("interface", probe.interface, "the interface where queries arrived");
    row("port", probe.port, "the server's port");
    row("share_percent", probe.share_percent,
        "the share of queries that were followed; below 100 stack_ns is a part of queue_ns, and "
        "leave_ns of server_ns",
        {.most = 100});
    row("duration_ns", probe.duration, "nanoseconds in which queries counted");
    row("lacks", probe.lacks,
        "tracepoints that the kernel lacks; fields that need them are left out, and stages that "
        "need them have no figures",
        sometimes);
    row("arrived", probe.arrived,
        "queries over UDP that the network stack saw at the interface, or that an XDP program "
        "there was seen to drop");
    row("followed", probe.followed,
        "queries that were followed; all counts below are counts of them");
    row.only_if(tells(probe, Telling::drops));
    row("dropped", probe.dropped,
        "queries that were dropped before the server read them, by the kernel's reason");
    row.always();
    row("unread", probe.unread,
        "queries that were neither dropped nor read until the end; without `dropped` they may have "
        "been dropped");
    row("unanswered", probe.unanswered,
        "queries that the server read, and no reply left; without `dropped_replies` the reply may "
        "have been dropped");
    row.only_if(tells(probe, Telling::drops));
    row("dropped_replies", probe.dropped_replies,
        "queries whose reply was dropped on the way out, by the kernel's reason");
    row.always();
    row("left", probe.left, "queries whose reply reached the interface's driver");
    row("too_late", probe.too_late,
        "of these, queries whose reply left later than twice the trial's timeout: they count as "
        "lost; 0 without a trial",
        newer);
    row("unseen", probe.unseen,
        "of `left`, queries without stages, because no recvfrom(), recvmsg() or recvmmsg() was "
        "seen "
        "to read them");
    row("forgotten", probe.forgotten,
        "queries of which nothing is known, because the probe's table was full");
    row("repeated", probe.repeated,
        "queries of which nothing is known, because the client sent the same query before the "
        "server read it");
    row("unreadable", probe.unreadable, "packets whose headers the probe could not read");
    row.only_if(tells(probe, Telling::af_xdp));
    row("taken", probe.taken,
        "packets that an XDP program gave to AF_XDP sockets of a server, before they arrived",
        newer);
    row("refused", probe.refused,
        "packets that an XDP program had for such sockets, which had no room: ring full, or no "
        "frame",
        newer);
    row.always();
    row.only_if(tells(probe, Telling::xdp_sent));
    row("xdp_sent", probe.xdp_sent,
        "packets that XDP programs sent by the interface before they arrived, such as the replies "
        "of a server by XDP",
        newer);
    row("xdp_dropped", probe.xdp_dropped,
        "packets that XDP programs had for the interface, and that were dropped on the way out",
        newer);
    row.always();
    row("interface_drops", probe.interface_drops,
        "received packets of any kind that the interface, and its driver (driver.), counted as "
        "lost, in a trial from shortly before its first query on, by the counter's name; the "
        "network stack may have seen some",
        sometimes);
    row("unlogged", probe.unlogged,
        "queries that the file of --per-query lacks, because it was written too slowly", newer);
    row("asked", probe.asked,
        "questions over UDP that the server's processes sent to other servers at this port, as "
        "resolvers do",
        newer);
}

void fields(Fields &row, ProbeResult &probe)
{
    row.shared("probe",
               "what became of the queries that reached the server's machine, and how long each "
               "stage took there, by the kernel's tracepoints: followed = dropped + unread + "
               "unanswered + dropped_replies + left + forgotten + repeated",
               true);
    count_rows(row, probe);
    row.object("others_ns", probe.others,
               "from such a question's leaving until its answer arrived; the rest had none", newer);
    row.object("alone_ns", probe.alone,
               "server_ns of the queries during which no answer came from other servers: they "
               "waited for none",
               newer);
    row("sighted", probe.sighted,
        "queries that the probe's XDP program saw (--first-sight), followed or not", sometimes);
    row.object("wire_ns", probe.wire,
               "from the first sight of the probe's XDP program until the network stack has the "
               "query, for all followed queries that arrived",
               sometimes);
    for (const Stage &stage : stages)
        row.object(stage.key, probe.*stage.times, stage.meaning,
                   stage.times == &ProbeResult::stack ? newer : FieldForm{});
    row.list("by_time", probe.by_time,
             "the queries that have stages, by the time from the first sight until the reply's "
             "leaving, ascending: in each row queries of about the same time, which is the sum of "
             "their stages; a stage that is missing is 0",
             sometimes);
    row.object("late", probe.late,
               "where the trial's late queries were for longest: late = the sum of these",
               sometimes);
    row.list("threads", probe.threads, "the server's threads, by queries");
    row.only_if(tells(probe, Telling::full_sockets));
    row.list("sockets", probe.sockets, "the server's sockets that were full, by drops");
    row.always();
    row.list("sharing", probe.sharing,
             "the server's sockets that share an address and the port (SO_REUSEPORT), by queries; "
             "left out where no two do, or the kernel does not tell which socket was read",
             sometimes);
}

void fields(Fields &row, ProbeRecord &record)
{
    row.form("probe", "What became of the queries that reached a server's machine. dnsgauge probe "
                      "--json writes it.");
    row("started", record.started, "when the probe began: UTC, ISO 8601", utc_moment);
    row("version", record.version, "the version of dnsgauge");
    row("kernel", record.kernel, "name and version of the kernel");
    row("command", record.command, "the command line");
    row.object("probe", record.probe, "what the probe saw");
}

// The part of a trial's `sending` that is read here.
struct SendingTime {
    Nanoseconds duration{};
};

static void fields(Fields &row, SendingTime &sending)
{
    row("duration_ns", sending.duration, "from the start until the last query was handed over");
}

namespace
{

using Json = nlohmann::ordered_json;

LoadedProbe probe_of(const Json &trial)
{
    LoadedProbe read{.probe = read_fields<ProbeResult>(trial.at("probe"))};
    read.load = read.probe.duration;
    if (trial.contains("sending"))
        read.load = read_fields<SendingTime>(trial.at("sending")).duration;
    else if (trial.contains("duration_s"))
        read.load = read_seconds(trial.at("duration_s"));
    return read;
}

// How bad a trial is. The first member counts most.
struct Badness {
    bool is_valid = false;
    double failed = 0; // share of the queries
    double rate = 0;

    auto operator<=>(const Badness &) const = default;
};

Badness badness_of(const Json &trial)
{
    const auto sent = trial.at("sent").get<double>();
    const auto answered = trial.at(trial.contains("valid") ? "valid" : "answered").get<double>();
    const Json rate = trial.value("rate", Json());
    return {.is_valid = trial.at("verdict") != "invalid",
            .failed = sent > 0 ? 1 - answered / sent : 0,
            .rate = rate.is_number() ? rate.get<double>() : 0};
}

} // namespace

LoadedProbe probe_in(const Json &result)
{
    if (!result.contains("trials"))
        return probe_of(result);
    const Json &trials = result.at("trials");
    const Json *worst = nullptr;
    Badness most;
    std::string said;
    for (std::size_t i = 0; i < trials.size(); i++) {
        const Json &trial = trials.at(i);
        if (!trial.value("probe", Json()).is_object())
            continue;
        const Badness badness = badness_of(trial);
        if (worst != nullptr && badness <= most)
            continue;
        worst = &trial;
        most = badness;
        const std::string rate =
            badness.rate > 0 ? fmt::format(", at {:.10g} queries/s", badness.rate) : "";
        const std::string failed =
            badness.failed > 0
                ? fmt::format("{:.3g} % of its queries were not", 100 * badness.failed)
                : "every query was";
        said = fmt::format("trial {} of {}{}: {} answered right in time", i + 1, trials.size(),
                           rate, failed);
    }
    LoadedProbe read = probe_of(worst != nullptr ? *worst : result);
    read.trial = said;
    return read;
}

} // namespace dnsgauge
