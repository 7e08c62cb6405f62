#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes the seeds in corpus/ from the unit tests' fixtures; what fuzzing found is added by hand."""

import pathlib

HERE = pathlib.Path(__file__).parent
DATA = HERE.parent / "unit" / "data"


def fixtures(file):
    lines = (DATA / file).read_text(encoding="ascii").splitlines()
    pairs = (line.split() for line in lines if not line.startswith("#"))
    return {name: bytes.fromhex(data) for name, data in pairs}


def write(target, seeds):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    for name, seed in seeds.items():
        (folder / name).write_bytes(seed)


def label(text):
    return bytes([len(text)]) + text


answers, frames = fixtures("answers.hex"), fixtures("frames.hex")
write("query", {n.removesuffix(".query"): d for n, d in answers.items() if n.endswith(".query")})
chosen = ("a", "a_edns", "aaaa", "aaaa_none", "a_mixed_case", "nxdomain", "refused", "formerr")
replies = {name: answers[name + ".answer"] for name in chosen}
# A frame around a right reply; without a checksum, which IPv4 allows.
ipv4 = bytearray(frames["ipv4.there"][:42])
ipv4[16:18] = (28 + len(replies["a"])).to_bytes(2, "big")
ipv4[38:42] = (8 + len(replies["a"])).to_bytes(2, "big") + b"\0\0"
write("reply", replies | frames | {"frame_of_a": bytes(ipv4) + replies["a"]})
write("name", {
    "root": b"\0",
    "test_name": label(b"010-000-000-001") + label(b"dns64perf") + label(b"test") + b"\0",
    "label": b"010-000-000-001",
    "label_255": b"255-255-255-255",
    "label_256": b"256-000-000-000",
    "label_capitals": b"ABC-DEF-GHI-JKL",
    "pointer": b"\xc0\x0c",
    "label_then_pointer": label(b"a") + b"\xc0\x0c",
    "longest": label(b"x" * 63) * 3 + label(b"y" * 61) + b"\0",
    "too_long": label(b"x" * 63) * 4 + b"\0",
    "most_labels": b"\1z" * 127 + b"\0",
    "too_many_labels": b"\1z" * 128 + b"\0",
    "mixed_case": label(b"DnS64PeRf") + label(b"TEST") + b"\0",
    "cut": label(b"dns64perf")[:5],
})
