# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The packages that statistics stand on. Functions that need them import them when they run,
because loading takes a second that a page without statistics should not wait."""

import importlib

from .errors import ReportError


def check_packages() -> None:
    """Throws ReportError where a package is missing."""
    try:
        for name in ("numpy", "pandas", "scipy", "statsmodels"):
            importlib.import_module(name)
    except ImportError as error:
        missing = "install the packages python3-scipy, python3-statsmodels and python3-pandas"
        raise ReportError(f"no statistics: {error}: {missing}") from error
