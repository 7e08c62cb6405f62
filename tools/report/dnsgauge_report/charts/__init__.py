# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Charts: each module draws one kind of figure."""
