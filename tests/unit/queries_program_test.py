#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs dnsgauge-queries: what it makes and converts is read by code of this test's own.

usage: queries_program_test.py DNSGAUGE-QUERIES SCHEMAS
"""

import collections
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "support"))
from check_results import Schemas  # noqa: E402: the path is known only here

PROGRAM = sys.argv[1]
LINKTYPE_ETHERNET, LINKTYPE_RAW = 1, 101
Packet = collections.namedtuple("Packet", "ns source sport target tport message")


def run(*words, status=0, stdin=None):
    """Returns standard output and standard error of the program."""
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, input=stdin, check=False)
    assert done.returncode == status, (words, done)
    return done.stdout, done.stderr.decode()


def read_pcap(path):
    """Returns the packets of a pcap with nanoseconds, Ethernet, IPv4 and UDP."""
    data = Path(path).read_bytes()
    magic, major, minor, _, _, _, link = struct.unpack("<IHHiIII", data[:24])
    assert (magic, major, minor, link) == (0xa1b23c4d, 2, 4, LINKTYPE_ETHERNET)
    at, packets = 24, []
    while at < len(data):
        seconds, ns, size, length = struct.unpack("<IIII", data[at:at + 16])
        assert size == length
        frame = data[at + 16:at + 16 + size]
        at += 16 + size
        assert frame[12:14] == b"\x08\0" and frame[14] == 0x45 and frame[23] == 17
        sport, tport, udp_size = struct.unpack(">HHH", frame[34:40])
        assert 34 + udp_size == size
        packets.append(Packet(seconds * 10**9 + ns, frame[26:30], sport, frame[30:34], tport,
                              frame[42:]))
    return packets


def write_pcap(path, packets, link=LINKTYPE_RAW, snap=None):
    """Writes a pcap with microseconds and raw IP: nothing of dnsgauge's own."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, link))
        for packet in packets:
            udp = struct.pack(">HHHH", packet.sport, packet.tport, 8 + len(packet.message), 0)
            ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 28 + len(packet.message), 0, 0, 64, 17, 0,
                             packet.source, packet.target)
            whole = ip + udp + packet.message
            file.write(struct.pack("<IIII", packet.ns // 10**9, packet.ns % 10**9 // 1000,
                                   len(whole[:snap]), len(whole)) + whole[:snap])


def name_of(message):
    """Returns the name of the question as text."""
    at, labels = 12, []
    while message[at]:
        labels.append(message[at + 1:at + 1 + message[at]].decode("latin-1"))
        at += 1 + message[at]
    return ".".join(labels) + "."


def query(name, qtype, flags=0x0100, ident=7):
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split(".") if part)
    return (struct.pack(">HHHHHH", ident, flags, 1, 0, 0, 0) + labels + b"\0"
            + struct.pack(">HH", qtype, 1))


def sample():
    """Returns the packets of three clients, one of which gets an answer."""
    server = bytes([192, 0, 2, 53])
    packets = [Packet(10**18 + i * 250_000_000, bytes([192, 0, 2, 1 + i % 3]), 40000 + i, server, 53,
                      query(("www.Example.org.", "example.org.", "a.test.")[i % 3], (1, 28)[i % 2],
                            ident=i))
               for i in range(12)]
    answer = query("a.test.", 1, flags=0x8183, ident=2)
    packets.insert(4, Packet(packets[3].ns + 1000, server, 53, packets[2].source, packets[2].sport,
                             answer))
    return packets


def test_make(folder):
    made = folder / "made.pcap"
    options = ("--rate", 2000, "--duration", 2, "--clients", 100, "--nxdomain", 20, "--types",
               "A=50,AAAA=50", "--names", "10.0.0.0/24")
    run("make", *options, "--output", made)
    packets = read_pcap(made)
    assert 3500 < len(packets) < 4500
    hundred = packets[:100]
    assert sum(name_of(p.message).startswith("no-") for p in hundred) == 20
    assert sum(p.message.endswith(b"\0\1\0\1") for p in hundred) == 50
    assert len({p.source for p in packets}) == 100
    assert [p.ns for p in packets] == sorted(p.ns for p in packets)
    again = folder / "again.pcap"
    run("make", *options, "--output", again)
    assert made.read_bytes() == again.read_bytes(), "the same seed makes the same file"
    streamed, _ = run("make", *options)
    assert streamed == made.read_bytes(), "standard output gets the same"
    said, _ = run("stats", made)
    assert b"-0.000" not in said, "the first interval begins a fraction of a millisecond before"


