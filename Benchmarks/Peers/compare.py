# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Runs the same work with every client in turns, for several rounds, and prints medians and ratios without an assessment.

scripts/bench/session calls it with a JSON file that contains the paths of the servers and clients.
"""

import argparse
import json
import math
import os
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import time

import plot

MIB = 1 << 20
GIB = 1 << 30


class Failed(Exception):
    pass


class Run:
    """The cost of one turn of a client: seconds, seconds of processor time, peak MiB, requests, bytes."""

    # The load of the server's processor during the turn, from 0 to 1, if the system reports it.
    server_load = None
    # The number of resumed connections, with those of the warm-up, if the server reports it.
    resumed = None

    def __init__(self, seconds, processor, peak, requests, size, allocations=None):
        self.seconds, self.processor, self.peak = seconds, processor, peak
        self.requests, self.bytes, self.allocations = requests, size, allocations

    @property
    def rate(self):
        return self.requests / self.seconds

    @property
    def microseconds(self):
        return self.processor / self.requests * 1e6


def spawn(command, environment=None):
    """Runs a command on the clients' processor; returns its output, seconds and resources."""
    start = time.monotonic()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=environment)
    output = process.stdout.read()
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise Failed(f"{os.path.basename(command[0])}: {(errors or output).strip()[-300:]}")
    return output, seconds, usage


def server_ticks():
    """The busy and idle times of the server's processor in ticks; None if the system does not report them."""
    name = f"cpu{PLACES['server-processor']} "
    try:
        line = next(line for line in pathlib.Path("/proc/stat").read_text().splitlines() if line.startswith(name))
    except (OSError, StopIteration):
        return None
    user, nice, system, idle, waiting, *interrupts = map(int, line.split()[1:8])
    return user + nice + system + sum(interrupts), idle + waiting


def with_server_load(run):
    """Runs the work, and records the server's load, because a busy server limits the rate of every client."""
    before = server_ticks()
    result = run()
    if before and (after := server_ticks()):
        busy, idle = after[0] - before[0], after[1] - before[1]
        result.server_load = busy / max(1, busy + idle)
    return result


def processor_seconds(usage):
    return usage.ru_utime + usage.ru_stime


def peak_mib(usage):
    return usage.ru_maxrss / (MIB if sys.platform == "darwin" else 1024)


def reported(command):
    """A run of a client that reports its own cost without the warm-up."""
    output, _, usage = spawn(command)
    line = json.loads(output)
    if line["lost"] or line["wrong"]:
        raise Failed(f"{os.path.basename(command[0])}: {line['wrong']} wrong bodies, and lost requests: {line['lost']}")
    return Run(
        line["seconds"], line["user"] + line["system"], peak_mib(usage), line["requests"], line["bytes"],
        line.get("allocations"))


