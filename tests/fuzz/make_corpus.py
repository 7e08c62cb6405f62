#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes the seeds in corpus/ from the unit tests' fixtures; people add what fuzzing found."""

import base64
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "lab"))
from faults import FAULTS  # noqa: E402
from faulty_server import Addresses, Maker, Query  # noqa: E402

DATA = HERE.parent / "unit" / "data"
TREE = HERE.parent.parent


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


def wire_name(text):
    return b"".join(label(part.encode()) for part in text.split(".") if part) + b"\0"


def query(name, qtype, edns=b""):
    header = bytes.fromhex("1234 0100 0001 0000 0000") + len(edns and b"1").to_bytes(2, "big")
    return header + wire_name(name) + qtype.to_bytes(2, "big") + b"\0\1" + edns


A, NS, SOA, AAAA, ANY = 1, 2, 6, 28, 255
OPT = bytes.fromhex("00 0029 04d0 00000000 0000")
COOKIE = bytes.fromhex("00 0029 04d0 00008000 000c 000a 0008 0011223344556677")
# The zones of support/program_configs.h.
ZONES = ("t", "a-rather-long-label-of-a-zone.another-long-label-of-it.testin", "xdns64perf.test",
         "a.b.c.d.e.f.g.h", "b.b.c.d.e.f.g.h", "zones.invalid")
write("query", {n.removesuffix(".query"): d for n, d in answers.items() if n.endswith(".query")} | {
    f"zone_{zone.replace('.', '_')[:12]}_{i}": query(f"010-000-000-00{i}.{zone}", qtype, edns)
    for zone in ZONES for i, (qtype, edns) in enumerate(((A, b""), (AAAA, OPT)))
} | {
    "apex_of_short": query("t", SOA),
    "ns_of_short": query("ns.t", A),
    "ns6_of_short": query("ns.t", AAAA),
    "ns_any": query("ns.zones.invalid", ANY),
    "ns_of_long": query("NS." + ZONES[1].upper(), AAAA, COOKIE),
    "inside_a_label": query("xa.b.c.d.e.f.g.h", NS),
    "no_name_above": query("c.d.e.f.g.h", NS),
    "cookie_cut": query("010-000-000-001.t", A, COOKIE[:-1]),
})
CNAME, PTR, MX, TXT, DS, HTTPS, AXFR, CAA = 5, 12, 15, 16, 43, 65, 252, 257
TINY_OPT, LARGE_OPT, LATER_OPT = (OPT[:3] + bytes.fromhex(octets) + OPT[5:] for octets in ("0000", "ffff", "04d0"))
LATER_OPT = LATER_OPT[:6] + b"\1" + LATER_OPT[7:]
# Names of every kind that the default Internet has.
write("world_query", {
    f"apex_{qtype}": query("d6.info", qtype, OPT)
    for qtype in (A, NS, CNAME, SOA, PTR, MX, TXT, AAAA, DS, HTTPS, ANY, CAA, 65280)
} | {
    "host": query("a.d0.info", A),
    "host_nodata": query("www.d0.info", TXT, OPT),
    "absent": query("a.d7.info", A, OPT),
    "empty": query("a.d9.info", A, OPT),
    "server": query("ns1.d7.info", A),
    "wildcard": query("www.d90.info", A, OPT),
    "subzone": query("www.d11.info", TXT, OPT),
    "alias": query("a.d11.info", A, OPT),
    "aliases": query("ns1.d39.info", AAAA, OPT),
    "target": query("c0-054d4191d260a92e.cdn-006.org", A),
    "root_ns": query("", NS, LARGE_OPT),
    "root_soa": query("", SOA),
    "registry": query("com", NS, OPT),
    "registry_ds": query("com", DS, OPT),
    "no_such_registry": query("www.no-such-tld", A, OPT),
    "root_server": query("a.root-servers.net", AAAA),
    "reverse": query("1.2.0.192.in-addr.arpa", PTR, COOKIE),
    "text": query("d51.info", TXT, LARGE_OPT),
    "text_truncated": query("d51.info", TXT, TINY_OPT),
    "later_edns": query("www.example.org", A, LATER_OPT),
    "capitals": query("WWW.D3.CoM", MX),
    "transfer": query("d3.com", AXFR),
    "other_class": query("d3.com", A)[:-1] + b"\3",
    "asterisk": query("*.d90.info", A, OPT),
    "longest_name": query(".".join(("x" * 63,) * 3 + ("y" * 57, "com")), A, OPT),
    "most_labels": query("z." * 125 + "com", A),
    "odd_octets": query("a\0.\\.d3.com", A),
    "header": query("", A)[:12],
    "name_cut": query("www.d3.com", A)[:-6],
    "update": b"\0\1\x28" + query("d3.com", SOA)[3:],
    "empty": b"",
})
chosen = ("a", "a_edns", "aaaa", "aaaa_none", "a_mixed_case", "nxdomain", "refused", "formerr")
replies = {name: answers[name + ".answer"] for name in chosen}
asked_for = query("010-000-000-001.dns64perf.test", AAAA)
asked_for = asked_for[:2] + bytes.fromhex("8180 0001 0001") + asked_for[8:]


def answered(data, qtype=AAAA):
    return (asked_for + bytes.fromhex("c00c") + qtype.to_bytes(2, "big") + bytes.fromhex("0001 00000e10")
            + len(data).to_bytes(2, "big") + data)


replies |= {
    "synthesized": answered(bytes.fromhex("20010db8 00640000 00000000 0a000001")),
    "of_its_own": answered(bytes.fromhex("20010db8 01220344 000a0000 01000000")),
    "any_data": answered(bytes.fromhex("fe80000000000000 0000000000000001")),
    "truncated": asked_for[:2] + b"\x83" + asked_for[3:],
    "cname_first": asked_for[:7] + b"\2" + answered(wire_name("a.test"), 5)[8:]
                   + label(b"a") + label(b"test") + b"\0" + answered(bytes.fromhex(
                       "20010db8 00640000 00000000 0a000001"))[len(asked_for) + 2:],
}
right = answered(bytes.fromhex("20010db8 00640000 00000000 0a000001"))
right = right[:2] + bytes.fromhex("8580") + right[4:]
record = right[len(asked_for):]
opt = bytes.fromhex("00 0029 04d0 00000000 0000")


