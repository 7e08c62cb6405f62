// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The fields of a machine: the conditions of a trial, the use of CPUs, placement, and the set-up of
// a Tester. See fields.h.
#pragma once

#include "record/fields.h"
#include "result/tester_setup.h"
#include "result/trial_result.h"

namespace dnsgauge
{

inline constexpr const char *card_node_meaning =
    "the memory node next to the interface's card; null: there is no card, or the node is not "
    "known";

void fields(Fields &row, Circumstances &with);
void fields(Fields &row, CpuUse &use);
void fields(Fields &row, Handled &handled);
void fields(Fields &row, CpuPlace &place);
void fields(Fields &row, PlacementResult &placement);
void fields(Fields &row, TesterSetup &setup);

} // namespace dnsgauge
