#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# Runs in the guest: the guest's verifier takes every program in every configuration, within the budget
# of instructions. tools/check runs this test always; linux_test.sh takes minutes.
set -u
# shellcheck source-path=SCRIPTDIR source=../lab/lib.sh
. "$(dirname "$0")/../lab/lib.sh"

uname -sr
if said=$("$bin/bpf_budget_test" 2>&1); then
    pass "bpf.budget: $(grep 'All tests passed' <<<"$said")"
else
    fail "bpf.budget: $(sed -n "/FAILED:/,\$p" <<<"$said" | head -n 100)"
fi
finish