def counted(message, count_of_answers, additional=0):
    """Returns the message with these counts of records."""
    return (message[:6] + count_of_answers.to_bytes(2, "big") + message[8:10]
            + additional.to_bytes(2, "big") + message[12:])


alias = bytes.fromhex("c00c 0005 0001 00000e10 0003 01 61 00")
replies |= {
    "authoritative": right,
    "one_opt": counted(right + opt, 1, 1),
    "two_opts": counted(right + opt * 2, 1, 2),
    "opt_of_a_name": counted(right + b"\xc0\x0c" + opt[1:], 1, 1),
    "badvers": counted(right + opt[:5] + b"\1" + opt[6:], 1, 1),
    "twice": counted(right + record, 2),
    "wrong_beside": counted(right + record[:-1] + b"\2", 2),
    "one_too_few": counted(right, 2),
    "trailing": right + bytes(12),
    "z": right[:3] + b"\xc0" + right[4:],
    "owner_zone": right[:len(asked_for)] + b"\xc0\x1c" + record[2:],
    "owner_loop": right[:len(asked_for)] + b"\xc0" + bytes([len(asked_for)]) + record[2:],
    "owner_whole": right[:len(asked_for)] + wire_name("010-000-000-001.DNS64perf.test") + record[2:],
    "owner_other": right[:len(asked_for)] + wire_name("010-000-000-002.dns64perf.test") + record[2:],
    "cname_to_itself": counted(right[:len(asked_for)] + bytes.fromhex("c00c 0005 0001 00000e10 0002 c00c")
                               + record, 2),
    "chain": counted(right[:len(asked_for)] + alias + b"\1a\0" + record[2:], 2),
}
# A frame around a right reply, without a checksum, as IPv4 allows.
ipv4 = bytearray(frames["ipv4.there"][:42])
ipv4[16:18] = (28 + len(replies["a"])).to_bytes(2, "big")
ipv4[38:42] = (8 + len(replies["a"])).to_bytes(2, "big") + b"\0\0"
# A reply of each kind that the lab's faulty server has.
faulty = Maker(Query(query("010-000-000-001.dns64perf.test", AAAA, OPT)), Addresses("2001:db8:64::"))
lies = {f"faulty_{fault.name}": reply for fault in FAULTS for reply in faulty.now(fault.name)[-1:]}
write("reply", replies | frames | {"frame_of_a": bytes(ipv4) + replies["a"]} |
      {name: reply for name, reply in lies.items() if name == "faulty_right" or reply != lies["faulty_right"]})
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


def over_tcp(*messages):
    return b"".join(len(m).to_bytes(2, "big") + m for m in messages)


asked = [answers[name + ".query"] for name in ("a", "aaaa_edns_do", "nxdomain", "apex_soa", "txt")]
write("tcp", {
    "one": over_tcp(asked[0]),
    "many": over_tcp(*asked),
    "same": over_tcp(*asked[:1] * 40),
    "empty": over_tcp(b"", asked[0], b""),
    "reply": over_tcp(answers["a.answer"], asked[0]),
    "cut": over_tcp(*asked)[:-7],
    "longest": b"\xff\xff" + over_tcp(asked[0]),
})

# ---- files


def lines(*values):
    return b"".join(json.dumps(v, separators=(",", ":")).encode() + b"\n" for v in values)


header = {"schema": "dnsgauge/search-journal/1", "options": {"timeout": 0.25}}


stamps = {"receive": "none", "transmit": "none", "contradictory": 0}
circumstances = {"started": "", "version": "", "command": [], "kernel": "", "cpu_model": "", "cpus": 2,
                 "sender_cpus": [0], "sender_cpus_why": "", "sender_nice": -20, "interface": "", "driver": "",
                 "mtu": 1500, "link_mbps": None, "queues": 1, "xdp_mode": "", "af_xdp_mode": "",
                 "umem_pages": "", "busy_poll": False, "idle_cpus": "", "kick_budget": 32,
                 "timestamps": stamps, "source_address": "", "next_hop_mac": "",
                 "source_ports": 4000, "first_source_port": 1024}


def trial(rate, verdict, number=1, **with_others):
    return {"record": "trial", "repetition": 1, "number": number,
            "trial": {"rate": rate, "verdict": verdict, "sent": rate, "valid": 1, "why": "\u00e9",
                      "circumstances": circumstances | with_others}}


search = [trial(1, "pass"), trial(8, "fail", 2), trial(4, "pass", 3), trial(6, "fail", 4), trial(5, "pass", 5)]
write("journal", {
    "begun": lines(header),
    "search": lines(header, *search),
    "resumed": lines(header, *search[:2], {"record": "resumed"}, *search[2:]),
    "invalid": lines(header, search[0], trial(8, "invalid", 2), search[1]),
    "twice": lines(header, search[0], trial(8, "fail")),
    "torn": lines(header, *search)[:-9],
    "torn_header": lines(header)[:30],
    "no_end": lines(header, *search)[:-1],
    "not_ours": lines({"schema": "dnsgauge/trial/1"}),
    "other": lines(header | {"options": {"timeout": 1}}, *search),
    "no_record": lines(header, 17),
    "escapes": lines(header, trial(1, "pass") | {"record": "\x1b[2J\n"}),
    "fraction": lines(header, trial(1.5, "pass")),
    "negative": lines(header, trial(-1, "pass")),
    "too_nice": lines(header, trial(1, "pass", sender_nice=2 ** 40)),
    "too_large": lines(header, trial(1, "pass", mtu=2 ** 32)),
    "no_cpu": lines(header, trial(1, "pass", sender_cpus=[None])),
    "deep": lines(header) + b"[" * 20000 + b"]" * 20000 + b"\n",
    "deep_header": b'{"schema":' + b"[" * 20000 + b"]" * 20000 + b"}\n",
})

