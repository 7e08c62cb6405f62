# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The subcommands: each module adds itself to the command line, and runs."""
