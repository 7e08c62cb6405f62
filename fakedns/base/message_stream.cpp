// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/message_stream.h"

namespace dnsgauge
{

bool FaultyMessages::stays_silent()
{
    const bool is_silent =
        fault_.kind == ConnectionFault::reset || fault_.kind == ConnectionFault::close ||
        fault_.kind == ConnectionFault::stall || fault_.kind == ConnectionFault::goaway ||
        fault_.kind == ConnectionFault::reset_stream;
    if (!is_silent || queries_++ < fault_.number)
        return false;
    count_fault(1);
    return true;
}

bool FaultyMessages::completes_group(std::size_t answers)
{
    const bool are_pairs =
        fault_.kind == ConnectionFault::swap || fault_.kind == ConnectionFault::wrong_stream;
    const std::size_t others = fault_.kind == ConnectionFault::coalesce ? fault_.number : 1;
    if (answers != (are_pairs ? 2 : others))
        return false;
    if (changes_answers(fault_.kind))
        count_fault(answers);
    return true;
}

void FaultyMessages::count_fault(std::uint64_t queries)
{
    fault_.counts->connections += shows_ ? 0 : 1;
    fault_.counts->queries += queries;
    shows_ = true;
}

} // namespace dnsgauge
