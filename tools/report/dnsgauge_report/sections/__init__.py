# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a page says of each kind of result."""
