# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Makes one trial of a pair: runs the generator, and measures the CPU time of both sides."""

import os
import signal
import subprocess
import threading
import time

import cpu_time
from errors import BenchError
from generators import Order
from lab import generator_cpu, server_cpu, softirq_thread
from servers import last_line
from trial import Trial

START_SECONDS = 0.05
HANG = 30  # seconds after twice the duration until a generator is killed


class Bench:
    """Files and options that all pairs share."""

    def __init__(self, names, scratch, seconds, timeout):
        self.names = names
        self.scratch = scratch
        self.seconds = seconds
        self.timeout = timeout


class Pair:
    """A generator, and a server that is up."""

    def __init__(self, bench, generator, server):
        self.bench = bench
        self.generator = generator
        self.server = server
        self.napi = server.lab.napi_threads() + [softirq_thread(server_cpu())]
        self.softirq = [softirq_thread(generator_cpu())]

    def trial(self, number, purpose, offered):
        """Makes a trial of round `number`, and a second one if the generator fails."""
        seconds = START_SECONDS if purpose == "start" else self.bench.seconds
        order = Order(offered, seconds, self.bench.timeout, self.bench.names,
                      self.bench.scratch / "result.json")
        for last in (False, True):
            order.result.unlink(missing_ok=True)
            before, began = self.times(), time.monotonic()
            status, output, error, own_time = self.run(order)
            wall, after = time.monotonic() - began, self.times()
            self.server.check_alive()
            if status in self.generator.good_statuses:
                break
            if last:
                raise BenchError(f"{self.generator.name} against {self.server.kind.name} ended with "
                                 f"status {status}: {last_line(error or output)}")
            time.sleep(1)
        sample = self.generator.parse(output, order)
        server = after.server - before.server
        napi = after.napi - before.napi
        generator = own_time + after.generator_softirq - before.generator_softirq
        return Trial(
            round=number, generator=self.generator.name, server=self.server.kind.name,
            purpose=purpose, offered=offered, sent=sample.sent, replies=sample.replies,
            sent_rate=sample.sent_rate, answered_rate=sample.answered_rate,
            lossless=sample.lossless, note=sample.note, generator_cpu=generator, server_cpu=server,
            napi_cpu=napi, stolen_cpu=after.stolen - before.stolen, wall=wall,
            other_cpu=max(after.busy - before.busy - server - napi - generator, 0.0))

    def times(self):
        busy, stolen = cpu_time.of_machine()
        return cpu_time.Times(server=cpu_time.of_processes(self.server.family),
                              napi=cpu_time.of_processes(self.napi),
                              generator_softirq=cpu_time.of_processes(self.softirq),
                              busy=busy, stolen=stolen)

    def run(self, order):
        """Returns the generator's exit status, output, errors and CPU time."""
        lab, generator = self.server.lab, self.generator
        try:
            return self.watch(lab.command("tester", generator_cpu(), *generator.command(order)),
                              order.seconds)
        finally:
            if generator.leaves_program:
                lab.detach_xdp("tester", "g0")

    def watch(self, command, seconds):
        output = self.bench.scratch / "generator.out"
        errors = self.bench.scratch / "generator.err"
        with open(output, "wb") as out, open(errors, "wb") as err:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                       start_new_session=True)
            status, own_time = self.reap(process, seconds)
        # The file may have a line for each lost query: its end will do.
        with open(errors, "rb") as err:
            err.seek(max(errors.stat().st_size - 4096, 0))
            said = err.read().decode(errors="replace")
        return status, output.read_text(errors="replace"), said, own_time

    def reap(self, process, seconds):
        """Waits for the generator. Sends SIGINT after twice the duration and the generator's
        overtime, if it has one, and SIGKILL when it hangs."""
        descriptor = os.pidfd_open(process.pid)

        def send(number):
            try:
                signal.pidfd_send_signal(descriptor, number)
            except ProcessLookupError:
                pass

        timers = [threading.Timer(2 * seconds + HANG, send, [signal.SIGKILL])]
        if self.generator.overtime is not None:
            timers.append(threading.Timer(2 * seconds + self.generator.overtime, send,
                                          [signal.SIGINT]))
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