class Work:
    """The work and its contenders, each of which is a closure that returns a Run."""

    def __init__(self, url, concurrency=1, count=1, warm_up=0, http="1.1", hosts=1, connections="kept", upload=None):
        self.url, self.concurrency, self.count, self.warm_up = url, concurrency, count, warm_up
        self.http, self.hosts, self.connections, self.upload = http, hosts, connections, upload

    def swift(self, program):
        command = [
            program, self.url, "--ca", PLACES["ca"], "--concurrency", str(self.concurrency), "--count", str(self.count),
            "--warm-up", str(self.warm_up), "--http", self.http, "--hosts", str(self.hosts)]
        if self.upload:
            command += ["--upload", str(self.upload)]
        return lambda: reported(command)

    def libcurl(self):
        return lambda: reported([
            PLACES["multi"], self.url, PLACES["ca"], str(self.concurrency), str(self.count), str(self.warm_up), self.http,
            str(self.hosts), self.connections])

    def wrk(self):
        def run():
            url = self.url.replace("*.bench.test", "127.0.0.1")
            output, seconds, usage = spawn(["wrk", "-t", "1", "-c", str(self.concurrency), "-d", "2s", url])
            found = re.search(r"(\d+) requests in ([0-9.]+)(m?s)", output)
            seconds = float(found[2]) / (1000 if found[3] == "ms" else 1)
            return Run(seconds, processor_seconds(usage), peak_mib(usage), int(found[1]), 0)
        return run

    def h2load(self):
        def run():
            url = self.url.replace("*.bench.test", "127.0.0.1")
            output, _, usage = spawn(
                ["h2load", "-t", "1", "-c", "1", "-m", str(self.concurrency), "-n", str(self.count), url])
            found = re.search(r"finished in ([0-9.]+)(m?s), ", output)
            seconds = float(found[1]) / (1000 if found[2] == "ms" else 1)
            return Run(seconds, processor_seconds(usage), peak_mib(usage), self.count, 0)
        return run

    def command(self, command, size, environment=None):
        def run():
            _, seconds, usage = spawn(command, environment)
            return Run(seconds, processor_seconds(usage), peak_mib(usage), 1, size)
        return run

    def contenders(self, *names):
        known = {
            "countersign": lambda: PLACES.get("session") and self.swift(PLACES["session"]),
            "AsyncHTTPClient": lambda: PLACES.get("ahc") and self.swift(PLACES["ahc"]),
            "libcurl multi": lambda: PLACES.get("multi") and self.libcurl(),
            "wrk": lambda: PLACES.get("wrk") and self.wrk(),
            "h2load": lambda: PLACES.get("h2load") and self.h2load(),
        }
        return {name: run for name in names if (run := known[name]())}


# The contenders that failed, which may include ours.
FAILED = []


def turns(contenders, rounds):
    """Returns the runs of each contender, one per round; a contender that fails is removed and reported.

    Each round begins with another contender, because the first one finds memory that the system has reclaimed.
    """
    runs = {name: [] for name in contenders}
    for number in range(rounds):
        names = list(runs)
        start = number % max(1, len(names))
        for name in names[start:] + names[:start]:
            try:
                runs[name].append(with_server_load(contenders[name]))
            except (Failed, ValueError, TypeError, KeyError) as error:
                print(f"  {name}: skipped: {error}")
                FAILED.append(name)
                del runs[name]
    return runs


def median(runs, measure):
    return statistics.median(measure(run) for run in runs)


def ratio(runs, name, measure):
    """The ratio of our result to theirs in the same round, in which the machine's speed is about the same."""
    ours, theirs = runs["countersign"], runs[name]
    return statistics.median(measure(a) / measure(b) for a, b in zip(ours, theirs))


def table(title, runs, columns):
    """Prints a line for each contender, with its measurements and the ratio of ours to theirs."""
    compared = [column for column in columns if column[3]]
    heading = "".join(f"{name:>13}" for name, *_ in columns)
    print(f"{title:34}{heading}" + "".join(f"{'ours/its ' + name.split('/')[0]:>22}" for name, *_ in compared))
    for name, its in runs.items():
        line = f"  {name:32}"
        for _, measure, form, _ in columns:
            values = [measure(run) for run in its]
            line += f"{format(statistics.median(values), form):>13}" if None not in values else f"{'':13}"
        for _, measure, _, _ in compared:
            if name != "countersign" and "countersign" in runs:
                line += f"{ratio(runs, name, measure):22.2f}"
        print(line)
    sys.stdout.flush()


REQUESTS = [
    ("requests/s", lambda run: run.rate, ",.0f", True),
    ("CPU µs each", lambda run: run.microseconds, ".1f", True),
    ("allocations", lambda run: run.allocations and run.allocations / run.requests, ".1f", False),
    ("peak MiB", lambda run: run.peak, ".1f", False),
]
NEW_CONNECTIONS = [
    ("connections/s", lambda run: run.rate, ",.0f", True),
    ("CPU µs each", lambda run: run.microseconds, ".1f", True),
    ("allocations", lambda run: run.allocations and run.allocations / run.requests, ".1f", False),
    ("resumed", lambda run: run.resumed, ",", False),
]
TRANSFER = [
    ("MB/s", lambda run: run.bytes / run.seconds / 1e6, ",.0f", True),
    ("CPU s", lambda run: run.processor, ".2f", True),
    ("peak MiB", lambda run: run.peak, ".1f", True),
    ("server busy", lambda run: run.server_load, ".0%", False),
]
WALL = [
    ("wall ms", lambda run: run.seconds * 1000, ".2f", True),
    ("CPU ms", lambda run: run.processor * 1000, ".2f", True),
    ("peak MiB", lambda run: run.peak, ".1f", True),
]


