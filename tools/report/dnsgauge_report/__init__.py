# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""dnsgauge-report: results of dnsgauge as pages, figures and statistical statements."""
