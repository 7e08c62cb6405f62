# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Servers over HTTPS that mean harm cost dnsgauge bounded memory, and get one clear line."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from laboratory import HERE, SERVER4, Lab, check_sums, read_json, wait_until
from transport_test import (
    Certificate,
    certificate_of_dns_test,
    check_connections,
    peak_memory,
    serving,
    told,
)

OPTIONS = "--transport doh --rate 20 --duration 0.5 --timeout 0.3 --connections 1".split()

__all__ = ["certificate_of_dns_test"]  # a fixture


def memory_of_trial(lab: Lab) -> tuple[int, Path]:
    """Makes a trial. Returns the most memory that it had, in KiB, and its result's file."""
    file = lab.new_result()
    words = lab.trial_words("--server", SERVER4, "--json", file, *OPTIONS)
    return peak_memory(lab.start("tester", *words)), file


@pytest.fixture(scope="module", name="usual_memory")
def usual_memory_of_trials(lab: Lab) -> Iterator[int]:
    lab.serve("--tls-self-signed", "--https-port", "443")
    yield memory_of_trial(lab)[0]


@pytest.mark.parametrize(
    ("way", "why"),
    [
        ("headers", "more than 65,536 octets of header fields"),
        ("empty-frames", "Too many CONTINUATION frames"),
        ("bomb", "more than 65,536 octets of header fields"),
        ("body", ""),
        ("informed", "more than 65,536 octets of header fields"),
        ("pings", "Flooding was detected"),
        ("settings", "Flooding was detected"),
        ("octets", ""),
        ("drip", ""),
    ],
)
def test_a_server_that_means_harm(
    lab: Lab, certificate: Certificate, usual_memory: int, way: str, why: str
) -> None:
    program = HERE / "hostile_http_server.py"
    words = ["/usr/bin/python3", program, SERVER4, certificate.key, certificate.file, way]
    with serving(lab, words) as server:
        assert wait_until(lambda: "ready" in server.said(), 30), server.said()
        memory, file = memory_of_trial(lab)
        counts = told(server)
    r = read_json(file)
    check_sums(r)
    check_connections(r)
    mine = r["connections"]
    assert r["lost"] == r["sent"] == 10 and r["verdict"] == "fail", r
    assert memory < usual_memory + 16 * 1024, (memory, usual_memory)
    assert why in mine["http"]["failure"] and why in r["why"], (r["why"], mine["http"])
    assert (mine["http_broken"] > 0) == bool(why) and counts["connections"] > 0, (mine, counts)
    assert mine["lost_http_long"] == (way == "body"), mine
