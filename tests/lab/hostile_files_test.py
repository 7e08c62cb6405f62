# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Files that somebody changed: packed ones, lists, captures, prepared files. Each is refused in one line, in
little memory, and stays as it is.
"""

import gzip
import lzma
import os
import re
import struct
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from laboratory import BIN, DNSGAUGE, SERVER4, TOP, Lab

PREPARE = str(BIN / "dnsgauge-queries")
FAKEDNS = str(BIN / "fakedns")
REPORT = str(TOP / "tools/report/dnsgauge-report")
MEBI = 1 << 20
# The address space that a program may have that reads a hostile file: what a good file of a MiB needs, and the
# GiB that a packed file may become.
SPACE = 1500 * MEBI


def zstd_bomb(octet: bytes, mebibytes: int) -> bytes:
    """Returns a frame of zstd whose blocks each stand for 128 KiB of one octet."""
    blocks = 8 * mebibytes
    made = bytearray(b"\x28\xb5\x2f\xfd\x00\x38")
    for block in range(blocks):
        made += struct.pack("<I", (block == blocks - 1) | 1 << 1 | (MEBI // 8) << 3)[:3] + octet
    return bytes(made)


PCAP = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
BOMB = 70  # MiB
TOO_MUCH = r"unpacks to more than 64 MiB, from \d+ KiB of the file: unpack it first"


@pytest.fixture(name="files", scope="module")
def fixture_files(lab: Lab) -> Path:
    """The hostile files, by name."""
    folder = lab.new_folder()
    lines, zeros = b"a A\n" * (BOMB * MEBI // 4), bytes(BOMB * MEBI)
    nothing = lzma.compress(b"", preset=0)
    fast: Callable[[bytes], bytes] = lambda octets: lzma.compress(octets, preset=0)
    made = {
        "list.gz": gzip.compress(lines, 1),
        "list.xz": fast(b"\n" * (BOMB * MEBI)),
        "list.zst": zstd_bomb(b"\n", BOMB),
        "capture.gz": gzip.compress(PCAP + zeros, 1),
        "capture.xz": fast(PCAP + zeros),
        # The inner file unpacks to nothing: no limit of what comes out would end the work.
        "twice.gz": gzip.compress(nothing * MEBI, 1),
        "cut.gz": gzip.compress(lines[:MEBI])[:-100],
        "cut.xz": fast(lines[:MEBI])[:-30],
        "cut.zst": zstd_bomb(b"\n", 1)[:-4],
        "dictionary.xz": bytes.fromhex("fd377a585a000004e6d6b446020021012800"),
        "long.txt": b"a" * (2 * MEBI),
        "nul.txt": b"a A\n\0\0\0\n",
    }
    for name, octets in made.items():
        (folder / name).write_bytes(octets)
    for name in ("sparse", "sparse.toml"):
        with open(folder / name, "wb") as sparse:
            sparse.truncate(1 << 40)
    good = folder / "good.txt"
    good.write_text("".join(f"w{i}.example.org A\n" for i in range(2000)), encoding="ascii")
    subprocess.run([PREPARE, "convert", good, "--output", folder / "good.prepared"], check=True)
    subprocess.run([PREPARE, "convert", good, "--output", folder / "good.pcap"], check=True)
    subprocess.run(
        [PREPARE, "convert", folder / "good.pcap", "--output", folder / "played.prepared"],
        check=True,
    )
    # A file this large would take all memory if it were read.
    with open(folder / "sparse.prepared", "wb") as sparse:
        sparse.write((folder / "good.prepared").read_bytes()[:96])
        sparse.truncate(1 << 40)
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    return folder


def refuse(lab: Lab, pattern: str, *command: object) -> str:
    """Checks that a command ends soon with status 2 and one line that fits the pattern, in little memory."""
    words = lab.words("tester", "prlimit", f"--as={SPACE}", "timeout", "20", *command)
    made = subprocess.run(words, capture_output=True, text=True, check=False, errors="replace")
    assert made.returncode == 2 and not made.stdout, (command, made)
    said = made.stderr.rstrip("\n")
    assert "\n" not in said and said.isprintable() and len(said.encode()) <= 2000, made
    assert re.search(pattern, said), (pattern, made)
    return said


TRIAL = (DNSGAUGE, "trial", "--interface", "g0", "--server", SERVER4, "--rate", "100")
PACKED = ("list.gz", "list.xz", "list.zst")


@pytest.mark.parametrize("file", PACKED)
def test_packed_lists(lab: Lab, files: Path, file: str) -> None:
    """A small list that unpacks to a large one is refused before it takes the memory."""
    refuse(lab, TOO_MUCH, *TRIAL, "--queries", files / file)
    refuse(lab, TOO_MUCH, PREPARE, "convert", files / file, "--output", "/dev/null")


@pytest.mark.parametrize("file", ["capture.gz", "capture.xz"])
def test_packed_captures(lab: Lab, files: Path, file: str) -> None:
    """So is a capture."""
    capture = files / file
    refuse(lab, TOO_MUCH, DNSGAUGE, "trial", *TRIAL[2:6], "--capture", capture)
    for command in ("stats", "names", "convert", "anonymise"):
        refuse(lab, TOO_MUCH, PREPARE, command, capture)


def test_packed_twice(lab: Lab, files: Path) -> None:
    """A file that was packed twice is no list, however little it would be."""
    refuse(lab, "twice.gz", *TRIAL, "--queries", files / "twice.gz")
    refuse(lab, "twice.gz", PREPARE, "convert", files / "twice.gz", "--output", "/dev/null")


BROKEN = [
    ("cut.gz", "truncated"),
    ("cut.xz", "cut.xz: "),
    ("cut.zst", "cut.zst: "),
    ("dictionary.xz", "dictionary.xz: "),
    ("long.txt", "a line has at most"),
    ("nul.txt", "nul.txt, line 2"),
    ("sparse", "sparse, message 1"),
    ("sparse.prepared", "sparse.prepared: it is cut off or damaged"),
    ("folder", "folder: Is a directory"),
]


@pytest.mark.parametrize("file, pattern", BROKEN)
def test_broken_lists(lab: Lab, files: Path, file: str, pattern: str) -> None:
    """A list that is no list is refused by name."""
    refuse(lab, pattern, *TRIAL, "--queries", files / file)


SPARSE = [
    (DNSGAUGE, "compare", "sparse", "sparse"),
    (DNSGAUGE, "placement", "restore", "--record", "sparse"),
    (DNSGAUGE, "experiment", "sparse.toml", "--directory", "d"),
    (FAKEDNS, "--interface", "g0", "--config", "sparse.toml"),
    (FAKEDNS, "--interface", "g0", "--internet", "--names", "sparse"),
]


@pytest.mark.parametrize("command", SPARSE, ids=lambda command: "_".join(command[1:3]))
def test_sparse_files(lab: Lab, files: Path, command: tuple[str, ...]) -> None:
    """A file that says that it has a tebibyte is not read into memory."""
    words = [files / word if word.startswith("sparse") else word for word in command]
    refuse(lab, r"sparse.* is larger than \d+ MiB", *words)


Mutation = Callable[[bytes], bytes]


def put(at: int, octets: bytes) -> Mutation:
    """Returns what writes the octets there; from the end of the file if `at` is negative."""

    def mutate(whole: bytes) -> bytes:
        begin = at % len(whole)
        return whole[:begin] + octets + whole[begin + len(octets) :]

    return mutate


# The head of a prepared file: magic, order of octets, version, kind, clients, queries, octets, distinct queries.
PREPARED: dict[str, tuple[Mutation, str]] = {
    "half": (lambda whole: whole[: len(whole) // 2], "it is cut off or damaged"),
    "half a head": (lambda whole: whole[:20], "it is cut off"),
    "of another machine": (put(8, b"\1\2\3\4"), "another order of octets"),
    "of another version": (put(12, struct.pack("=I", 9)), "it is of version 9"),
    "of no kind": (put(16, struct.pack("=I", 7)), "its head contradicts itself"),
    "without queries": (put(24, bytes(8)), "its head contradicts itself"),
    "of so many queries": (put(24, b"\xff" * 8), "its head contradicts itself"),
    "of so many octets": (put(32, b"\xff" * 8), "it is cut off or damaged"),
    "of zeros": (lambda whole: whole[:96] + bytes(len(whole) - 96), "query 1 is none"),
    "with a table of ones": (put(-2000, b"\xff" * 2000), "it is damaged"),
    "with more": (lambda whole: whole + b"\0", "it is cut off or damaged"),
}


@pytest.mark.parametrize("mutant", PREPARED)
@pytest.mark.parametrize("option, file", [("--queries", "good"), ("--capture", "played")])
def test_prepared_files(lab: Lab, files: Path, option: str, file: str, mutant: str) -> None:
    """A prepared file whose head or tables are wrong is refused, whichever command it is given to."""
    mutate, pattern = PREPARED[mutant]
    path = files / "mutant.prepared"
    path.write_bytes(mutate((files / f"{file}.prepared").read_bytes()))
    whole = path.read_bytes()
    rate = ("--rate", "100") if option == "--queries" else ()
    refuse(
        lab, f"{option} {path}: .*{pattern}", DNSGAUGE, "trial", *TRIAL[2:6], *rate, option, path
    )
    assert path.read_bytes() == whole


def test_prepared_for_others(lab: Lab, files: Path) -> None:
    """A good prepared file is refused by what reads other files."""
    good, played = files / "good.prepared", files / "played.prepared"
    refuse(lab, "give it to --queries", DNSGAUGE, "trial", *TRIAL[2:6], "--capture", good)
    refuse(lab, "give it to --capture", *TRIAL, "--queries", played)
    for command in ("stats", "convert", "names"):
        refuse(lab, "it is prepared for trials", PREPARE, command, played)
    refuse(lab, "no result|not the result", DNSGAUGE, "compare", played, good)
    refuse(lab, "played.prepared: ", REPORT, "page", played, "-o", files / "page.html")


def test_pipes_without_a_writer(lab: Lab, files: Path) -> None:
    """Nothing waits for ever for a pipe into which nobody writes."""
    pipe = files / "pipe"
    commands: list[tuple[object, ...]] = [
        (*TRIAL, "--queries", pipe),
        (DNSGAUGE, "trial", *TRIAL[2:6], "--capture", pipe),
        (
            DNSGAUGE,
            "replay",
            *TRIAL[2:6],
            "--capture",
            pipe,
            "--runs",
            "1",
            "--journal",
            files / "new",
        ),
        (DNSGAUGE, "compare", pipe),
        (PREPARE, "stats", pipe),
        (PREPARE, "make", "--name-list", pipe, "--output", files / "made.pcap"),
        (FAKEDNS, "--interface", "g0", "--config", pipe),
    ]
    with ThreadPoolExecutor(len(commands)) as pool:
        list(pool.map(lambda words: refuse(lab, r"pipe.*: .*a pipe", *words), commands))
    refuse(lab, "it is a pipe", REPORT, "page", pipe, "-o", files / "page.html")
    refuse(lab, "it is a pipe", REPORT, "watch", pipe, "-o", files / "page.html")