def whole(rate=100, verdict="pass", repetition=1, number=1, **changes):
    counts = {"sent": rate, "valid": rate, "late": 0, "invalid": {"total": 0}, "lost": 0}
    part = {"sent": rate, "valid": rate, "rtt_ns": {"p50": 1000, "p99": 2000}, "rcodes": {"NOERROR": rate}}
    curve = {"slower_than_1ms": 0, "slower_than_10ms": 0, "slower_than_100ms": 0, "slower_than_1s": 0,
             "points": [[1, 900], [0.1, 2000]]}
    return {"record": "trial", "repetition": repetition, "number": number,
            "trial": {"server": "192.0.2.53", "rate": rate, "verdict": verdict, "why": "", "duration_s": 1,
                      **part, **counts, "sending": {"lateness_ns": {"p99": 1, "max": 2}},
                      "intervals": [{"since_s": 0, **part}], "later_part": part, "later_rtt_curve": curve,
                      "rtt_curve": curve, "circumstances": circumstances} | changes}


def memory(octets):
    return {"record": "memory", "processes": [{"process": 7, "name": "named", "memory_octets": octets}]}


part = whole()["trial"]["later_part"]
write("series_journal", {
    "steps": lines(whole(100), whole(200, number=2)),
    "runs": lines(whole(100), whole(100, repetition=2)),
    "run": lines(whole(100)),
    "loads": lines(whole(200)),
    "rows": lines(memory(2 ** 20), whole(100), memory(2 ** 63), whole(100, "fail", number=2, valid=90, lost=10)),
    "too_many_answers": lines(whole(100, valid=101)),
    "too_many_late": lines(whole(100, late=2 ** 64 - 1)),
    "all_at_once": lines(whole(100, late=1, lost=1)),
    "untold": lines(whole(100, valid=1)),
    "no_query": lines(whole(100, sent=0, valid=0)),
    "no_query_of_loads": lines(whole(200, sent=0, valid=0)),
    "too_many_answers_of_loads": lines(whole(200, valid=201)),
    "too_many_queries": lines(whole(100, sent=2 ** 64 - 1, valid=2 ** 64 - 1)),
    "twice": lines(*[whole(100)] * 3),
    "endless": lines(whole(100, intervals=[{"since_s": 1e300, **part}])),
    "busy_interval": lines(whole(100, intervals=[{"since_s": 0, **part, "valid": 101}])),
    "busy_part": lines(whole(100, later_part=part | {"valid": 101})),
    "escapes": lines(whole(100, rcodes={"\x1b[2J": 1})),
    "no_share": lines(whole(100, later_rtt_curve=whole()["trial"]["rtt_curve"] | {"slower_than_1s": 1e308})),
    "huge": lines(whole(100)).replace(b'"lost":0', b'"lost":1e999'),
    "nan": lines(whole(100)).replace(b'"lost":0', b'"lost":NaN'),
    "zero": lines(whole(100)) + b"\0" * 20,
    "words": lines(whole(100, sent="100", valid=[100])),
    "deep": b"[" * 20000 + b"]" * 20000 + b"\n",
    "search": lines(*search),
})

setup = {"version": "0.1.0", "kernel": "", "host": "", "cpu_model": "", "cpus": 0,
         "interface": "eth1", "driver": "", "mtu": 0, "link_mbps": None, "receive_queues": 0,
         "transmit_queues": 0, "sender_cpus": [], "xdp_mode": "", "af_xdp": "", "busy_poll": False,
         "idle_cpus": "", "timestamps": "", "source_ports": 0, "vlan": None, "ip_version": 4}
modes = {"xdp_mode": "native", "af_xdp_mode": "copy"}
selftest = {"schema": "dnsgauge/selftest/1", "timeout_s": 0.25, "duration_s": 60.0,
            "max_lateness_s": 0.05, "max_overrun_s": 0.001, "allowed_rate": 1000, "stopped_by": None,
            "rfc8219": {"compliant": True, "deviations": []},
            "finished": "2026-11-21T14:00:00Z", "setup": setup, "circumstances": modes}
certificate = {"schema": "dnsgauge/calibration/1", "doubts": [], "allowed_rate": 1000,
               "timeout_s": 0.25, "duration_s": 1.0, "attempts": 3,
               "limits_s": {"bias": 0.0005, "lateness": 0.05, "lateness_p99": 0.001, "overrun": 0.001},
               "finished": "2026-11-21T15:00:00Z", "setup": setup}
write("record", {
    "selftest": lines(selftest),
    "too_slow": lines(selftest | {"allowed_rate": 999}),
    "failed": lines(selftest | {"allowed_rate": None, "stopped_by": {"why": "3 lost"}}),
    "short": lines(selftest | {"duration_s": 1.0}),
    "deviates": lines(selftest | {"rfc8219": {"compliant": False, "deviations": ["tried again"]}}),
    "other_setup": lines(selftest | {"setup": setup | {"mtu": 1500}}),
    "no_time": lines(selftest | {"timeout_s": -1}),
    "no_rate": lines(selftest | {"allowed_rate": -1}),
    "deep": lines(selftest)[:-2] + b',"setup":' + b"[" * 20000 + b"]" * 20000 + b"}",
    "certificate": lines(certificate),
    "doubtful": lines(certificate | {"doubts": [{"figure": "RTT", "why": "its bias"}]}),
    "escapes": lines(certificate | {"finished": "\x1b[2J\n"}),
    "selftest_escapes": lines(selftest | {"allowed_rate": None, "stopped_by": {"why": "\x1b[2J"}}),
    "goes_less_far": lines(certificate | {"allowed_rate": 1}),
    "lax": lines(certificate | {"attempts": 100, "timeout_s": 0.1}),
    "no_attempts": lines(certificate | {"attempts": -1}),
    "negative": lines(certificate | {"allowed_rate": -1}),
})

