// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads any bytes as the options of FakeDNS and of its echo. The parser refuses the options, or
// returns what they say. (fakedns_config reads them from a file.)
#include "fuzz.h"

#include "file_of.h"
#include "words_of.h"

#include "echo/server.h"
#include "fakedns/cli.h"
#include "options/command_line.h"
#include "system/setup_error.h"

#include <algorithm>

using namespace dnsgauge;
using namespace dnsgauge::testing;

namespace
{

// A fuzzer must not choose which files are read.
bool is_other(const std::string &word)
{
    return word.starts_with("--config") || word.starts_with("--internet");
}

void check_echo(const EchoOptions &echo)
{
    must(!echo.interface.empty(), "there is an interface to echo on");
    must(echo.port != 0, "there is a port");
    must(echo.forks >= 1 && echo.threads >= 1, "somebody echoes");
    must(echo.model != EchoModel::xdp || echo.workers() == 1, "or else the kernel");
}

void check_server(const CommandLine &line)
{
    const answer_zones &zones = line.server.content.zones;
    must(!line.server.setup.interfaces.empty() || line.predict, "there is an interface");
    must(line.server.setup.port != 0, "there is a port");
    must(zones.count >= 1 && zones.count <= ANSWER_ZONES_MAX, "some zones are served");
    const fault_plan &plan = line.server.faults.plan;
    must(std::is_sorted(std::begin(plan.end), std::end(plan.end)), "kinds have their order");
    must(plan.end[FAULTS - 1] <= FAULT_BLOCK, "all shares are at most the whole");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    std::vector<std::string> words = words_of(text_of({data, size}));
    if (std::ranges::any_of(words, is_other))
        return 0;
    const bool is_echo = !words.empty() && words.front() == "echo";
    try {
        if (is_echo) {
            const Command echo = echo_command(check_echo);
            (void)run_given(echo, parse_words(echo.options, {words.begin() + 1, words.end()}), {});
            return 0;
        }
        words.insert(words.begin(), "fakedns");
        if (const CommandLine line = read_command_line(words); !line.internet)
            check_server(line);
    } catch (const SetupError &) { // NOLINT(bugprone-empty-catch): as it should
    }
    return 0;
}