def answered(asked, *records, flags=0x8180):
    """Returns the answer to a query: records are (octets of the owner, type, TTL, octets of the data)."""
    data = b"".join(owner + struct.pack(">HHIH", rtype, 1, ttl, len(rest)) + rest
                    for owner, rtype, ttl, rest in records)
    return asked[:2] + struct.pack(">HHHHH", flags, 1, len(records), 0, 0) + asked[12:] + data


def test_names(folder):
    same = b"\xc0\x0c"
    www = query("WWW.example.org.", 1)
    alias = query("alias.example.org.", 28)
    strange = query("x.example.org.", 65280).replace(b"\1x\7", b"\6#a.\0 \\\7")
    messages = [
        answered(www, (same, 1, 300, b"\1\2\3\4"), (same, 1, 300, b"\1\2\3\5")),
        answered(query("www.example.org.", 1), (same, 1, 299, b"\1\2\3\4")),
        answered(query("www.EXAMPLE.org.", 28)),
        answered(query("www.example.org.", 48), (same, 48, 5, b"key")),
        # The target is "www" and a pointer to "example.org" in the question.
        answered(alias, (same, 5, 60, b"\3www\xc0\x12"), (b"\3www\xc0\x12", 28, 7200, bytes(16))),
        answered(strange, (same, 65280, 7, b"any"), (same, 35, 8, b"rare")),
        answered(query("absent.example.org.", 1), flags=0x8183),
        answered(query("broken.example.org.", 1), flags=0x8182),
        answered(query("referred.example.org.", 1), flags=0x8000),
        # The owner points to itself.
        answered(query("loop.example.org.", 1), (b"\xc0\x22", 1, 9, b"\1\2\3\4")),
        www,
    ]
    capture = folder / "answers.pcap"
    server = bytes([192, 0, 2, 53])
    client = bytes([192, 0, 2, 1])
    write_pcap(capture, [Packet(10**18 + i, server, 53, client, 4000, message)
                         for i, message in enumerate(messages[:-1])]
               + [Packet(10**18 + 10, client, 4000, server, 53, messages[-1])])
    told, said = run("names", capture)
    assert told.decode().splitlines() == [
        "www.example.org. A 300 AAAA 7200 DNSKEY 5",
        "alias.example.org. CNAME 60",
        "\\035a\\.\\000\\032\\\\.example.org. NAPTR 8 TYPE65280 7",
    ], told
    assert "1 answers that say that a name does not exist" in said
    assert "3 answers that are errors, referrals or damaged" in said
    _, said = run("names", capture, "--client", "198.51.100.1", status=2)
    assert "no answer in the input says that a name exists" in said

    listed = folder / "names.txt"
    run("names", capture, "--output", listed)
    made = folder / "listed.pcap"
    run("make", "--name-list", listed, "--types", "A=100", "--duration", 1, "--output", made)
    asked = collections.Counter(name_of(p.message) for p in read_pcap(made))
    assert [name for name, _ in asked.most_common()] == [
        "www.example.org.", "alias.example.org.", "#a.\0 \\.example.org."]
    _, said = run("make", "--name-list", listed, "--nxdomain", 5, "--output", made, status=2)
    assert "--nxdomain" in said and said.count("\n") == 1
    listed.write_text("# nothing\n")
    _, said = run("make", "--name-list", listed, "--output", made, status=2)
    assert str(listed) in said and said.count("\n") == 1, said


def test_convert(folder):
    capture, packets = folder / "sample.pcap", sample()
    write_pcap(capture, packets)
    queries = [p for p in packets if not p.message[2] & 0x80]
    copied = folder / "copied.pcap"
    run("convert", capture, "--output", copied)
    assert read_pcap(copied) == queries, "queries keep octets, times, addresses, ports"
    run("convert", capture, "--answers", "--output", copied)
    assert read_pcap(copied) == packets, "and answers, where they are wanted"

    text = folder / "list.txt"
    run("convert", capture, "--output", text)
    lines = [f"{name_of(p.message)} {'A' if p.message[-3] == 1 else 'AAAA'}" for p in queries]
    assert text.read_text().splitlines() == lines

    binary = folder / "list.bin"
    run("convert", capture, "--output", binary)
    assert binary.read_bytes() == b"".join(struct.pack(">H", len(p.message)) + p.message
                                           for p in queries)

    run("convert", text, "--recursion-desired", "--rate", 1000, "--list-client", "10.9.8.7",
        "--output", copied)
    back = read_pcap(copied)
    assert [p.message[2:] for p in back] == [p.message[2:] for p in queries]
    assert [p.ns for p in back] == [i * 1_000_000 for i in range(len(back))]
    assert {p.source for p in back} == {bytes([10, 9, 8, 7])}

    streamed, _ = run("convert", "-", "--to", "text", stdin=capture.read_bytes())
    assert streamed == text.read_bytes(), "from standard input to standard output"


