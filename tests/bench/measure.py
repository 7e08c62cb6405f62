# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes one trial of a pair: runs the generator, and measures the CPU time of both sides."""

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import cpu_time
from generators import Order
from lab import QTYPE, SERVED_NAMES, generator_cpu, server_cpu, softirq_thread
from program import BIN, BenchError, last_line, run

START_SECONDS = 0.05
HANG = 30  # seconds after twice the duration until a generator is killed


def write_names(path):
    """Writes a line "NAME TYPE" for each name, which kxdpgun and dnsperf read, in dnsgauge's order."""
    zone = Path(f"{path}.zone")
    run(BIN / "dnsgauge-zone", "records", "--names", SERVED_NAMES, "--type", QTYPE, "--output", zone)
    with open(zone, encoding="ascii") as records, open(path, "w", encoding="ascii") as names:
        for record in records:
            owner, kind, *_ = record.split()
            if kind == QTYPE and "-" in owner:
                names.write(f"{owner}.dns64perf.test. {QTYPE}\n")
    zone.unlink()


class Pair:
    """A generator, and a server that is up."""

    def __init__(self, generator, server, names, seconds, timeout):
        self.generator, self.server, self.lab = generator, server, server.lab
        self.names, self.seconds, self.timeout = names, seconds, timeout
        self.napi = [*self.lab.napi_threads(), softirq_thread(server_cpu())]
        self.softirq = [softirq_thread(generator_cpu())]

    def trial(self, number, purpose, offered):
        """Makes a trial of round `number`, and a second one if the generator fails. Returns its record, of the form
        that the schema of the run describes. CPU times are in seconds."""
        order = Order(offered, START_SECONDS if purpose == "start" else self.seconds, self.timeout, self.names,
                      self.lab.scratch / "result.json")
        for last in (False, True):
            order.result.unlink(missing_ok=True)
            before, began = self.times(), time.monotonic()
            status, output, said, own_time = self.run(order)
            wall, after = time.monotonic() - began, self.times()
            self.server.check_alive()
            if status in self.generator.good_statuses:
                break
            if last:
                raise BenchError(f"{self.generator.name} against {self.server.kind.name} ended with status {status}: "
                                 f"{last_line(said or output)}")
            time.sleep(1)
        sample = self.generator.parse(output, order)
        server, napi, softirq, busy, stolen = (now - then for then, now in zip(before, after))
        generator = own_time + softirq
        return {"round": number, "generator": self.generator.name, "server": self.server.kind.name, "purpose": purpose,
                "offered": offered, "sent": sample.sent, "replies": sample.replies, "sent_rate": sample.sent_rate,
                "answered_rate": sample.answered_rate, "lossless": sample.lossless, "spoiled": sample.spoiled, "note": sample.note,
                "generator_cpu": generator, "server_cpu": server, "napi_cpu": napi,
                "other_cpu": max(busy - server - napi - generator, 0.0), "stolen_cpu": stolen, "wall": wall}

    def times(self):
        """Returns the CPU times of server, NAPI and generator's ksoftirqd, and the machine's busy and stolen times."""
        return (*map(cpu_time.of_processes, (self.server.pids, self.napi, self.softirq)), *cpu_time.of_machine())

    def run(self, order):
        """Returns the generator's exit status, output, errors and CPU time."""
        output, errors = self.lab.scratch / "generator.out", self.lab.scratch / "generator.err"
        with open(output, "wb") as out, open(errors, "wb") as err:
            process = subprocess.Popen(
                self.lab.command("tester", generator_cpu(), *self.generator.command(order)), stdin=subprocess.DEVNULL,
                stdout=out, stderr=err, start_new_session=True)
            try:
                status, own_time = self.reap(process, order.seconds)
            finally:
                if self.generator.leaves_program:
                    run("ip", "-n", f"{self.lab.name}-tester", "link", "set", "g0", "xdp", "off")
        # The file may have a line for each lost query: its end will do.
        with open(errors, "rb") as err:
            err.seek(max(errors.stat().st_size - 4096, 0))
            said = err.read().decode(errors="replace")
        return status, output.read_text(errors="replace"), said, own_time

    def reap(self, process, seconds):
        """Waits for the generator. Sends SIGINT after twice the duration and the generator's overtime, if it has one,
        and SIGKILL when it hangs."""
        descriptor = os.pidfd_open(process.pid)

        def send(number):
            try:
                signal.pidfd_send_signal(descriptor, number)
            except ProcessLookupError:
                pass

        limits = {signal.SIGKILL: HANG, signal.SIGINT: self.generator.overtime}
        timers = [threading.Timer(2 * seconds + limit, send, [number]) for number, limit in limits.items()
                  if limit is not None]
        for timer in timers:
            timer.daemon = True
            timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            send(signal.SIGKILL)
            process.wait()
            raise
        finally:
            for timer in timers:
                timer.cancel()
                timer.join()
            os.close(descriptor)
        process.returncode = os.waitstatus_to_exitcode(status)
        return process.returncode, usage.ru_utime + usage.ru_stime