change = {"setting": "irq-cpus", "knob": "file", "where": "/proc/irq/25/smp_affinity_list",
          "before": "0-3", "after": "2"}
placed = {"schema": "dnsgauge/placement-record/1", "boot": "one", "netns": "4026531840",
          "netns_cookie": 1, "interface": "eth0", "interface_index": 2, "device": "/sys/devices/pci0",
          "changes": [change]}


def one_change(**with_others):
    return lines(placed | {"changes": [change | with_others]})


write("placement_record", {
    "interrupt": lines(placed),
    "all_kinds": lines(placed | {"changes": [change | {"knob": knob, "where": where} for knob, where in (
        ("file", "/sys/class/net/eth0/queues/rx-0/rps_cpus"),
        ("file", "/sys/class/net/eth0/queues/tx-1/xps_cpus"),
        ("file", "/sys/class/net/eth0/threaded"), ("file", "/proc/sys/net/core/rmem_max"),
        ("channels", "eth0"), ("hash-key", "eth0"), ("hash-fields-udp4", "eth0"),
        ("hash-fields-udp6", "eth0"), ("process", "417 9921"), ("thread", "napi/eth0-8193"))]}),
    "any_file": one_change(where="/etc/shadow"),
    "upwards": one_change(where="/proc/irq/../../etc/smp_affinity_list"),
    "other_interface": one_change(where="/sys/class/net/eth1/threaded"),
    "upward_interface": lines(placed | {"interface": "../../.."}),
    "any_process": one_change(knob="process", where="1"),
    "any_thread": one_change(knob="thread", where="kthreadd"),
    "no_knob": one_change(knob="disk"),
    "escapes": one_change(before="\x1b[2J"),
    "negative": lines(placed | {"netns_cookie": -1}),
    "no_changes": lines(placed | {"changes": 17}),
    "other": lines(placed | {"schema": "dnsgauge/placement/1"}),
    "torn": lines(placed)[:-40],
    "deep": lines(placed)[:-2] + b',"x":' + b"[" * 20000 + b"]" * 20000 + b"}",
})

result = {"schema": "dnsgauge/trial/1", "server": "198.18.0.2", "rate": 10, "sent": 10, "valid": 9,
          "late": 0, "invalid": {"total": 0}, "lost": 1, "timeout_s": 0.25, "accept_percent": 100.0, "rtt_ns": {"p50": 1e3, "p99": 2.5e6, "max": 3e9},
          "sending": {"lateness_ns": {"p99": None}}, "verdict": "pass"}
no_times = {"count": 0, "mean": None, "p50": None, "p90": None, "p99": None, "p99_9": None, "max": None,
            "histogram": []}
times = {"count": 935, "mean": 12500.5, "p50": 11000, "p90": 20000, "p99": 90000, "p99_9": 99000,
         "max": 100000, "histogram": [[10000, 100000, 935]]}
thread = {"process": 7, "thread": 8, "name": "nsd", "queries": 942, "wakeups": 471, "migrations": 1,
          "ran_ns": 980000000, "waited_ns": 60000000}
probe = {"interface": "d0", "port": 53, "share_percent": 100.0, "duration_ns": 1000000000, "arrived": 1000,
         "followed": 1000, "dropped": {"socket_rcvbuff": 30, "netfilter_drop": 20}, "unread": 5,
         "unanswered": 7, "dropped_replies": {"qdisc_drop": 3}, "left": 935, "unseen": 0, "forgotten": 0,
         "repeated": 0, "unreadable": 0, "stack_ns": times, "queue_ns": times, "wakeup_ns": no_times, "server_ns": times,
         "leave_ns": times, "threads": [thread, thread | {"thread": 9, "queries": 1}],
         "sockets": [{"inode": 99, "process": 7, "name": "nsd", "drops": 30, "buffer_octets": 212992}]}

write("result", {
    "result": lines(result),
    "probed": lines(result | {"probe": probe}),
    "no_reply": lines(result | {"valid": 0, "rtt_ns": {"p50": None, "p99": None, "max": None}}),
    "negative": lines(result | {"sent": -1}),
    "escapes": lines(result | {"server": "\x1b[2J", "verdict": "fail\rpass"}),
    "no_schema": lines(result | {"schema": 1}),
    "other": lines({"schema": "dnsgauge/search/1"}),
    "deviates": lines(result | {"rfc8219": {"compliant": False, "deviations": ["trials of 5 s"]},
                                "selftest": {"covers": False}}),
    "no_deviations": lines(result | {"rfc8219": {"compliant": 1, "deviations": "none"}}),
})

def with_probe(**changes):
    return lines({"schema": "dnsgauge/probe/1", "probe": probe | changes})


write("probe", {
    "probe": with_probe(),
    "idle": with_probe(threads=[], sockets=[], queue_ns=no_times, server_ns=no_times, leave_ns=no_times),
    "lacking": lines({"schema": "dnsgauge/probe/1", "probe": {
        name: value for name, value in (probe | {"lacks": ["kfree_skb", "sched_switch"]}).items()
        if name not in ("dropped", "dropped_replies", "stack_ns")}}),
    "by_time": with_probe(by_time=[{"queries": 935, "stack_ns": 0, "queue_ns": 2**64 - 1, "wakeup_ns": 0,
                                    "server_ns": 11687967, "leave_ns": 1}]),
    "share": with_probe(share_percent=10.0, arrived=10000),
    "more_than_sent": with_probe(arrived=2000000, followed=2000000),
    "most": with_probe(arrived=2**64 - 1, followed=2**64 - 1, unread=2**64 - 1, duration_ns=0),
    "negative": with_probe(left=-1),
    "escapes": with_probe(threads=[thread | {"name": "\x1b[2J"}]),
    "busy": with_probe(threads=[thread], duration_ns=980000000),
    "large_socket": with_probe(sockets=[{"inode": 1, "process": 0, "name": "", "drops": 2**64 - 1,
                                         "buffer_octets": 2**64 - 1}]),
    "of_trial": lines({"sending": {"duration_ns": 500000000}, "probe": probe}),
    "none": lines({"schema": "dnsgauge/trial/1", "probe": None}),
})

