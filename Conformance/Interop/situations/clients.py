# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""The clients of scripts/interop/situations: their command lines, one run of a client, and the judgment of its result.

A template contains `{fact}`s. The words in brackets are omitted if a row does not give the facts in them, and repeated for each value
of a list. A row with a fact that is not in a client's template is not run with this client.
"""

import dataclasses
import os
import pathlib
import pty
import re
import shlex
import signal
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PYTHON = ROOT / ".tools/situations/bin/python"
PATIENCE = 20  # seconds

TEMPLATES = {
    "ours": """{program} get [--anchor {ca}] [--user {user}:{password}] [--auth basic{now}] [--bearer-file {token-file}]
        [--identity {cert}] [--key {key}] [--identity-passphrase-file {passphrase-file}] [--proxy {proxy}]
        [--proxy-user {proxy-user}:{proxy-password}] [--allow-ntlm-over-plain-http{ntlm-plain}] [--resolve {resolve}]
        [--connect-to {connect-to}] [-H Host:{host}] [-4{v4}] [-6{v6}] [-C{resume}] [--partial{partial}] [-o {output}]
        [-O --output-dir {output-dir}] [--compressed{compressed}] [-X PUT -T {upload}] [-v{verbose}]""",
    "curl": """curl --silent --show-error --fail --location [--cacert {ca}] [--user {user}:{password}] [--basic{now}] [--anyauth{asked}]
        [--oauth2-bearer {token}] [--cert {cert} --key {key}] [--pass {passphrase}] [--proxy {proxy} --proxy-cacert {proxy-ca}]
        [--proxy-user {proxy-user}:{proxy-password} --proxy-anyauth] [{ntlm-plain}] [--resolve {resolve}] [--connect-to {connect-to}]
        [-H Host:{host}] [-4{v4}] [-6{v6}] [-C -{resume}] [{partial}] [-o {output}]
        [--remote-name-all --output-dir {output-dir}] [--compressed{decoded}] [-T {upload}] [-v{verbose}]""",
    "wget2": """wget2 --config= --no-hsts --no-ocsp --max-threads=1 --tries=1 --timeout=15 --quiet --stats-site=/dev/null
        [--ca-certificate={ca}]
        [--user={user} --password={password}] [--auth-no-challenge{now}] [--header=Authorization:Bearer\\ {token}]
        [--certificate={cert} --private-key={key}] [--http-proxy={proxy} --https-proxy={proxy} --proxy]
        [--http-proxy-user={proxy-user} --http-proxy-password={proxy-password}] [{ntlm-plain}] [--header=Host:{host}] [-4{v4}] [-6{v6}]
        [-c{resume}] [{partial}] [-O {output}] [-P {output-dir}] [{decoded}] [{asked}] [-d{verbose}]""",
    "requests": """{program} {script} [--ca {ca}] [--user {user} --password {password}] [--now{now}] [--token {token}]
        [--cert {cert} --key {key}] [--proxy {proxy}] [--proxy-user {proxy-user} --proxy-password {proxy-password}] [{ntlm-plain}]
        [--host {host}] [--output {output}] [{partial}] [--upload {upload}] [{decoded}] [{asked}]""",
}


class Wrong(Exception):
    """A result that is not right."""


class Leak(Exception):
    """A secret that a client sent to another server, or a client that crashed."""


class NotOffered(Exception):
    """A fact for which a client has no option."""


@dataclasses.dataclass
class Result:
    """The result of a run; a judgment raises `Wrong`. The words of errors and the exit status are compared only for Countersign."""

    client: "Client"
    status: int
    output: bytes
    error: str

    def delivers(self, body):
        """Checks that the client ended with 0 and delivered this body: bytes, a text, or a function of the bytes."""
        self.ends(0)
        expected = body.encode() if isinstance(body, str) else body
        if not (expected(self.output) if callable(expected) else self.output == expected):
            raise Wrong(f"another body of {len(self.output)} bytes: {self.output[:80]!r}")
        return self

    def ends(self, *statuses):
        """Checks the exit status: whether it is 0 for every client, and the number for Countersign."""
        if (self.status == 0) != (0 in statuses) or (self.client.is_ours and self.status not in statuses):
            raise Wrong(f"exit {self.status}: {self.error.strip()[-600:]}")
        return self

    def says(self, *patterns):
        """Checks that standard error of Countersign matches each regular expression."""
        for pattern in patterns if self.client.is_ours else ():
            if not re.search(pattern, self.error, re.IGNORECASE):
                raise Wrong(f"{pattern!r} is not said: {self.error.strip()[-600:]}")
        return self

    def refuses(self, *patterns, status=1):
        """Checks that the client failed, Countersign with one of these statuses and patterns in its error."""
        return self.ends(*(status if isinstance(status, tuple) else (status,))).says(*patterns)


class Client:
    """A client that runs in a fresh folder, for one row."""

    def __init__(self, name, program, scene, folder):
        self.name, self.program, self.scene, self.folder = name, program, scene, folder
        self.is_ours = name == "ours"
        self.count = 0

    def get(self, *urls, environment=None, terminal=False, kill=None, **facts):
        """Runs the client with its template.

        A fact that is None or False is not given; `_` in its name stands for `-`. The facts named as clients are further arguments of
        that client alone; with None, the client is not run.
        """
        return self.run(*self.command(urls, facts), environment=environment, terminal=terminal, kill=kill)

    def command(self, urls, facts):
        further = {name: facts.pop(name, "") for name in TEMPLATES}[self.name]
        if further is None:
            raise NotOffered(self.name)
        given = {name.replace("_", "-"): "" if value is True else value for name, value in facts.items() if value not in (None, False)}
        if any(each.startswith("https:") for each in urls):
            given.setdefault("ca", self.scene.folder / "ca.pem")
        if self.is_ours:
            given.pop("asked", None)
            for name in ("token", "passphrase"):
                if name in given:
                    given[f"{name}-file"] = self.folder / name
                    (self.folder / name).write_text(given.pop(name) + "\n")
        else:
            if "resume" not in given:
                given.setdefault("decoded", "")
            if "user" in given and "now" not in given:
                given.setdefault("asked", "")
            if "cert" in given:
                given.setdefault("key", given["cert"])
            if "proxy" in given and self.name == "curl":
                given.setdefault("proxy-ca", self.scene.folder / "ca.pem")
        if self.name == "wget2" and "output-dir" not in given:
            given.setdefault("output", "-")
        template = TEMPLATES[self.name]
        for name in given.keys() - set(re.findall(r"{([a-z0-9-]+)}", template)):
            raise NotOffered(name)
        given |= {"program": self.program, "script": HERE.parent / "requests_client.py"}
        return [*fill(template, given), *shlex.split(further), *map(str, urls)]

    def run(self, *command, environment=None, terminal=False, kill=None):
        """Runs a command; `kill` is a function that returns whether the running client shall be killed."""
        self.count += 1
        place = self.folder / f"run-{self.count}"
        place.with_suffix(".command").write_text(shlex.join(map(str, command)) + "\n")
        variables = {name: value for name, value in os.environ.items() if not name.lower().endswith(("_proxy", "_ca_bundle"))}
        variables |= {"HOME": str(self.folder), "COUNTERSIGN_HOME": str(self.folder / "home"), "LC_ALL": "C.UTF-8", **(environment or {})}
        main, other = pty.openpty() if terminal else (None, None)
        started = time.monotonic()
        with open(place.with_suffix(".out"), "w+b") as output, open(place.with_suffix(".err"), "w+b") as error:
            process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL, stdout=other or output, stderr=error,
                                       cwd=self.folder, env=variables)
            if terminal:
                os.close(other)
                output.write(read_all(main))
                os.close(main)
            wait(process, kill)
            seconds = time.monotonic() - started
            output.seek(0)
            error.seek(0)
            result = Result(self, process.returncode, output.read(), error.read().decode(errors="replace"))
        if seconds >= PATIENCE:
            raise Wrong(f"no end in {PATIENCE} seconds")
        if self.is_ours and not kill and result.status in (-signal.SIGILL, -signal.SIGTRAP, -signal.SIGSEGV, -signal.SIGABRT):
            raise Leak(f"{self.name} crashed: {shlex.join(map(str, command))}")
        return result


def wait(process, kill):
    """Waits for the process to end, and kills it after `PATIENCE` or as soon as `kill()` is true."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and not (kill and kill()):
        try:
            process.wait(0.01 if kill else PATIENCE)
            return
        except subprocess.TimeoutExpired:
            pass
    process.kill()
    process.wait()


def read_all(descriptor):
    """Reads a terminal until it is closed, which Linux reports as an error."""
    text = b""
    try:
        while piece := os.read(descriptor, 65536):
            text += piece
    except OSError:
        pass
    return text


def fill(template, given):
    """Returns the words of a template."""
    def words(text):
        names = re.findall(r"{([a-z0-9-]+)}", text)
        if any(name not in given for name in names):
            return
        lists = [name for name in names if isinstance(given[name], (list, tuple))]
        for index in range(len(given[lists[0]]) if lists else 1):
            for word in shlex.split(text):
                filled = re.sub(r"{([a-z0-9-]+)}", lambda match: str(
                    given[match[1]][index] if match[1] in lists else given[match[1]]), word)
                # A word such as `{asked}` declares a fact that needs no option.
                if filled or not word.startswith("{"):
                    yield filled

    for part in re.findall(r"\[[^]]*\]|[^[]+", template):
        yield from words(part.strip("[]"))