def test_prepare(folder):
    capture, prepared = folder / "sample.pcap", folder / "sample.prepared"
    write_pcap(capture, sample())
    _, said = run("convert", capture, "--output", prepared)
    assert "12 queries of 3 clients, 1 of them with an answer" in said, said
    assert prepared.read_bytes()[:4] == b"\x89DNS"
    _, said = run("convert", capture, "--client", "192.0.2.1", "--to", "prepared", "--output", prepared)
    assert "4 queries of 1 clients" in said, said
    text = folder / "list.txt"
    text.write_text("a.test A rcode=NXDOMAIN\nb.test AAAA\n")
    _, said = run("convert", text, "--output", prepared)
    assert "a list of 2 queries" in said, said
    _, said = run("make", "--rate", 1000, "--duration", 1, "--clients", 10, "--output", prepared)
    assert "queries of 10 clients" in said, said
    for words, told in ((("convert", prepared), "it is prepared for trials"),
                        (("convert", text, "--type", "A", "--to", "prepared", "--output", folder / "x"),
                         "a list is prepared whole"),
                        (("convert", capture, "--type", "MX", "--to", "prepared", "--output", folder / "x"),
                         "there is no query to prepare"),
                        (("convert", capture, "--to", "prepared"), "name one with --output"),
                        (("make", "--to", "prepared"), "name one with --output"),
                        (("anonymise", capture, "--to", "prepared", "--output", folder / "x"),
                         "--to prepared belongs to convert")):
        _, said = run(*words, status=2)
        assert told in said and said.count("\n") == 1, (words, said)
    assert not (folder / "x").exists()


def test_filters(folder):
    capture = folder / "filters.pcap"
    write_pcap(capture, sample())

    def kept(*options):
        output, _ = run("convert", capture, "--to", "text", *options)
        return output.decode().splitlines()

    assert len(kept()) == 12
    assert kept("--type", "aaaa") == [line for line in kept() if line.endswith("AAAA")]
    assert len(kept("--name", "EXAMPLE.org")) == 8
    assert len(kept("--name", "www.example.org", "--name", "test")) == 8
    assert kept("--name", "xample.org") == []
    assert len(kept("--client", "192.0.2.1", "--client", "192.0.2.2/31")) == 12
    assert len(kept("--client", "192.0.2.2/31")) == 8
    assert kept("--server", "192.0.2.54") == kept("--opcode", "4") == []
    assert len(kept("--server", "192.0.2.53", "--opcode", "0")) == 12
    assert len(kept("--since", "0.5")) == 10
    assert len(kept("--since", "0.5", "--until", "1")) == 2
    assert kept("--port", "54") == []


def test_merge_order(folder):
    packets = [p for p in sample() if not p.message[2] & 0x80]
    write_pcap(folder / "even.pcap", packets[::2])
    write_pcap(folder / "odd.pcap", packets[1::2])
    run("convert", folder / "even.pcap", folder / "odd.pcap", "--output", folder / "both.pcap")
    assert read_pcap(folder / "both.pcap") == packets


def test_merge(folder):
    queries = [p for p in sample() if not p.message[2] & 0x80]
    later = [p._replace(ns=p.ns + 10**12) for p in queries]
    write_pcap(folder / "first.pcap", queries)
    write_pcap(folder / "later.pcap", later)
    run("merge", folder / "later.pcap", folder / "first.pcap", "--output", folder / "both.pcap")
    assert read_pcap(folder / "both.pcap") == queries + later
    run("merge", folder / "later.pcap", folder / "first.pcap", "--align", "--output",
        folder / "both.pcap")
    assert read_pcap(folder / "both.pcap") == [p for p in queries for _ in range(2)]


