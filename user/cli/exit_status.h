// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The exit status of dnsgauge, which scripts rely on.
#pragma once

namespace dnsgauge
{

enum class ExitStatus {
    criterion_met = 0,
    criterion_not_met = 1, // by the server; by the interface, where the doctor looks at one
    wrong_input = 2,       // command, configuration or environment
    nothing_learned = 3,   // the Tester itself was the limit, or was interrupted
};

} // namespace dnsgauge
