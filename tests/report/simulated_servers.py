# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Servers whose break point is known, and what a sweep measures of them."""

from dataclasses import dataclass

from support import TOP  # noqa: F401: finds the package

import numpy as np

from dnsgauge_report.statistics import Array
from dnsgauge_report.statistics.breakpoint import Shape

# How what is measured scatters: what is lost by a fifth (a limit by a hundredth), as a server does;
# every step alike, which no server does; not at all, but for whole queries.
SCATTERS = ("share", "alike", "none")


@dataclass(frozen=True)
class Run:
    """A sweep of a server, and its break point."""

    sent: Array
    answered: Array
    breakpoint: float


def server(shape: Shape, scatter: str, seed: int, rates: int = 30, repeat: int = 1) -> Run:
    """Returns what trials of 5 s measure of a server of this shape."""
    random = np.random.default_rng(seed)
    sent = np.repeat(np.linspace(5000, 150000, rates), repeat)
    breakpoint = random.uniform(55000, 65000)
    noise = random.normal(size=len(sent)) if scatter != "none" else np.zeros(len(sent))
    lost = 1 + 0.2 * noise * (scatter == "share")
    limit = breakpoint * (1 + 0.01 * noise * (scatter == "share"))
    rest = sent - breakpoint
    answered = {
        Shape.BELOW: 0.5 * sent - lost * 0.5e-6 * np.square(np.minimum(0, rest)),
        Shape.ABOVE: sent - lost * 3e-6 * np.square(np.maximum(0, rest)),
        Shape.HINGE: sent - lost * 0.6 * np.maximum(0, rest),
        Shape.LIMIT: np.minimum(sent, limit),
    }[shape]
    if scatter == "alike":
        answered = answered + 500 * noise
    else:
        answered = np.clip(answered, 0, sent)
    return Run(sent, np.round(5 * answered) / 5, breakpoint)
