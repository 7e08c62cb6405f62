# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""For tests in Python: the lab as a fixture, one for each file, and what ctest expects of a test.

Exit status 77: the tests cannot run here.
"""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from laboratory import SIGNALS, Lab, open_lab, why_not_here  # noqa: E402

SKIPPED = 77


def interrupt(number: int, _: FrameType | None) -> None:
    """Ends the tests as Ctrl-C does, so that the fixtures clean up."""
    raise KeyboardInterrupt(signal.Signals(number).name)


def pytest_configure(config: pytest.Config) -> None:
    """Ends on every signal in the same way."""
    config.addinivalue_line("markers", "more: left out by tools/check, made by tools/check -L more")
    for one in SIGNALS:
        signal.signal(one, interrupt)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Tells ctest that nothing could be tested."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if exitstatus == pytest.ExitCode.OK and not reporter.stats.get("passed"):
        session.exitstatus = SKIPPED


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    """The lab of a file's tests."""
    if why := why_not_here():
        pytest.skip(why)
    yield from open_lab()