def test_slice(folder):
    queries = [p for p in sample() if not p.message[2] & 0x80]
    queries += [p._replace(ns=p.ns + 100 * 10**9) for p in queries[:2]]
    write_pcap(folder / "whole.pcap", queries)
    run("slice", folder / "whole.pcap", "--length", 1, "--output", folder / "part.pcap")
    parts = sorted(folder.glob("part-*.pcap"))
    assert [p.name for p in parts] == ["part-0000.pcap", "part-0001.pcap", "part-0002.pcap",
                                       "part-0100.pcap"]
    assert [len(read_pcap(p)) for p in parts] == [4, 4, 4, 2]
    assert sum(map(read_pcap, parts), []) == queries


def test_anonymise(folder):
    packets = sample()
    write_pcap(folder / "named.pcap", packets)
    (folder / "key").write_bytes(b"k" * 32)
    options = ("anonymise", folder / "named.pcap", "--keep", "192.0.2.53")
    _, said = run(*options, "--key", folder / "key", "--output", folder / "a.pcap")
    assert "1 answers" in said and "key" not in said, said
    run(*options, "--key", folder / "key", "--output", folder / "b.pcap")
    assert (folder / "a.pcap").read_bytes() == (folder / "b.pcap").read_bytes()
    queries = [p for p in packets if not p.message[2] & 0x80]
    hidden = read_pcap(folder / "a.pcap")
    pseudonyms = {}
    for query, other in zip(queries, hidden, strict=True):
        assert (other.ns, other.sport, other.tport) == (query.ns, query.sport, query.tport)
        assert other.target == query.target and other.source != query.source
        assert other.message[:12] == query.message[:12] and other.message[-4:] == query.message[-4:]
        name, pseudonym = name_of(query.message), name_of(other.message)
        assert [len(label) for label in name.split(".")] == [len(label) for label in
                                                             pseudonym.split(".")]
        assert pseudonyms.setdefault(name.lower(), pseudonym) == pseudonym
        assert pseudonym.endswith(".org.") == name.lower().endswith(".org.")
        assert "example" not in pseudonym and "www" not in pseudonym
        assert not pseudonym.endswith(".test."), "test is no public suffix"
    assert len(set(pseudonyms.values())) == 3
    assert len({p.source for p in hidden}) == 3
    assert pseudonyms["www.example.org."].endswith("." + pseudonyms["example.org."])
    _, said = run(*options, "--output", folder / "c.pcap")
    assert "another run gives other pseudonyms" in said
    assert read_pcap(folder / "c.pcap")[0].source != hidden[0].source


