# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Files that somebody changed: packed ones, lists, captures, prepared files, journals. Each is refused in one line, in
little memory, and stays as it is.
"""

import gzip
import json
import lzma
import os
import re
import struct
import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from laboratory import BIN, DNSGAUGE, SERVER4, TOP, TRIES, Lab

PREPARE = str(BIN / "dnsgauge-queries")
FAKEDNS = str(BIN / "fakedns")
REPORT = str(TOP / "tools/report/dnsgauge-report")
SOMEBODY_ELSE = 65534
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


# ---- journals

BEARING = ("--max-lateness", "60", "--max-overrun", "60", "--max-others", "100")
USUAL = (*TRIAL[2:6], "--beyond-selftest", "--timeout", "0.5", *BEARING)
NAMES = ("--names", "10.0.0.0/16", "--qtype", "A")
SHORT = ("--duration", "0.2", "--pause", "0", "--min-rate", "100", "--max-rate", "200")
SERIES: dict[str, tuple[str, ...]] = {
    "search": ("search", *NAMES, *SHORT, "--resolution", "100", "--repeat", "2"),
    "mlr": ("search", "--method", "mlr", *NAMES, *SHORT, "--first-duration", "0.2"),
    "sweep": ("sweep", *NAMES, *SHORT, "--steps", "2"),
    "soak": ("soak", *NAMES, "--rate", "100", "--row", "0.2", "--hours", "0.0001"),
    "replay": ("replay", "--duration", "0.2", "--runs", "2", "--before-trial", "true"),
}


# tools/check tries what befalls a journal's lines with a search alone.
OTHERS = [pytest.param(kind, marks=pytest.mark.more) for kind in SERIES if kind != "search"]


@dataclass
class Series:
    """A series that is complete: the command that goes on with it, and its journal's lines."""

    command: list[object]
    journal: Path
    lines: list[bytes]

    def trial(self) -> int:
        """Returns the index of the first line that records a trial."""
        return next(i for i, line in enumerate(self.lines) if b'"record":"trial"' in line)

    def whole(self, at: int = 0, mutate: Mutation = bytes) -> bytes:
        """Returns the journal, in which the line at this index is another one."""
        lines = [*self.lines[:at], mutate(self.lines[at]), *self.lines[at + 1 :]]
        return b"\n".join(lines) + b"\n"

    def refused(self, lab: Lab, pattern: str, whole: bytes) -> None:
        """Checks that a command refuses to go on with such a journal, which stays as it is."""
        self.journal.write_bytes(whole)
        refuse(lab, f"{self.journal} {pattern}.*; it was left as it is", *self.command)
        assert self.journal.read_bytes() == whole
        self.journal.write_bytes(self.whole())


@pytest.fixture(name="series", scope="module")
def fixture_series(lab: Lab, files: Path) -> dict[str, Series]:
    """A series of each kind, by its name."""
    lab.serve()
    made = {}
    for kind, words in SERIES.items():
        journal = files / f"{kind}.jsonl"
        command: list[object] = [DNSGAUGE, *words, *USUAL, "--journal", journal]
        if kind == "replay":
            command += ["--capture", files / "good.pcap"]
        said = lab.run("tester", *command)
        command.append("--resume")
        for _ in range(TRIES):
            if said.status != 3:
                break
            said = lab.run("tester", *command)
        assert said.status == 0, (kind, said)
        made[kind] = Series(command, journal, journal.read_bytes().splitlines())
        assert lab.run("tester", *command).status == 0
        assert journal.read_bytes() == made[kind].whole()
    return made


def changed(line: bytes, way: tuple[str, ...], value: object) -> bytes:
    """Returns the line with another value of the field to which the names lead."""
    whole = inner = json.loads(line)
    for name in way[:-1]:
        inner = inner[name]
    inner[way[-1]] = value
    return json.dumps(whole).encode()


