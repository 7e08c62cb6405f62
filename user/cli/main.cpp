// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/command.h"
#include "options/program.h"
#include "userland/version.h"

#include <bpf/libbpf.h>

namespace dnsgauge
{

namespace
{

Program program()
{
    return {.name = "dnsgauge",
            .summary = "Measures DNS servers at rates that sockets cannot reach, and checks every "
                       "answer.",
            .version = version_text("dnsgauge", libbpf_version_string()),
            .commands = {quickstart_command(), trial_command(), search_command(), sweep_command(),
                         soak_command(), replay_command(), selftest_command(), calibrate_command(),
                         experiment_command(), compare_command(), doctor_command(),
                         placement_command()}};
}

} // namespace

} // namespace dnsgauge

int main(int count, char **arguments)
{
    return dnsgauge::run_main("dnsgauge", dnsgauge::program, count, arguments);
}
