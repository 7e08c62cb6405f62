// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/command.h"
#include "host/skeleton.h"
#include "options/program.h"
#include "series/kind.h"
#include "system/version.h"

#include <bpf/libbpf.h>

#include <utility>
#include <vector>

namespace dnsgauge
{

namespace
{

std::vector<Command> commands()
{
    std::vector<Command> all = {quickstart_command(), with_verbose(trial_command())};
    for (Command &command : series_commands())
        all.push_back(with_verbose(std::move(command)));
    all.insert(all.end(), {with_verbose(selftest_command()), with_verbose(calibrate_command()),
                           experiment_command(), compare_command(), with_verbose(gate_command()),
                           doctor_command(), placement_command(), with_verbose(probe_command())});
    return all;
}

Program program()
{
    return {.name = "dnsgauge",
            .summary = "Measures DNS servers at rates that sockets cannot reach, and checks every "
                       "answer.",
            .version = version_text("dnsgauge", libbpf_version_string()),
            .commands = commands()};
}

} // namespace

} // namespace dnsgauge

int main(int count, char **arguments)
{
    dnsgauge::set_libbpf_verbosity(false);
    return dnsgauge::run_main("dnsgauge", dnsgauge::program, count, arguments);
}
