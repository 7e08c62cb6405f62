// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
/* reply_clock_cost.bpf.c for the program that judges by the question. */
#define EXAMINED(ctx) clock_frame(ctx, EXPECTS_QUESTION, 0)
#include "reply_clock_cost.bpf.c"
