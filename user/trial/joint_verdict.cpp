// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "system/counted.h"
#include "system/listed.h"
#include "trial/measurement.h"
#include "trial/testers.h"
#include "trial/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace dnsgauge
{

namespace
{

std::string name_of(const TesterResult &tester)
{
    return tester_name(tester.rank, tester.host);
}

std::string name_of(const TesterPart &part)
{
    return tester_name(part.rank, part.host);
}

// Returns why a Tester's part makes the whole trial invalid; empty if it does not.
std::string flaw_of(const TesterResult &tester, const Tolerances &tolerances)
{
    if (!tester.trial)
        return "sent no part of the trial: it ended, hangs, or its network failed";
    // Losses by stalls are judged in the sum: another Tester's queries may have failed outside of
    // stalls.
    const bool stalled = tester.trial->stalls && tester.trial->stalls->decided;
    if (tester.trial->verdict == Verdict::invalid && !stalled)
        return tester.trial->why;
    if (const auto error = tester.clock.error(); error > tolerances.lateness)
        return fmt::format("its queries left up to {:.3f} ms off the common schedule "
                           "(--max-lateness allows {:.3f} ms), as its clock deviated",
                           seconds(*error) * 1e3, seconds(tolerances.lateness) * 1e3);
    return {};
}

// Completes the sum after each part was judged. An interface can have dropped only replies to its
// own Tester.
Evidence with_drops(Evidence whole)
{
    std::vector<std::string> dropping;
    for (const TesterResult &tester : whole.testers) {
        if (!tester.trial)
            continue;
        const OwnLosses &losses = tester.trial->own_losses;
        const std::uint64_t doubtful = std::min(
            losses.interface_receiving + losses.interface_doubtful, tester.trial->queries.lost);
        whole.own_losses.interface_doubtful += doubtful;
        if (doubtful != 0)
            dropping.push_back(name_of(tester));
    }
    whole.circumstances.interface = listed(dropping, "and");
    // Strays and least RTTs were judged in each part.
    whole.strays = {};
    whole.path.least_rtt = {};
    whole.faults = {};
    return whole;
}

bool heard_nothing(const Measurement &measured)
{
    const ReplyTally &replies = measured.tally.replies;
    return query_counts(replies.queries).sent == 0 && replies.passed == 0 &&
           std::ranges::all_of(stray_classes, [&](const StrayClass &each) {
               return replies.strays.*each.count == 0;
           });
}

// Returns why all replies to a Tester may have gone to another interface; empty if some came, or if
// the server may have sent none. Linux answers ARP for any address of the machine at any of its
// interfaces. So if two interfaces share a network, one Tester's replies may arrive at another
// Tester's interface.
std::string misdirected(const std::vector<TesterPart> &parts, std::size_t tester)
{
    const TesterPart &mine = parts[tester];
    // Over TCP only the kernel knows the next hop.
    if (!mine.measured || mine.machine.empty() || !heard_nothing(*mine.measured) ||
        mine.measured->circumstances.next_hop_mac.empty())
        return {};
    for (const TesterPart &other : parts)
        if (other.measured && other.machine == mine.machine && !heard_nothing(*other.measured) &&
            other.measured->circumstances.next_hop_mac == mine.measured->circumstances.next_hop_mac)
            return fmt::format("nothing came back, but the same next hop brought replies to {}: "
                               "replies may arrive at the other's interface, unless "
                               "net.ipv4.conf.all.arp_ignore is 1",
                               name_of(other));
    return {};
}

// Returns why parts make the trial invalid, each with its Tester's name.
std::vector<std::string> flaws_of(const TrialResult &whole, const std::vector<TesterPart> &parts,
                                  const Tolerances &tolerances)
{
    std::vector<std::string> flaws;
    for (std::size_t i = 0; i < parts.size(); i++) {
        std::string flaw = flaw_of(whole.testers[i], tolerances);
        if (flaw.empty())
            flaw = misdirected(parts, i);
        if (!flaw.empty())
            flaws.push_back(name_of(parts[i]) + ": " + flaw);
    }
    return flaws;
}

// Returns a doubt for each set of Testers of one machine that sent from the same CPU. Whether a
// Tester was late is judged in its part.
std::vector<std::string> shared_cpus(const std::vector<TesterPart> &parts)
{
    std::map<std::pair<std::string, unsigned>, std::vector<std::size_t>> senders;
    for (std::size_t i = 0; i < parts.size(); i++)
        if (parts[i].measured && !parts[i].machine.empty())
            for (const unsigned cpu : parts[i].measured->circumstances.sender_cpus)
                senders[{parts[i].machine, cpu}].push_back(i);
    std::map<std::vector<std::size_t>, std::vector<unsigned>> shared;
    for (const auto &[at, testers] : senders)
        if (testers.size() > 1)
            shared[testers].push_back(at.second);
    std::vector<std::string> doubts;
    for (const auto &[testers, cpus] : shared) {
        std::vector<std::string> names;
        for (const std::size_t tester : testers)
            names.push_back(name_of(parts[tester]));
        doubts.push_back(fmt::format("{} send from CPU {} alike: one may have kept another's "
                                     "queries waiting; give each CPUs of its own (--cpus)",
                                     listed(names, "and"), join(cpus, ",")));
    }
    return doubts;
}

bool sends_from(const TesterPart &part, unsigned cpu)
{
    const std::vector<unsigned> &cpus = part.measured->circumstances.sender_cpus;
    return std::ranges::find(cpus, cpu) != cpus.end();
}

bool receives_on(const TesterPart &part, unsigned cpu)
{
    return std::ranges::any_of(part.measured->cpus,
                               [cpu](const CpuUse &use) { return use.cpu == cpu && use.receives; });
}

// Returns the Testers that received replies on the CPU and do not send from it.
std::vector<std::string> others_that_receive(const std::vector<TesterPart> &parts,
                                             const std::string &machine, unsigned cpu)
{
    std::vector<std::string> names;
    for (const TesterPart &part : parts)
        if (part.measured && part.machine == machine && receives_on(part, cpu) &&
            !sends_from(part, cpu))
            names.push_back(name_of(part));
    return names;
}

// Returns a doubt for each Tester that sent from a CPU on which others of its machine received
// replies, and for each such set of others.
std::vector<std::string> shared_with_receivers(const std::vector<TesterPart> &parts)
{
    std::vector<std::string> doubts;
    for (const TesterPart &part : parts) {
        if (!part.measured || part.machine.empty())
            continue;
        std::map<std::vector<std::string>, std::vector<unsigned>> shared;
        for (const unsigned cpu : part.measured->circumstances.sender_cpus)
            if (auto others = others_that_receive(parts, part.machine, cpu); !others.empty())
                shared[std::move(others)].push_back(cpu);
        for (const auto &[others, cpus] : shared)
            doubts.push_back(fmt::format(
                "{} sends from CPU {}, on which replies to {} are received: one may have kept the "
                "other waiting; give the sender another CPU (--cpus), or the replies (dnsgauge "
                "placement)",
                name_of(part), join(cpus, ","), listed(others, "and")));
    }
    return doubts;
}

// Returns a doubt for each Tester whose kernel is not the first Tester's.
std::vector<std::string> other_kernels(const std::vector<TesterPart> &parts)
{
    std::vector<std::string> doubts;
    for (const TesterPart &part : parts) {
        if (!part.measured || !parts.front().measured)
            continue;
        const std::string &kernel = part.measured->circumstances.kernel;
        const std::string &first = parts.front().measured->circumstances.kernel;
        if (kernel != first)
            doubts.push_back(fmt::format("{} has another kernel ({}) than {} ({}): its RTTs may "
                                         "differ for that reason",
                                         name_of(part), kernel, name_of(parts.front()), first));
    }
    return doubts;
}

} // namespace

Judgement judge_together(const Evidence &whole, const std::vector<TesterPart> &parts)
{
    Judgement judgement;
    if (const auto flaws = flaws_of(whole, parts, whole.tolerances); !flaws.empty()) {
        judgement.why = join(flaws, "; ");
        // A lower rate mends neither a clock nor replies at the wrong interface.
        const auto all_are = [&](bool TrialResult::*so) {
            return flaws.size() == static_cast<std::size_t>(std::ranges::count_if(
                                       whole.testers, [so](const TesterResult &tester) {
                                           return tester.trial && *tester.trial.*so;
                                       }));
        };
        judgement.tester_was_limit = all_are(&TrialResult::tester_was_limit);
        judgement.rate_not_offered = all_are(&TrialResult::rate_not_offered);
    } else if (whole.queries.sent != whole.sending.planned) {
        judgement.why =
            fmt::format("the Testers sent {} of {}, and none of them says why: please "
                        "report this",
                        whole.queries.sent, counted(whole.sending.planned, "query", "queries"));
    } else {
        judgement = judge(with_drops(whole));
    }
    for (const TesterResult &tester : whole.testers)
        if (tester.trial)
            for (const std::string &doubt : tester.trial->caveats.doubts)
                judgement.doubts.push_back(name_of(tester) + ": " + doubt);
    for (const auto &between :
         {shared_cpus(parts), shared_with_receivers(parts), other_kernels(parts)})
        judgement.doubts.insert(judgement.doubts.end(), between.begin(), between.end());
    return judgement;
}

} // namespace dnsgauge
