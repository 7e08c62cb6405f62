// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge-zone: zone files of the test namespace, data sets, and servers that are ready to start
// on them.
#include "options/program.h"
#include "system/version.h"
#include "zones/commands.h"

namespace dnsgauge
{

namespace
{

Program program()
{
    return {.name = "dnsgauge-zone",
            .summary = "Zone files of the dns64perf test namespace, data sets, and servers ready "
                       "to start on them.",
            .version = version_text("dnsgauge-zone"),
            .commands = {records_command(), server_command(), dns64_command(), resolver_command(),
                         mix_command(), dataset_command()},
            .statuses = {{ExitStatus::done, "all is written"},
                         {ExitStatus::wrong_input, "the command or the environment is wrong"}}};
}

} // namespace

} // namespace dnsgauge

int main(int count, char **arguments)
{
    return dnsgauge::run_main("dnsgauge-zone", dnsgauge::program, count, arguments);
}
