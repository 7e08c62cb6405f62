// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cli/program.h"
#include "userland/run_program.h"

namespace dnsgauge
{

namespace
{

Program program()
{
    return {.name = "dnsgauge",
            .commands = {quickstart_command(), trial_command(), search_command(), sweep_command(),
                         soak_command(), replay_command(), selftest_command(), calibrate_command(),
                         experiment_command(), compare_command(), doctor_command(),
                         placement_command()}};
}

} // namespace

} // namespace dnsgauge

int main(int count, char **arguments)
{
    return dnsgauge::run_program("dnsgauge", [=] {
        const std::vector<std::string> words(arguments, arguments + count);
        return static_cast<int>(dnsgauge::run_words(dnsgauge::program(), words));
    });
}
