#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes the seeds in corpus/ from the unit tests' fixtures; what fuzzing found is added by hand."""

import json
import pathlib
import re

HERE = pathlib.Path(__file__).parent
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
    "longest": over_tcp(b"\xff" * 65535, asked[0]),
})

# ---- files


def lines(*values):
    return b"".join(json.dumps(v, separators=(",", ":")).encode() + b"\n" for v in values)


header = {"schema": "dnsgauge/search-journal/1", "options": {"timeout": 0.25}}


def trial(rate, verdict):
    return {"record": "trial", "repetition": 1, "number": 1,
            "trial": {"rate": rate, "verdict": verdict, "sent": rate, "valid": 1, "why": "\u00e9"}}


search = [trial(1, "pass"), trial(8, "fail"), trial(4, "pass"), trial(6, "fail"), trial(5, "pass")]
write("journal", {
    "begun": lines(header),
    "search": lines(header, *search),
    "resumed": lines(header, *search[:2], {"record": "resumed"}, *search[2:]),
    "invalid": lines(header, search[0], trial(8, "invalid"), search[1]),
    "torn": lines(header, *search)[:-9],
    "torn_header": lines(header)[:30],
    "no_end": lines(header, *search)[:-1],
    "not_ours": lines({"schema": "dnsgauge/trial/1"}),
    "other": lines(header | {"options": {"timeout": 1}}, *search),
    "no_record": lines(header, 17),
    "fraction": lines(header, trial(1.5, "pass")),
    "negative": lines(header, trial(-1, "pass")),
    "deep": lines(header) + b"[" * 20000 + b"]" * 20000 + b"\n",
    "deep_header": b'{"schema":' + b"[" * 20000 + b"]" * 20000 + b"}\n",
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
    "goes_less_far": lines(certificate | {"allowed_rate": 1}),
    "lax": lines(certificate | {"attempts": 100, "timeout_s": 0.1}),
    "no_attempts": lines(certificate | {"attempts": -1}),
    "negative": lines(certificate | {"allowed_rate": -1}),
})

result = {"schema": "dnsgauge/trial/1", "server": "198.18.0.2", "rate": 10, "sent": 10, "valid": 9,
          "late": 0, "invalid": {"total": 0}, "lost": 1, "timeout_s": 0.25, "accept_percent": 100.0, "rtt_ns": {"p50": 1e3, "p99": 2.5e6, "max": 3e9},
          "sending": {"lateness_ns": {"p99": None}}, "verdict": "pass"}
write("result", {
    "result": lines(result),
    "no_reply": lines(result | {"valid": 0, "rtt_ns": {"p50": None, "p99": None, "max": None}}),
    "negative": lines(result | {"sent": -1}),
    "no_schema": lines(result | {"schema": 1}),
    "other": lines({"schema": "dnsgauge/search/1"}),
    "deviates": lines(result | {"rfc8219": {"compliant": False, "deviations": ["trials of 5 s"]},
                                "selftest": {"covers": False}}),
    "no_deviations": lines(result | {"rfc8219": {"compliant": 1, "deviations": "none"}}),
})

# An experiment and the file that it extends in one; a site's behind them.
EXPERIMENTS = TREE / "tools" / "experiments"


def experiment(name, site=b""):
    texts = []
    file = EXPERIMENTS / name
    while file:
        text = file.read_text(encoding="utf-8")
        found = re.search(r'^extends = "(.*)"$', text, re.MULTILINE)
        texts.append(re.sub(r'^extends = ".*"$', 'extends = "base.toml"', text, flags=re.MULTILINE))
        file = file.parent / found[1] if found else None
    # Of more than two the last ones are a site's.
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
})

write("text", {
    name.replace("/", "_"): name.encode() for name in (
        "10.0.0.0/8", "10.1.2.3/8", "2001:db8::/96", "2001:db8:122:300::/56", "198.18.0.2",
        "2001:db8::1", "02:00:5e:10:00:01", "dns64perf.test", "NS.Example.", "0,2-5",
        "loss=1%,delay=2.5%:500us,late=0.1%:3s", "delay=1%:uniform:0ms:2ms",
        "delay=100%:normal:5ms:1ms", "delay=1%:lognormal:1ms:0.5", "delay=1%:exponential:1ms",
        "late=1%:pareto:1s:9")
} | {
    "zero_range": b"10.0.0.0\0/8",
    "zero_prefix": b"2001:db8::\0/96",
    "overflow_lognormal": b"delay=1%:lognormal:1s:1000",
    "overflow_pareto": b"delay=1%:pareto:1s:0.0001",
    "overflow_uniform": b"delay=1%:uniform:0s:1" + b"0" * 305 + b"s",
    "tiny_exponential": b"delay=1%:exponential:0." + b"0" * 309 + b"1ns",
})
