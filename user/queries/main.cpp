// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dnsgauge-queries: reads captures and lists of queries, converts each into the other, and makes
// captures of imaginary clients.
#include "options/program.h"
#include "queries/commands.h"
#include "system/version.h"

namespace dnsgauge
{

namespace
{

Program program()
{
    return {
        .name = "dnsgauge-queries",
        .summary = "Reads, converts, anonymises and makes captures and lists of queries.",
        .version = version_text("dnsgauge-queries"),
        .commands = {convert_command(), merge_command(), slice_command(), anonymise_command(),
                     names_command(), stats_command(), make_command()},
        .statuses = {{ExitStatus::done, "the work is done"},
                     {ExitStatus::wrong_input, "the command, a file or the environment is wrong"}}};
}

} // namespace

} // namespace dnsgauge

int main(int count, char **arguments)
{
    return dnsgauge::run_main("dnsgauge-queries", dnsgauge::program, count, arguments);
}
