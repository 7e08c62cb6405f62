#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#
# dnsgauge-report is formatted, linted and typed, and so are pytest's tests. Exit status 77: a program is missing.
# usage: form_test.sh TOP
set -euo pipefail
cd "$1"
for program in black flake8 mypy; do
    command -v "$program" >/dev/null || {
        echo "SKIP: no $program: tools/install-packages"
        exit 77
    }
done
cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
# tools/check looks at the form of these files too, and keeps what black found.
export BLACK_CACHE_DIR=${BLACK_CACHE_DIR:-$cache}
pytests=(tests/lab/{laboratory,conftest}.py tests/lab/*_test.py)
black --quiet --check --config tools/report/pyproject.toml tools/report tests/report "${pytests[@]}" ||
    { echo "tools/format mends the form of these files"; exit 1; }
flake8 --max-line-length 100 --extend-ignore E203 tools/report tests/report
# black leaves long texts alone.
flake8 --max-line-length 120 --extend-ignore E203 "${pytests[@]}"
mypy --config-file tools/report/pyproject.toml --cache-dir "$cache" "${pytests[@]}"
cd tools/report
mypy --cache-dir "$cache" dnsgauge_report