write("hosts", {
    "all_of_a_host": b'[a]\ninterface = "eth{rank}"\ncpus = [2, 3]\n[b]\nvlan = 7\n',
    "each_of_a_host": b'[[a]]\ninterface = "x"\n[[a]]\nserver = "::1"\nfault-cpu = 1\n',
    "dots": b'["a.example"]\nsource = "192.0.2.1"\n',
    "dots_without_quotes": b'[a.example]\nsource = "192.0.2.1"\n',
    "one_file": b'[a]\nper-query = "q.csv"\n',
    "no_such_key": b'[a]\nrate = 9\n',
    "no_table": b'interface = "g0"\n',
    "a_list_of_numbers": b'a = [1, 2]\n',
    "wrong_value": b'[a]\ncpus = [70000]\nfirst-source-port = 1e9\n',
})

# An input has an experiment, the file that it extends, and a site's file.
EXPERIMENTS = TREE / "tools" / "experiments"


def experiment(name, site=b""):
    texts = []
    file = EXPERIMENTS / name
    while file:
        text = file.read_text(encoding="utf-8")
        found = re.search(r'^extends = "(.*)"$', text, re.MULTILINE)
        texts.append(re.sub(r'^extends = ".*"$', 'extends = "base.toml"', text, flags=re.MULTILINE))
        file = file.parent / found[1] if found else None
    # An input's files after the second one are a site's.
    base = texts[1] if len(texts) > 1 else ""
    rest = "".join(texts[2:]).encode()
    return b"\0".join([texts[0].encode(), base.replace('extends = "base.toml"', "").encode(),
                       rest + site])


write("experiment", {
    path.stem + "_of_" + path.parent.name: experiment(path.relative_to(EXPERIMENTS))
    for path in sorted(EXPERIMENTS.glob("*/*.toml")) if path.stem != "base"
} | {
    "itself": b'extends = "experiment.toml"\ntitle = "T"\n',
    "names": b'title = "T"\n[matrix]\nnames = ["10.0.0.0/8", "..", "a b", "\\n"]\n',
    "huge": b'title = "T"\n[variables]\n'
            + b"".join(b"v%d = 0\n" % i for i in range(9)) + b"[matrix]\n"
            + b"".join(b"v%d = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n" % i for i in range(9)),
    "deep": b'title = ' + b"[" * 5000,
})

write("fakedns_config", {
    "example": (TREE / "fakedns" / "fakedns.toml").read_bytes(),
    "all": b'interface = ["d0", "d1"]\nzone = ["a.test", "b.test,ttl=7,negative-ttl=1"]\nport = 5300\n'
           b'aaaa-prefix = "2001:db8::/32"\naaaa-share = 5\nttl = 1\nnegative-ttl = 2\n'
           b'xdp-mode = "generic"\ntcp-connections = 5\ntcp-idle = 6\nrate-limit = 7\n'
           b'metrics = "9153"\ntime-every = 8\nuser = "nobody"\nverbose = true\n',
    "faulty": b'interface = "d0"\nfault = ["loss=1%,delay=2%:500us", "late=1%:3s"]\npad-to = 400\n',
    "echo": b'[echo]\ninterface = "d0"\nio = "poll"\n',
    "help": b"help = true\n",
    "unknown": b"speed = 1\n",
    "inside": b'interface = "d0"\nzone = ["a.test", "b.a.test"]\n',
    "ranges": b'interface = "d0"\nport = 65536\n',
    "listed_names": rb"""# names
a\.b\000.example.org. A 300 TYPE65280 5
\035\032.www.example.com CNAME 2147483647 NAPTR 0
""",
    "listed_name_without_ttl": b"www.example.org A\n",
    "listed_type_too_large": b"www.example.org TYPE65536 5\n",
})


def words(*given):
    return b"".join(word.encode() + b"\n" for word in given)


FAKEDNS = ("--interface", "d0")
write("fakedns_options", {
    "least": words(*FAKEDNS),
    "zones": words(*FAKEDNS, "--zone", "a.test,aaaa-prefix=2001:db8::/32,aaaa-share=5", "--zone",
                   "b.test,ttl=7,negative-ttl=1", "--ttl=1"),
    "all": words(*FAKEDNS, "--interface", "d1", "--port", "5300", "--aaaa-prefix", "64:ff9b::/96",
                 "--aaaa-share", "50", "--negative-ttl", "2", "--xdp-mode", "generic",
                 "--tcp-connections", "5", "--tcp-idle", "6", "--rate-limit", "7", "--metrics",
                 "[::1]:9153", "--time-every", "8", "--user", "nobody", "--verbose"),
    "faulty": words(*FAKEDNS, "--fault", "loss=1%,delay=2%:500us", "--fault=late=1%:3s", "--pad-to",
                    "400", "--fault-cpu", "1"),
    "faulty_connections": words(*FAKEDNS, "--fault", "refuse=1%,reset=2%:20,coalesce=3%:8,split=4%"),
    "predict": words("--fault", "wrong-id=3%", "--predict", "10.0.0.0/8"),
    "no_interface": words("--zone", "a.test"),
    "empty_interface": words("--interface", ""),
    "no_zone": words(*FAKEDNS, "--zone", ""),
    "echo": words("echo", *FAKEDNS, "--io", "af_packet", "--forks", "2", "--threads=3", "--cpus",
                  "0,2-5", "--port", "5301"),
    "echo_sockets": words("echo", *FAKEDNS, "--io", "poll", "--reuseport"),
    "echo_xdp": words("echo", *FAKEDNS, "--io", "xdp", "--xdp-mode", "native", "--verbose"),
})

