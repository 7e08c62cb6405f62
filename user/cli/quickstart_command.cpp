// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge quickstart
#include "cli/command.h"
#include "quickstart/quickstart.h"

namespace dnsgauge
{

static ExitStatus run(QuickstartRequest &request, const std::vector<std::string> &words)
{
    return run_quickstart(request, {.selftest = selftest_command, .calibrate = calibrate_command},
                          words);
}

Command quickstart_command()
{
    return with_arguments<QuickstartRequest>(
        {.name = "quickstart",
         .summary = "Make a first search that can be trusted: doctor, a trial, selftest, calibrate "
                    "and search, up to the first thing to mend",
         .remarks =
             "Each step says what it does before it begins, and leaves its result in --directory. "
             "An earlier self-test or certificate that covers the search is used again. If "
             "--interface is an end of a veth pair whose other end is in a named network "
             "namespace, "
             "FakeDNS is started beside the server. Otherwise run fakedns --interface IF --port "
             "5300 on the server's machine; the calibration is then left out.",
         .examples = {"dnsgauge quickstart --interface g0 --server 198.18.0.2 --names 10.0.0.0/8",
                      "dnsgauge quickstart --interface eth1 --server 192.0.2.53 \\",
                      "    --queries names.txt --max-rate 1M --directory first"},
         .statuses = {
             {ExitStatus::criterion_met, "the search is complete"},
             {ExitStatus::criterion_not_met,
              "a step found something to mend: the interface, the server, or the Tester"},
             {ExitStatus::wrong_input,
              "the command or the environment is wrong, FakeDNS is missing, or the range "
              "of rates does not hold the rate that was looked for"},
             {ExitStatus::nothing_learned,
              "a trial was invalid, or quickstart was interrupted: go on with --resume"}}});
}

} // namespace dnsgauge