# What becomes of a line that records a trial, and what is said of it.
LINES: dict[str, tuple[Mutation, str]] = {
    "half": (lambda line: line[: len(line) // 2], "it is no record"),
    "nothing": (lambda _: b"", "it is no record"),
    "NUL": (lambda _: bytes(100), "it is no record"),
    "no UTF-8": (lambda _: b'{"record": "\xff\xfe"}', "it is no record"),
    "deep": (lambda _: b"[" * 1_000_000, "it is no record"),
    "a list": (lambda _: b"[]", "it is no record"),
    "unknown": (lambda _: b'{"record": "nonsense"}', "no record of this version: nonsense"),
    "no kind": (lambda _: b'{"record": -1}', "it is no record"),
    "a command": (lambda _: b'{"record": "\\u001b[2J\\u009b"}', ""),
    "no trial": (lambda line: changed(line, ("trial",), None), "it is no record"),
    "text": (lambda line: changed(line, ("trial", "rate"), "many"), "must be a whole number"),
    "negative": (lambda line: changed(line, ("trial", "sent"), -1), "must be a whole number"),
    "huge": (lambda line: changed(line, ("trial", "rate"), 1e300), "must be a whole number"),
    "more answers": (lambda line: changed(line, ("trial", "valid"), 1 << 60), "more answers than"),
    "no verdict": (lambda line: changed(line, ("trial", "verdict"), "\x1b[2J"), ""),
    "another number": (lambda line: changed(line, ("number",), 77), "trial 77 of"),
    "twice": (lambda line: line + b"\n" + line, "trial "),
}


@pytest.mark.parametrize("mutant", LINES)
@pytest.mark.parametrize("kind", ["search", *OTHERS])
def test_lines_of_journals(lab: Lab, series: dict[str, Series], kind: str, mutant: str) -> None:
    """A journal with a wrong line is refused, which the message names, and stays as it is."""
    one = series[kind]
    mutate, pattern = LINES[mutant]
    number = one.trial() + (2 if mutant == "twice" else 1)
    one.refused(lab, f"line {number}: .*{pattern}", one.whole(one.trial(), mutate))


@pytest.mark.parametrize("kind", SERIES)
def test_journals_of_others(lab: Lab, series: dict[str, Series], kind: str) -> None:
    """So is the journal of another series, and of another kind of series."""
    one = series[kind]
    for name, other in series.items():
        if name != kind:
            one.refused(lab, "line 1: it is (not the journal of|of another)", other.whole())
    for mutate, pattern in (
        (lambda line: changed(line, ("options", "timeout"), 9), "it is of another .*timeout was 9"),
        (lambda line: changed(line, ("options",), "\x1b[2J"), "it is of another"),
        (lambda _: b"[]", "it is not the journal of"),
        (lambda _: bytes(100), "it is not the journal of"),
        (lambda _: b'{"schema": 7}', "it is not the journal of"),
    ):
        one.refused(lab, f"line 1: {pattern}", one.whole(0, mutate))


@pytest.mark.parametrize("kind", ["search", *OTHERS])
def test_ends_of_journals(lab: Lab, series: dict[str, Series], kind: str) -> None:
    """Half a last line is a crash's: the series goes on. A last line that lacks its end is whole."""
    one = series[kind]
    whole = one.whole()
    one.journal.write_bytes(whole[:-1])
    said = lab.run("tester", *one.command)
    assert said.status == 0 and one.journal.read_bytes() == whole[:-1], said
    for octets in (whole[:-20], whole + bytes(4096)):
        one.journal.write_bytes(octets)
        said = lab.run("tester", *one.command)
        assert said.status in (0, 3) and said.has(
            "^dnsgauge: note: the journal's last line was"
        ), said
        assert one.journal.read_bytes().startswith(b"\n".join(one.lines[:-1]))
        one.journal.write_bytes(whole)


LARGE: dict[str, tuple[Mutation, str]] = {
    "a line of 100 MB": (lambda _: b'{"record": "' + b"a" * 100_000_000, "it has more than 64 MiB"),
    "many values": (lambda _: b"[" + b"0," * 25_000_000 + b"0]", "it is no record"),
    # A name of an object takes a look at all names before it.
    "many names": (
        lambda _: b"{" + b",".join(b'"%d":0' % i for i in range(1_000_000)) + b"}",
        "it is no record",
    ),
}


@pytest.mark.parametrize("mutant", LARGE)
def test_large_journals(lab: Lab, series: dict[str, Series], files: Path, mutant: str) -> None:
    """A huge line takes neither all memory nor hours."""
    mutate, pattern = LARGE[mutant]
    whole = series["search"].whole(1, mutate)
    series["search"].refused(lab, f"line 2: {pattern}", whole)
    path = files / "large.jsonl"
    path.write_bytes(whole)
    refuse(lab, f"{path} line 2: ", REPORT, "page", path, "-o", files / "page.html")
    path.unlink()


@pytest.mark.parametrize("kind", ["search", *OTHERS])
def test_no_files(lab: Lab, series: dict[str, Series], kind: str) -> None:
    """A folder, a pipe, a device, and a file that somebody else may replace are no journals."""
    one = series[kind]
    place = one.command.index(one.journal)
    folder = lab.new_folder()
    folder.chmod(0o1777)
    os.mkfifo(folder / "pipe")
    theirs = folder / "theirs"
    theirs.write_bytes(one.whole())
    theirs.chmod(0o666)
    os.chown(theirs, SOMEBODY_ELSE, SOMEBODY_ELSE)
    (folder / "link").symlink_to(theirs)
    os.chown(folder / "link", SOMEBODY_ELSE, SOMEBODY_ELSE, follow_symlinks=False)
    for path, pattern in (
        (folder, "it is a directory"),
        (folder / "pipe", "is no file: name the journal of a"),
        (Path("/dev/null"), "is no file: name the journal of a"),
        (theirs, "another user's file in a directory where others may write"),
        (folder / "link", "another user's link"),
        (folder / "none", "there is no journal .*leave out --resume"),
    ):
        command = [*one.command[:place], path, *one.command[place + 1 :]]
        refuse(lab, pattern, *command)
    assert theirs.read_bytes() == one.whole() and theirs.stat().st_uid == SOMEBODY_ELSE


def test_pages_of_journals(lab: Lab, series: dict[str, Series], files: Path) -> None:
    """dnsgauge-report refuses the same journals."""
    page = files / "page.html"
    path = files / "page.jsonl"
    for kind, one in series.items():
        mutants = ["half", "NUL", "unknown", "text", "twice"] if kind == "search" else []
        for mutant in [*mutants, "negative"]:
            path.write_bytes(one.whole(one.trial(), LINES[mutant][0]))
            refuse(lab, f"{path} line", REPORT, "page", path, "-o", page)
    path.unlink()
    for path, pattern in ((files / "folder", "Is a directory"), (files / "pipe", "it is a pipe")):
        refuse(lab, pattern, REPORT, "page", path, "-o", page)
        refuse(lab, pattern, REPORT, "watch", path, "-o", page)
    assert not page.exists()


def test_pipes_without_a_writer(lab: Lab, series: dict[str, Series], files: Path) -> None:
    """Nothing waits for ever for a pipe into which nobody writes."""
    pipe = files / "pipe"
    replay = [word for word in series["replay"].command if word != "--resume"]
    replay[replay.index("--capture") + 1] = pipe
    replay[replay.index(series["replay"].journal)] = files / "new.jsonl"
    commands: list[tuple[object, ...]] = [
        (*TRIAL, "--queries", pipe),
        (DNSGAUGE, "trial", *TRIAL[2:6], "--capture", pipe),
        tuple(replay),
        (DNSGAUGE, "compare", pipe),
        (PREPARE, "stats", pipe),
        (PREPARE, "make", "--name-list", pipe, "--output", files / "made.pcap"),
        (FAKEDNS, "--interface", "g0", "--config", pipe),
    ]
    with ThreadPoolExecutor(len(commands)) as pool:
        list(pool.map(lambda words: refuse(lab, r"pipe.*: .*a pipe", *words), commands))
