# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The day that manual pages carry."""

import os
from datetime import datetime, timezone


def page_date():
    """Returns the day of SOURCE_DATE_EPOCH, if that is in the environment, otherwise today."""
    seconds = os.environ.get("SOURCE_DATE_EPOCH")
    now = datetime.fromtimestamp(int(seconds), timezone.utc) if seconds else datetime.now(timezone.utc)
    return now.strftime("%Y-%m-%d")
