# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors
"""The programs that validate chains. Each runs permanently, and answers each line with a line."""

import base64
import json
import re
import subprocess
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path

HERE = Path(__file__).resolve().parent


class Judge:
    """A program that answers the lines of `judges/lines.h`."""

    # After this number of consecutive crashes, the program is considered broken.
    PATIENCE = 10

    def __init__(self, name, command, version):
        self.name, self.command, self.version = name, command, version
        self.process = None

    def verdicts(self, chains, encoded):
        """The program's verdict on each chain: "ok", "-" for none, or the reason of the refusal."""
        lines = [self.line(number, chain, one) for number, (chain, one) in enumerate(zip(chains, encoded))]
        answers = []
        while len(answers) < len(lines):
            answers += self._answers(lines[len(answers) :])
            if answers[-self.PATIENCE :] == ["died"] * self.PATIENCE:
                raise RuntimeError(f"{self.name} does not run: {' '.join(self.command)}")
            if len(answers) < len(lines):
                # This chain crashed the program, so it is restarted with the next one.
                answers.append("died")
                self.stop()
        return answers

    def _answers(self, lines):
        if self.process is None:
            self.process = subprocess.Popen(
                self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        process = self.process

        def write():
            try:
                process.stdin.write("".join(lines).encode())
                process.stdin.flush()
            except BrokenPipeError:
                pass

        writer = threading.Thread(target=write)
        writer.start()
        answers = []
        for _ in lines:
            line = process.stdout.readline()
            if not line:
                break
            answers.append(self.answer(line.decode(errors="replace").rstrip("\n")))
        if len(answers) < len(lines):
            process.kill()
        writer.join()
        return answers

    def line(self, number, chain, encoded):
        leaf, issuers, anchors = encoded
        fields = [str(number), str(chain.time), chain.host, text(leaf)]
        return "\t".join([*fields, ",".join(map(text, issuers)), ",".join(map(text, anchors))]) + "\n"

    def answer(self, line):
        return line.partition("\t")[2]

    def stop(self):
        if self.process is None:
            return
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except BrokenPipeError:
                pass
        self.process = None


class Ours(Judge):
    """The trust evaluator in LimboHarness, which chooses its rules by the prefix of a case's name."""

    def __init__(self, name, command, rules):
        super().__init__(name, command, "this tree")
        self.rules = rules

    def line(self, number, chain, encoded):
        return json.dumps(chain.limbo(f"{self.rules}::{number}", encoded)) + "\n"

    def answer(self, line):
        result = json.loads(line)
        if result["actual_result"] == "SUCCESS":
            return "ok"
        first = (result["context"] or "").split("\n")[0]
        # The subject of a certificate differs between chains.
        return re.sub(r"^([a-z0-9-]+) of .*", r"rule \1", re.sub(r"^(unreadable: \w+).*", r"\1", first))


@lru_cache(maxsize=4096)
def text(data):
    return base64.b64encode(data).decode()


class Bench:
    """All judges, which run concurrently."""

    # Our evaluator and the peer, each pair with corresponding rules.
    DUELS = [
        ("ours", "openssl"), ("ours", "gnutls"), ("ours", "go"), ("ours", "certvalidator"),
        ("ours, RFC 5280", "openssl, strict"), ("ours, Web", "pyca"),
    ]

    # This judge takes ten times as long as the others.
    SLOW = "certvalidator"

    def __init__(self, harness, tools, versions, sample):
        self.sample = sample
        python = tools / "venv/bin/python"
        ours = [str(harness), "--lines"]
        judges = [
            Ours("ours", ours, "private"), Ours("ours, RFC 5280", ours, "rfc5280"), Ours("ours, Web", ours, "webpki"),
            Judge("openssl", [str(tools / "openssl")], versions["openssl"]),
            Judge("openssl, strict", [str(tools / "openssl"), "strict"], versions["openssl"]),
            Judge("gnutls", [str(tools / "gnutls")], versions["gnutls"]),
            Judge("go", [str(tools / "golang")], versions["go"]),
            Judge("pyca", [str(python), str(HERE / "judges/pyca.py")], versions["pyca"]),
            Judge("certvalidator", [str(python), str(HERE / "judges/validator.py")], versions["certvalidator"]),
        ]
        self.judges = {judge.name: judge for judge in judges}
        self.pool = ThreadPoolExecutor(len(judges))

    def verdicts(self, chains, names=None, sampled=False):
        """The verdicts on each chain, by the name of the judge; "-" for chains that the slow one skips."""
        encoded = [chain.encoded() for chain in chains]
        names = list(names or self.judges)

        def ask(name):
            if not sampled or name != self.SLOW:
                return self.judges[name].verdicts(chains, encoded)
            # The selection depends only on the chains, so that a run can be repeated.
            chosen = [number for number, one in enumerate(encoded) if zlib.crc32(one[0]) % self.sample == 0]
            answers = self.judges[name].verdicts([chains[one] for one in chosen], [encoded[one] for one in chosen])
            asked = dict(zip(chosen, answers))
            return [asked.get(number, "-") for number in range(len(chains))]

        return [dict(zip(names, row)) for row in zip(*self.pool.map(ask, names))]

    def stop(self):
        for judge in self.judges.values():
            judge.stop()