def test_stats(folder, schemas):
    capture, result = folder / "stats.pcap", folder / "stats.json"
    packets = sample()
    write_pcap(capture, packets)
    said, _ = run("stats", capture, "--json", result, "--top", 2)
    stats = json.loads(result.read_text())
    assert not (misfit := schemas.misfit_of_result(stats)), misfit
    assert (stats["packets"], stats["queries"], stats["answers"]) == (13, 12, 1)
    assert stats["types"] == {"A": 6, "AAAA": 6}
    assert stats["rcodes"] == {"NXDOMAIN": 1}
    assert stats["opcodes"] == {"QUERY": 12}
    assert stats["names"]["distinct"] == stats["clients"]["distinct"] == 3
    assert len(stats["names"]["most_frequent"]) == 2
    assert stats["names"]["most_frequent"][0] == {"text": "a.test.", "queries": 4}
    assert stats["since_ns"] == packets[0].ns and stats["until_ns"] == packets[-1].ns
    seconds = collections.Counter(p.ns // 10**9 * 10**9 for p in packets if p.tport == 53)
    assert {row["since_ns"]: row["queries"] for row in stats["over_time"]} == seconds
    assert [row["covered_s"] for row in stats["over_time"]] == [1, 1, 0.75]
    assert sum(row["answers"] for row in stats["over_time"]) == 1
    assert abs(stats["rate"] - 12 / 2.75) < 1e-9
    text = said.decode()
    assert "NXDOMAIN" in text and "192.0.2.1" in text and "2001-09-09T01:46:40" in text
    assert stats["doubled"] == 0 and "come again" not in text
    run("stats", capture, "--type", "A", "--json", result)
    filtered = json.loads(result.read_text())
    assert (filtered["queries"], filtered["filtered"]) == (6, 6)


def test_stats_of_doubled(folder, schemas):
    """Packets that were captured twice are counted, and told where they are many."""
    capture, result = folder / "doubled.pcap", folder / "doubled.json"
    packets = sample()
    twice = [one for packet in packets for one in (packet, packet._replace(ns=packet.ns + 20_000))]
    write_pcap(capture, twice)
    said, _ = run("stats", capture, "--json", result)
    stats = json.loads(result.read_text())
    assert not (misfit := schemas.misfit_of_result(stats)), misfit
    assert (stats["queries"], stats["doubled"]) == (24, 12)
    assert "50.0 % of the captures' queries come again" in said.decode()
    write_pcap(capture, [one for packet in packets for one in (packet, packet._replace(ns=packet.ns + 2_000_000))])
    run("stats", capture, "--json", result)
    assert json.loads(result.read_text())["doubled"] == 0


def test_stats_over_time(folder):
    """Intervals begin with the first message and end with the last; none is left out."""
    first = 10**18 + 865_000_000
    asked = query("a.test.", 1)

    def stats_of(*at_ms):
        capture, result = folder / "over-time.pcap", folder / "over-time.json"
        write_pcap(capture, [Packet(first + ms * 10**6, bytes(4), 4000, bytes([192, 0, 2, 53]), 53, asked)
                             for ms in at_ms])
        said, _ = run("stats", capture, "--json", result)
        rows = json.loads(result.read_text())["over_time"]
        table = said.decode().split("from, s")[1].splitlines()[2:]
        return ([((row["since_ns"] - first) // 10**6, row["covered_s"], row["queries"]) for row in rows],
                [line.split() for line in table if line])

    rows, shown = stats_of(*range(0, 1000, 10), 3000, 3250, 3500)
    assert rows == [(0, 1, 100), (1000, 1, 0), (2000, 1, 0), (3000, 0.5, 3)], rows
    assert shown == [["0.000", "1.000", "100.0", "0.0"], ["1.000", "1.000", "0.0", "0.0"],
                     ["2.000", "1.000", "0.0", "0.0"], ["3.000", "0.500", "6.0", "0.0"]], shown
    # A single moment has no rate.
    rows, shown = stats_of(0, 1000)
    assert rows == [(0, 1, 1), (1000, 0, 1)] and shown[1] == ["1.000", "0.000", "-", "-"], (rows, shown)
    # Messages before the one that was read first have an interval that begins with them.
    rows, shown = stats_of(0, -250, 500)
    assert rows == [(-250, 0.25, 1), (0, 0.5, 2)], rows
    assert shown == [["0.000", "0.250", "4.0", "0.0"], ["0.250", "0.500", "4.0", "0.0"]], shown
    stats_of(0, 2000)
    _, said = run("stats", folder / "over-time.pcap", "--interval", "0.000001", status=2)
    assert "use a longer --interval" in said and said.count("\n") == 1, said


def test_extended_rcodes(folder):
    """The upper bits of an RCODE stand in the OPT record, with or without a question."""
    asked = query("a.test.", 1)
    opt = b"\0" + struct.pack(">HHBBHH", 41, 1232, 1, 0, 0, 0)
    private = opt[:5] + b"\xf0" + opt[6:]
    a_record = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 60, 4) + bytes(4)

    def reply(flags, additional=b"", questions=1, answers=b""):
        return (asked[:2] + struct.pack(">HHHHH", flags, questions, bool(answers), 0, bool(additional))
                + asked[12:] * questions + answers + additional)

    messages = [reply(0x8180), reply(0x8180, opt), reply(0x8187, opt), reply(0x8181, private),
                reply(0x8180, opt, answers=a_record), reply(0x8185, questions=0),
                reply(0x8187, opt, questions=0), reply(0x8187, opt[:-1])]
    capture, result = folder / "rcodes.pcap", folder / "rcodes.json"
    write_pcap(capture, [Packet(10**18 + i, bytes([192, 0, 2, 53]), 53, bytes(4), 4000, message)
                         for i, message in enumerate(messages)])
    said, _ = run("stats", capture, "--json", result)
    assert json.loads(result.read_text())["rcodes"] == {
        "NOERROR": 1, "BADVERS": 2, "BADCOOKIE": 2, "RCODE31+": 1, "REFUSED": 1, "YXRRSET": 1}, said
    assert b"BADCOOKIE" in said
    # BADVERS says nothing of a name.
    _, said = run("names", capture)
    assert "7 answers that are errors, referrals or damaged" in said, said


def test_dropped_answers_are_told(folder):
    capture = folder / "answered.pcap"
    write_pcap(capture, sample())
    for verb, *options in (("convert",), ("merge",), ("slice", "--length", 100)):
        words = (verb, capture, *options, "--output", folder / "dropped.pcap")
        _, said = run(*words)
        assert "left out: 1 answers, which --answers keeps" in said, (verb, said)
        for more in (("--answers",), ("--client", "198.51.100.1")):
            _, said = run(*words, *more)
            assert "answers" not in said, (verb, said)


def test_no_output_replaces_an_input(folder):
    capture, text = folder / "own-0000.pcap", folder / "own.txt"
    write_pcap(capture, sample())
    text.write_text("a.test\n")
    (folder / "link.pcap").symlink_to(capture)
    for words in (("convert", capture, "--output", folder / "link.pcap"),
                  ("convert", capture, "--to", "prepared", "--output", capture),
                  ("merge", capture, text, "--output", text),
                  ("slice", capture, "--length", 100, "--output", folder / "own.pcap"),
                  ("anonymise", capture, "--output", capture),
                  ("names", capture, "--output", capture),
                  ("stats", capture, "--json", capture),
                  ("make", "--name-list", text, "--output", text)):
        before = capture.read_bytes()
        _, said = run(*words, status=2)
        assert "would replace the input" in said and said.count("\n") == 1, (words, said)
        assert capture.read_bytes() == before and text.read_text() == "a.test\n", words


def test_losses_are_told(folder):
    capture = folder / "snapped.pcap"
    write_pcap(capture, sample(), snap=60)
    _, said = run("convert", capture, "--output", folder / "out.txt")
    assert "packets that were captured in part" in said, said
    odd = [p._replace(message=p.message[:4] + b"\0\2" + p.message[6:]) for p in sample()]
    write_pcap(capture, odd)
    output, said = run("convert", capture, "--to", "text")
    assert output == b"" and "12 messages that the output's form cannot hold" in said, said


def test_bad_input(folder):
    capture = folder / "whole.pcap"
    write_pcap(capture, sample())
    (folder / "cut.pcap").write_bytes(capture.read_bytes()[:-1])
    write_pcap(folder / "wifi.pcap", sample(), link=105)
    (folder / "long.txt").write_text("a" * 70000 + " A\n")
    (folder / "bad.txt").write_text("a A\nb\n")
    output = folder / "output.txt"
    output.write_text("kept")
    for words, told in (
            ((folder / "cut.pcap",), "damaged after packet 12"),
            ((folder / "wifi.pcap",), "link type IEEE802_11"),
            ((folder / "missing",), "No such file"),
            ((folder,), "directory"),
            ((folder / "long.txt",), "at most 65536 octets"),
            ((folder / "bad.txt",), "line 2"),
            ((capture, "--to", "xml"), "--to"),
            ((capture, "--type", "WHAT"), "--type"),
            ((capture, "--name", "a..b"), "name"),
            ((capture, "--name", "a b"), "--name"),
            ((capture, "--client", "10.0.0.1/8"), "10.0.0.0/8"),
            ((capture, "--since", "2", "--until", "1"), "--until"),
            ((capture, "--list-client", "::1"), "IP versions"),
            ((capture, "--output", folder / "no" / "such"), "no/such"),
            ((), "FILE")):
        _, said = run("convert", *words, *(() if "--output" in words else ("--output", output)),
                      status=2)
        assert told in said and said.count("\n") == 1, (words, said)
    assert output.read_text() == "kept", "a file that is there stays as it was"
    assert not list(folder.glob("*.tmp*"))
    (folder / "short").write_text("secret")
    for words in (("slice", capture, "--length", "1"), ("slice", capture, "--output", output),
                  ("anonymise", capture, "--key", folder / "short", "--to", "text"),
                  ("anonymise", capture, "--key", folder / "none", "--to", "text"),
                  ("make", "--types", "A=1"), ("make", "--clients", "0"), ("make", "--do", "1"),
                  ("make", "--rate", "0"), ("stats", capture, "--interval", "0"), ("nothing",), ()):
        _, said = run(*words, status=2)
        assert said.count("\n") == 1, (words, said)
    assert "see dnsgauge-queries --help" in said


def main():
    schemas = Schemas(sys.argv[2])
    for test in (test_make, test_names, test_convert, test_prepare, test_filters, test_merge_order,
                 test_merge, test_slice, test_anonymise,
                 lambda folder: test_stats(folder, schemas),
                 lambda folder: test_stats_of_doubled(folder, schemas), test_stats_over_time, test_extended_rcodes,
                 test_dropped_answers_are_told, test_no_output_replaces_an_input, test_losses_are_told,
                 test_bad_input):
        with tempfile.TemporaryDirectory() as scratch:
            test(Path(scratch))


if __name__ == "__main__":
    main()
