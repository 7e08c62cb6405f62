# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The packages that statistics stand on. Functions that need them import them when they run,
because loading takes a second that a page without statistics should not wait."""

from __future__ import annotations

from .errors import ReportError


def check_packages() -> None:
    """Throws ReportError where a package is missing."""
    try:
        import numpy
        import pandas
        import scipy
        import statsmodels
    except ImportError as error:
        raise ReportError(
            f"no statistics: {error}: install the packages python3-scipy, python3-statsmodels and"
            " python3-pandas"
        ) from error
    del numpy, pandas, scipy, statsmodels