SEARCH = ("--interface", "g0", "--server", "198.18.0.2", "--names", "10.0.0.0/8", "--max-rate", "100000",
          "--journal", "j")
write("search_options", {
    "least": words(*SEARCH),
    "range": words(*SEARCH, "--min-rate", "100", "--resolution=10", "--repeat", "3", "--confirm", "2"),
    "between": words(*SEARCH, "--before-trial", "true", "--before-trial-timeout", "5",
                     "--ready-timeout", "0.5", "--pause", "0", "--resume", "--beyond-selftest"),
    "fresh": words(*SEARCH, "--fresh-names", "--max-rate=1000", "--duration", "1", "--repeat", "1"),
    "dns64": words(*SEARCH, "--dut", "dns64", "--aaaa-share", "10", "--aaaa-prefix", "2001:db8:1::/64",
                   "--cached-share", "20", "--answer-prefix", "64:ff9b::/96", "--allow-repeats"),
    "sending": words(*SEARCH, "--port", "5300", "--server-mac", "02:00:5e:10:00:01", "--source",
                     "198.18.0.1", "--vlan", "7", "--source-ports", "9", "--first-source-port", "2000",
                     "--cpus", "0,2-4", "--max-lateness", "1", "--max-overrun", "1e-3",
                     "--xdp-mode", "native", "--busy-poll", "--idle-cpus", "sleep", "--af-xdp", "copy",
                     "--hardware-timestamps", "off"),
    "asked": words(*SEARCH, "--qtype", "A", "--answer", "any", "--accept", "99.99", "--edns-size",
                   "1232", "--dnssec-ok", "--recursion-desired", "--zone", "a.test", "--timeout", "1",
                   "--duration", "1.5", "--json", "r.json"),
    "nan": words(*SEARCH, "--accept", "nan"),
    "cpus": words(*SEARCH, "--cpus", "0-4294967295"),
    "empty": words(*SEARCH, "--json="),
})

# The files of /proc and /sys, in the order in which fuzz_doctor.cpp reads them.
write("doctor", {
    "host": b"\0".join([
        b"6.1.0-18-amd64\n",
        b"Name:\tdnsgauge\nCapEff:\t000001ffffffffff\nCpus_allowed_list:\t0-1,4,63-64\n",
        b"Limit  Soft Limit  Hard Limit  Units\n"
        b"Max locked memory         8388608              unlimited            bytes\n",
        b"MemTotal: 1 kB\nHugePages_Total: 64\nHugePages_Free: 60\nHugepagesize: 2048 kB\n",
        b"model name\t: A CPU\nflags\t\t: fpu hypervisor sse\n", b"1\n", b"irqbalance\n", b"2-3\n",
        b"(null)\n", b"5\n", b"powersave\n", b"C6\n", b"133\n", b"0\n", b"hpet\n",
        b"tsc hpet acpi_pm \n", b"1\n", b"1\n", b"0000ff00\n",
        b"Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors\nUdp: 10 0 3 10 3\n",
        b"Udp6RcvbufErrors\t2\n", b"212992\n"]),
    "unlimited": b"6.18\n\0CapEff: 0\n\0Max locked memory   unlimited   unlimited   bytes\n",
    "older": b"5.10.0\n\0Cpus_allowed_list:\t0-3\n",
    "custom": b"custom.kernel\n\0Cpus_allowed_list:\tx,y\n\0Max locked memory\n\0HugePages_Total:\n",
})

write("text", {
    name.replace("/", "_"): name.encode() for name in (
        "10.0.0.0/8", "10.1.2.3/8", "2001:db8::/96", "2001:db8:122:300::/56", "198.18.0.2",
        "2001:db8::1", "02:00:5e:10:00:01", "dns64perf.test", "NS.Example.", "0,2-5",
        "loss=1%,delay=2.5%:500us,late=0.1%:3s", "delay=1%:uniform:0ms:2ms",
        "delay=100%:normal:5ms:1ms", "delay=1%:lognormal:1ms:0.5", "delay=1%:exponential:1ms",
        "late=1%:pareto:1s:9")
} | {
    "escaped_name": rb"a\.b\000\092.\#\032\255.Example",
    "escape_cut_off": rb"a\25",
    "escape_too_large": rb"a\256.example",
    "longest_name": rb"\097" * 63 + b"." + b".".join(3 * [b"b" * 61]) + b".c",
    "name_too_long": b".".join(128 * [b"a"]),
    "zero_range": b"10.0.0.0\0/8",
    "zero_prefix": b"2001:db8::\0/96",
    "overflow_lognormal": b"delay=1%:lognormal:1s:1000",
    "overflow_pareto": b"delay=1%:pareto:1s:0.0001",
    "overflow_uniform": b"delay=1%:uniform:0s:1" + b"0" * 305 + b"s",
    "tiny_exponential": b"delay=1%:exponential:0." + b"0" * 309 + b"1ns",
})


def pcap(link, *frames, magic=0xa1b2c3d4, on_wire=0):
    head = b"".join(n.to_bytes(4, "little") for n in (magic, 0x00040002, 0, 0, 262144, link))
    return head + b"".join(
        b"".join(n.to_bytes(4, "little")
                 for n in (1600000000, i, len(frame), max(len(frame), on_wire))) + frame
        for i, frame in enumerate(frames))