def address(port, path, host="*.bench.test"):
    return f"https://{host}:{PLACES[port]}/{path}"


# Each entry has the server's port for it.
VERSIONS = ("1.1", "port"), ("2", "port2")


def small(rounds, scale):
    for (http, port), ceiling in zip(VERSIONS, ("wrk", "h2load")):
        work = Work(address(port, "small"), concurrency=64, count=int(20_000 * scale), warm_up=1_000, http=http)
        runs = turns(work.contenders("countersign", "AsyncHTTPClient", "libcurl multi", ceiling), rounds)
        table(f"small GETs, HTTP/{http}, 64 at once", runs, REQUESTS)


def transfers(rounds, scale):
    # A sparse file of the size of the upload, so that no disk is read.
    size = int(GIB * scale)
    os.truncate(PLACES["big"], size)
    title = f"{size / GIB:g} GiB"
    for http, port in VERSIONS:
        curl = ["curl", "--silent", "--show-error", "--fail", "--noproxy", "*", f"--http{http}", "--cacert", PLACES["ca"],
                "--output", "/dev/null"]
        url = address(port, "big", host="localhost")
        work = Work(url, http=http)
        contenders = work.contenders("countersign", "AsyncHTTPClient")
        contenders["curl"] = work.command([*curl, url], size)
        if PLACES.get("countersign"):
            contenders["the command, countersign get"] = work.command(
                ["/bin/sh", "-c", 'exec "$0" get "$1" "$2" --no-proxy "*" --trust anchors-only --anchor "$3" >/dev/null',
                 PLACES["countersign"], url, f"--http{http}", PLACES["ca"]], size)
        table(f"{title} from nginx, HTTP/{http}", turns(contenders, rounds), TRANSFER)

        url = address(port, "upload/big", host="localhost")
        work = Work(url, http=http, upload=size)
        contenders = work.contenders("countersign", "AsyncHTTPClient")
        contenders["curl (from a file)"] = work.command([*curl, "--upload-file", PLACES["big"], url], size)
        table(f"{title} to nginx, HTTP/{http}", turns(contenders, rounds), TRANSFER)


def with_resumptions(run):
    """Runs the work, and counts the resumed connections in the server's log."""
    log = pathlib.Path(PLACES["log"])

    def count():
        return log.read_text().count("r")

    before = count()
    result = run()
    result.resumed = count() - before
    return result


CHAINS = ("P-256", "p256"), ("RSA-2048", "rsa"), ("chain of 3", "three")


def handshakes(rounds, scale):
    for title, chain in CHAINS:
        for kind in ("full", "resumed"):
            work = Work(
                address(f"port-{chain}-{kind}", "small"), concurrency=16, count=int(600 * scale), warm_up=32, connections=kind)
            contenders = work.contenders("countersign", "AsyncHTTPClient", "libcurl multi")
            if kind == "resumed":
                contenders = {name: lambda run=run: with_resumptions(run) for name, run in contenders.items()}
            table(f"{title}, {kind}, 16 at once", turns(contenders, rounds), NEW_CONNECTIONS)
        handlers(title, chain, rounds, scale)
    idle(rounds, scale)


def handlers(title, chain, rounds, scale):
    """Compares the TLS handlers in one process, without HTTP clients and without trust."""
    print(f"{title}, the TLS handlers alone, one at once")
    ports = [str(PLACES[f"port-{chain}-{kind}"]) for kind in ("full", "resumed")]
    output, _, _ = spawn([
        PLACES["tls"], "--port", ports[0], "--resumption-port", ports[1], "--rounds", str(2 * rounds + 1), "--turn",
        str(max(1, int(200 * scale)))])
    print(output, end="", flush=True)


