# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes one trial of a pair: runs the generator, and measures the CPU time of both sides."""

import subprocess
import time

from generators import Order
from lab import cpu_time_of, cpu_time_of_machine, generator_cpu, reap, server_cpu, softirq_thread
from program import BenchError, last_line, run

START_SECONDS = 0.05
HANG = 30  # seconds after twice the duration until a generator is killed


class Pair:
    """A generator, and a server, which must be up for a trial."""

    def __init__(self, generator, lab, names, seconds, timeout):
        self.generator, self.lab, self.server = generator, lab, None
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
                "answered_rate": sample.answered_rate, "lossless": sample.lossless, "spoiled": sample.spoiled,
                "note": sample.note, "generator_cpu": generator, "server_cpu": server, "napi_cpu": napi,
                "other_cpu": max(busy - server - napi - generator, 0.0), "stolen_cpu": stolen, "wall": wall}

    def times(self):
        """Returns the CPU times of server, NAPI and generator's ksoftirqd, and the machine's busy and stolen times."""
        return (*map(cpu_time_of, (self.server.pids, self.napi, self.softirq)), *cpu_time_of_machine())

    def run(self, order):
        """Returns the generator's exit status, output, errors and CPU time. After twice the duration SIGINT ends the
        generator, once its overtime, if it has one, is over, or SIGKILL when it hangs."""
        output, errors = self.lab.scratch / "generator.out", self.lab.scratch / "generator.err"
        overtime, signal = self.generator.overtime, "INT"
        if overtime is None:
            overtime, signal = HANG, "KILL"
        until = ("timeout", "--preserve-status", f"--signal={signal}", f"--kill-after={HANG}",
                 2 * order.seconds + overtime)
        with open(output, "wb") as out, open(errors, "wb") as err:
            process = subprocess.Popen(
                self.lab.command("tester", generator_cpu(), *until, *self.generator.command(order)),
                stdin=subprocess.DEVNULL, stdout=out, stderr=err, start_new_session=True)
            try:
                usage = reap(process)
            except BaseException:
                process.terminate()
                process.wait()
                raise
            finally:
                if self.generator.leaves_program:
                    run("ip", "-n", f"{self.lab.name}-tester", "link", "set", "g0", "xdp", "off")
        # The file may have a line for each lost query: its end will do.
        with open(errors, "rb") as err:
            err.seek(max(errors.stat().st_size - 4096, 0))
            said = err.read().decode(errors="replace")
        return process.returncode, output.read_text(errors="replace"), said, usage.ru_utime + usage.ru_stime
