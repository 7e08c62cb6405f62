# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The packages that not every page needs. Functions import them when they run, because loading
takes a second that a page without statistics should not wait."""

import importlib
from typing import Any

from .errors import ReportError


def load(name: str, purpose: str, packages: str) -> Any:
    """Returns the module. Throws ReportError where it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ReportError(f"{purpose}: {error}: install {packages}") from error


def check_packages() -> None:
    """Throws ReportError where a package that statistics stand on is missing."""
    for name in ("numpy", "pandas", "scipy", "statsmodels"):
        missing = "the packages python3-scipy, python3-statsmodels and python3-pandas"
        load(name, "no statistics", missing)