def idle(rounds, scale):
    """Compares the private memory of idle connections."""
    count = max(1, int(1_000 * scale))
    names = {"TCP alone": "none", "NIOSSL": "niossl", "TLSTransport": "own"}
    sizes = {name: [] for name in names}
    for _ in range(rounds):
        for name, handler in names.items():
            port = PLACES["port" if handler != "none" else "portplain"]
            output, _, _ = spawn([PLACES["tls"], "--port", str(port), "--idle", str(count), "--handler", handler])
            sizes[name].append(int(output))
    print(f"memory of {count:,} idle connections, KiB each")
    for name, its in sizes.items():
        times = statistics.median(its) / statistics.median(sizes["NIOSSL"])
        print(f"  {name:32}{statistics.median(its) / 1024:13.1f}{times:13.2f}")


def cold(rounds, _):
    url = address("port", "small", host="localhost")
    curl = ["curl", "--silent", "--show-error", "--fail", "--noproxy", "*"]
    work = Work(url)
    contenders = {}
    if PLACES.get("countersign"):
        contenders["countersign"] = work.command([PLACES["countersign"], "get", url, "--anchor", PLACES["ca"]], 0)
    # Both read the system's anchors and one additional anchor.
    contenders["curl"] = work.command(curl + ["--cacert", PLACES["bundle"], url], 0)
    runs = turns(contenders, max(9, rounds * 6))
    table("one small GET, cold", runs, WALL)
    if PLACES.get("countersign"):
        print(f"  size of the commands: countersign {os.path.getsize(PLACES['countersign']) / MIB:.1f} MiB, {PLACES['sizes']}")


def growth(rounds, scale):
    panels = []

    def curve(title, steps, work_of):
        print(title + ": CPU µs a request" + "".join(f"{step:>10,}" for step in steps) + "   last/first")
        medians = {}
        for step in steps:
            work, names = work_of(step)
            for name, runs in turns(work.contenders(*names), max(1, rounds // 2)).items():
                medians.setdefault(name, []).append(median(runs, lambda run: run.microseconds) if runs else float("nan"))
        for name, values in medians.items():
            print(f"  {name:{len(title) + 16}}" + "".join(f"{value:10.1f}" for value in values)
                  + f"{values[-1] / values[0]:13.2f}")
        panels.append((title, steps, {name: values for name, values in medians.items()
                                      if not any(map(math.isnan, values))}))
        sys.stdout.flush()

    peers = ["countersign", "AsyncHTTPClient", "libcurl multi"]
    steps = [1, 10, 100, 1_000]
    count = int(10_000 * scale)
    for http, port in (("1.1", "port"), ("2", "port2")):
        curve(f"HTTP/{http}, so many at once", steps, lambda step: (
            Work(address(port, "small"), concurrency=step, count=count, warm_up=2 * step, http=http), peers))
    curve("HTTP/1.1, so many hosts     ", steps, lambda step: (
        Work(address("port", "small"), concurrency=10, count=count, warm_up=2 * step, hosts=step), peers))
    if options.plot:
        plot.draw(options.plot, panels)


SECTIONS = {"small": small, "transfers": transfers, "handshakes": handshakes, "cold": cold, "growth": growth}

parser = argparse.ArgumentParser()
parser.add_argument("places")
parser.add_argument("--rounds", type=int, default=5)
parser.add_argument("--scale", type=float, default=1, help="times as much in a turn")
parser.add_argument("--plot", metavar="FILE", help="draw the curves of growth as SVG")
parser.add_argument("--only", choices=SECTIONS, action="append")
options = parser.parse_args()
with open(options.places) as file:
    PLACES = json.load(file)
if PLACES.get("processor") is not None:
    # All child processes inherit it.
    os.sched_setaffinity(0, {PLACES["processor"]})
# A thousand concurrent connections need as many descriptors, in this process and its children.
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY else 65_536, hard))
for name in options.only or SECTIONS:
    SECTIONS[name](options.rounds, options.scale)

if any("countersign" in name for name in FAILED):
    sys.exit("bench: ours failed, see above")
