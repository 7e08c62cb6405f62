// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "text/diagnosis.h"

#include "system/words.h"

#include <fmt/format.h>

#include <cstdint>

namespace dnsgauge
{

namespace
{

constexpr auto severities = words<Severity>({{Severity::ok, "ok"},
                                             {Severity::note, "note"},
                                             {Severity::warn, "warn"},
                                             {Severity::fail, "fail"}});

std::string summary(const Diagnosis &diagnosis)
{
    const char *const verdict = diagnosis.count(Severity::fail) != 0
                                    ? "no benchmark is possible like this"
                                : diagnosis.count(Severity::warn) != 0
                                    ? "a benchmark is possible, but this is not at its best"
                                    : "ready";
    return fmt::format("{}: {} fail, {} warn, {} note, {} ok: {}", diagnosis.interface,
                       diagnosis.count(Severity::fail), diagnosis.count(Severity::warn),
                       diagnosis.count(Severity::note), diagnosis.count(Severity::ok), verdict);
}

} // namespace

std::string to_text(const Diagnosis &diagnosis)
{
    std::string text = fmt::format("{} ({}), Linux {}\n", diagnosis.interface,
                                   diagnosis.driver.empty() ? "driver not known" : diagnosis.driver,
                                   diagnosis.kernel);
    const auto add = [&text](const char *severity, const std::string &topic,
                             const std::string &rest) {
        text += fmt::format("{:<5} {:<16} {}\n", severity, topic, rest);
    };
    for (const Finding &finding : diagnosis.findings) {
        add(severities.text_of(finding.severity), finding.topic, finding.seen);
        if (finding.severity != Severity::ok && finding.is_known)
            add("", "", "why:  " + finding.why);
        if (!finding.command.empty())
            add("", "",
                (finding.severity == Severity::note ? "or:   " : "mend: ") + finding.command);
    }
    return text + summary(diagnosis) + "\n";
}

static void fields(Fields &row, Finding &finding)
{
    row("topic", finding.topic,
        "what the finding is about. vlan-stripping and numa are there only where there is a "
        "device; qdisc, gro and napi-threads only on veth; udp-sockets not with --role tester; "
        "server-* "
        "only with --probe; placement only where a self-test has walked placements of this Tester",
        {.pattern = "^(link|mtu|xdp-program|native-xdp|af-xdp|zero-copy|xdp-metadata|timestamps|"
                    "queues|rss-udp4|rss-udp6|rss-table|rings|coalescing|flow-control|merging|"
                    "vlan-stripping|numa|qdisc|gro|napi-threads|kernel|capabilities|locked-memory|"
                    "bpf-jit|irqbalance|governor|idle-states|smt|isolation|clocksource|"
                    "virtual-machine|system-calls|huge-pages|udp-sockets|"
                    "server-sockets|server-cpus|server-steering|server-waits|placement)$"});
    row.word("severity", finding.severity, severities,
             "ok: nothing to mend; note: good to know; warn: costs rate, loses packets or spoils "
             "RTTs; fail: no benchmark is possible");
    row("known", finding.is_known,
        "whether the driver or the kernel reports the state; what they do not report is a note, "
        "and nothing is guessed");
    row("seen", finding.seen, "the state, in words");
    row("why", finding.why, "what that state does to a benchmark");
    row("command", finding.command,
        "the command that mends or changes the state; null: nothing to mend, or no command can",
        {.is_null = finding.command.empty()});
}

static void count_rows(Fields &row, Diagnosis &diagnosis)
{
    for (const Severity severity : {Severity::fail, Severity::warn, Severity::note, Severity::ok})
        row.made(severities.text_of(severity), std::uint64_t{diagnosis.count(severity)},
                 "the number of findings with this severity");
}

void fields(Fields &row, Diagnosis &diagnosis)
{
    row.form("doctor", "What an interface and its host are like, and what is set wrongly for a "
                       "benchmark. dnsgauge doctor --json writes it.");
    row("interface", diagnosis.interface, "the interface");
    row("driver", diagnosis.driver, "its driver; empty: not known");
    row("kernel", diagnosis.kernel, "name and version of the kernel");
    row.group<count_rows>("counts", diagnosis, "the number of findings, by severity");
    row.list("findings", diagnosis.findings,
             "one finding per topic, findings about the interface first");
}

} // namespace dnsgauge
