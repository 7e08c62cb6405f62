// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The exit statuses of the programs, which scripts rely on.
#pragma once

namespace dnsgauge
{

enum class ExitStatus {
    done = 0,
    criterion_met = 0,
    criterion_not_met = 1, // by the server; for the doctor, by the interface
    wrong_input = 2,       // command, configuration or environment
    nothing_learned = 3,   // the Tester itself was the limit, or was interrupted
    interface_missing = 3, // what fakedns serves on is not there, or is down
};

} // namespace dnsgauge