def pcapng(*frames):
    def block(kind, body):
        size = (12 + len(body)).to_bytes(4, "little")
        return kind.to_bytes(4, "little") + size + body + size

    def packet(frame):
        size = len(frame).to_bytes(4, "little")
        return bytes(4) + bytes(8) + size + size + frame + bytes(-len(frame) % 4)

    return (block(0x0a0d0d0a, bytes.fromhex("4d3c2b1a 0100 0000") + b"\xff" * 8)
            + block(1, bytes.fromhex("0100 0000 00000400"))
            + b"".join(block(6, packet(frame)) for frame in frames))


def udp4(payload, fragment=0, source=40000, target=53):
    size = len(payload)
    return (bytes.fromhex("4500") + (28 + size).to_bytes(2, "big") + b"\0\0"
            + fragment.to_bytes(2, "big") + bytes.fromhex("4011 0000 c0000201 c0000235")
            + source.to_bytes(2, "big") + target.to_bytes(2, "big")
            + (8 + size).to_bytes(2, "big") + b"\0\0" + payload)


def udp6(payload, extension=b"", following=17):
    datagram = (bytes.fromhex("9c400035") + (8 + len(payload)).to_bytes(2, "big") + b"\0\0" + payload)
    rest = extension + datagram
    address = bytes.fromhex("20010db8 00000000 00000000 000000")
    return (bytes.fromhex("60000000") + len(rest).to_bytes(2, "big") + bytes([following, 64])
            + address + b"\1" + address + b"\x35" + rest)


def tcp4(payload, sequence, flags=0x18):
    return (bytes.fromhex("4500") + (40 + len(payload)).to_bytes(2, "big")
            + bytes.fromhex("0000 0000 4006 0000 c0000201 c0000235 9c400035")
            + sequence.to_bytes(4, "big") + bytes(4) + bytes([0x50, flags]) + bytes(6) + payload)


MACS = bytes.fromhex("020000000053 020000000001")
ASKED = query("www.Example.org", A, COOKIE)
ANSWERED = ASKED[:2] + b"\x81\x83" + ASKED[4:]
FRAMED = len(ASKED).to_bytes(2, "big") + ASKED
whole = MACS + b"\x08\0" + udp4(ASKED)
write("capture", {
    "ethernet": pcap(1, whole, MACS + b"\x86\xdd" + udp6(ASKED)),
    "answer": pcap(1, MACS + b"\x08\0" + udp4(ANSWERED, source=53, target=40000)),
    "nanoseconds": pcap(1, whole, magic=0xa1b23c4d),
    "vlan_tags": pcap(1, MACS + bytes.fromhex("88a8 0001 8100 0002 0800") + udp4(ASKED)),
    "cooked": pcap(113, bytes(14) + b"\x08\0" + udp4(ASKED)),
    "cooked_2": pcap(276, b"\x86\xdd" + bytes(18) + udp6(ASKED)),
    "raw": pcap(101, udp4(ASKED), udp6(ASKED)),
    "loopback": pcap(0, b"\2\0\0\0" + udp4(ASKED)),
    "other_link": pcap(105, whole),
    "fragments": pcap(101, udp4(ASKED, 0x2000), udp6(ASKED, bytes.fromhex("1100000100000001"), 44)),
    "extension": pcap(101, udp6(ASKED, bytes.fromhex("1100010400000000"), 60)),
    "snapped": pcap(1, whole[:50], on_wire=len(whole)),
    "cut_packet": pcap(1, whole, whole)[:-1],
    "cut_header": pcap(1)[:20],
    "next_generation": pcapng(whole, whole),
    "next_generation_cut": pcapng(whole, whole)[:-3],
    "two_questions": pcap(101, udp4(ASKED[:4] + b"\0\2" + ASKED[6:])),
    "compressed": pcap(101, udp4(query("", A)[:12] + b"\xc0\x0c\0\1\0\1")),
    "header_alone": pcap(101, udp4(ASKED[:12]), udp4(ASKED[:11])),
    "tcp_whole": pcap(101, tcp4(FRAMED + FRAMED, 7)),
    "tcp_pieces": pcap(101, tcp4(b"", 6, 2), *(tcp4(FRAMED[i:i + 9], 7 + i)
                                               for i in range(0, len(FRAMED), 9)), tcp4(b"", 7 + len(FRAMED), 17)),
    "tcp_gap": pcap(101, tcp4(FRAMED[:9], 7), tcp4(FRAMED[18:], 25), tcp4(FRAMED, 1000)),
    "tcp_short_message": pcap(101, tcp4(b"\0\x0b" + ASKED[:11] + FRAMED, 7)),
    "huge_length": pcap(1)[:24] + b"\0" * 8 + b"\xff\xff\xff\x7f" * 2,
    "empty": b"",
})


def frame(kind, flags, stream, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def field(index, value):
    """Returns a header field with a name of HPACK's static table."""
    size = bytes([len(value)]) if len(value) < 127 else b"\x7f" + bytes([len(value) - 127])
    return bytes([0x40 | index]) + size + value


DATA_FRAME, HEADERS, RST, SETTINGS, PUSH, PING, GOAWAY, WINDOW, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 8, 9
END, END_HEADERS, PADDED = 1, 4, 8
DNS_TYPE = field(31, b"application/dns-message")
COMMON = b"\x87" + field(1, b"dns.test")


def post(stream, body, kind=DNS_TYPE, path=b"/dns-query", sent=END):
    return (frame(HEADERS, END_HEADERS, stream, b"\x83" + COMMON + field(4, path) + kind)
            + frame(DATA_FRAME, sent, stream, body))


def get(stream, path):
    return frame(HEADERS, END | END_HEADERS, stream, b"\x82" + COMMON + field(4, path))


ASKED_ZONE = query("010-000-000-001.t", AAAA, OPT)
VARIABLE = base64.urlsafe_b64encode(ASKED_ZONE).rstrip(b"=")
write("http_stream", {
    "post": post(1, ASKED_ZONE),
    "get": get(1, b"/dns-query?dns=" + VARIABLE),
    "get_variables": get(1, b"/dns-query?a=dns=&dns=" + VARIABLE + b"&dns=AA"),
    "get_padded": get(1, b"/dns-query?dns=" + VARIABLE + b"=="),
    "get_cut": get(1, b"/dns-query?dns=" + VARIABLE[:-5]) + get(3, b"/dns-query?dns=A") + get(5, b"/dns-query?"),
    "other_path": get(1, b"/dns-query/?dns=" + VARIABLE) + get(3, b"*"),
    "other_type": post(1, ASKED_ZONE, field(31, b"text/plain")),
    "other_method": frame(HEADERS, END | END_HEADERS, 1, field(2, b"HEAD") + COMMON + field(4, b"/dns-query")),
    "three_at_once": post(1, ASKED_ZONE) + post(3, ASKED_ZONE) + get(5, b"/dns-query?dns=" + VARIABLE),
    "in_pieces": (post(1, ASKED_ZONE[:7], sent=0) + post(3, ASKED_ZONE, sent=0) + frame(DATA_FRAME, END, 1, ASKED_ZONE[7:])
                  + frame(DATA_FRAME, END, 3)),
    "reset": post(1, ASKED_ZONE, sent=0) + frame(RST, 0, 1, bytes(4)) + post(3, ASKED_ZONE) + frame(RST, 0, 3, bytes(4)),
    "small_window": (frame(SETTINGS, 0, 0, bytes.fromhex("0004 00000005")) + post(1, ASKED_ZONE) + frame(RST, 0, 1, bytes(4))
                     + post(3, ASKED_ZONE) + frame(WINDOW, 0, 3, bytes.fromhex("00000100"))),
    "body_of_get": get(1, b"/dns-query?dns=" + VARIABLE)[:4] + b"\4" + get(1, b"/dns-query?dns=" + VARIABLE)[5:]
                   + frame(DATA_FRAME, END, 1, ASKED_ZONE),
    "many_headers": frame(HEADERS, END | END_HEADERS, 1, b"\x82" + COMMON + field(4, b"/" + b"x" * 120) + b"\xbe" * 200),
    "trailers": post(1, ASKED_ZONE, sent=0) + frame(HEADERS, END | END_HEADERS, 1, DNS_TYPE),
    "continued": frame(HEADERS, END, 1, b"\x82" + COMMON) + frame(CONTINUATION, END_HEADERS, 1, field(4, b"/dns-query?dns=" + VARIABLE)),
    "ping_and_leave": frame(PING, 0, 0, bytes(8)) + post(1, ASKED_ZONE) + frame(GOAWAY, 0, 0, bytes(8)),
    "response": post(1, right),
    "http_1": b"GET /dns-query?dns=AAAB HTTP/1.1\r\n\r\n",
    "empty": b"",
})


def response(stream, body, head=b"\x88" + DNS_TYPE):
    return frame(HEADERS, END_HEADERS, stream, head) + frame(DATA_FRAME, END, stream, body)


READY = frame(SETTINGS, 0, 0) + frame(SETTINGS, 1, 0)
MINE = b"\0\0" + right[2:]
server_frames = {
    "right": response(1, MINE),
    "three": response(5, b"\0\2" + right[2:]) + response(1, MINE) + response(3, b"\0\1" + right[2:]),
    "wrong_id": response(1, right),
    "status": response(1, b"", b"\x8e") + response(3, b"", field(8, b"429")),
    "wrong_type": response(1, MINE, b"\x88" + field(31, b"text/html")),
    "parameters": response(1, MINE, b"\x88" + field(31, b"APPLICATION/DNS-message; charset=x")),
    "informed": frame(HEADERS, END_HEADERS, 1, field(8, b"103")) + response(1, MINE),
    "no_body": frame(HEADERS, END | END_HEADERS, 1, b"\x88" + DNS_TYPE),
    "in_pieces": response(1, MINE)[:-9] + MINE[-9:] + frame(DATA_FRAME, PADDED | END, 3, b"\1\0\0"),
    "reset": frame(RST, 0, 1, b"\0\0\0\7") + frame(RST, 0, 3, bytes(4)),
    "goaway": frame(GOAWAY, 0, 0, b"\0\0\0\1" + bytes(4)) + response(1, MINE),
    "goaway_error": frame(GOAWAY, 0, 0, b"\0\0\0\0\0\0\0\2why"),
    "trailers": response(1, MINE)[:-9 - len(MINE)] + frame(DATA_FRAME, 0, 1, MINE) + frame(HEADERS, END | END_HEADERS, 1, DNS_TYPE),
    "few_streams": frame(SETTINGS, 0, 0, bytes.fromhex("0003 00000000")) + response(1, MINE),
    "small_window": frame(SETTINGS, 0, 0, bytes.fromhex("0004 00000005")) + response(1, MINE),
    "push": frame(PUSH, END_HEADERS, 1, b"\0\0\0\2\x82" + COMMON + b"\x84"),
    "continued": frame(HEADERS, 0, 1, b"\x88") + frame(CONTINUATION, END_HEADERS, 1, DNS_TYPE) + frame(DATA_FRAME, END, 1, MINE),
    "bomb": frame(HEADERS, END_HEADERS, 1, b"\x88" + field(32, b"x" * 200) + b"\xbe" * 400),
    "long_body": (frame(HEADERS, END_HEADERS, 1, b"\x88" + DNS_TYPE) + 4 * frame(DATA_FRAME, 0, 1, bytes(16_380))
                  + frame(DATA_FRAME, END, 1, MINE)),
    "pings": 20 * frame(PING, 0, 0, bytes(8)),
    "unknown": frame(200, 255, 7, b"what"),
}
write("http_client", {name: b"\0" + READY + octets for name, octets in server_frames.items()} | {
    "get": b"\x55" + READY + response(1, MINE),
    "http_1": b"\0HTTP/1.1 400 Bad Request\r\n\r\n",
    "empty": b"\0",
})
