# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Provides ports, short-lived certificates and server processes to the programs that use real servers on loopback."""

import grp
import os
import pathlib
import pwd
import random
import shutil
import signal
import socket
import subprocess
import sys
import time

# Debian installs servers in folders that only root's PATH contains.
os.environ["PATH"] += ":/usr/sbin:/sbin"


class Failure(Exception):
    """An error whose message names a missing program or a server that did not start."""


# The assigned ports, on which no server may listen yet.
given = set()


def free_ports(names):
    """Returns loopback ports, by name, that were free a moment ago and were not assigned before.

    The ports are below the system's ephemeral range, because connections of other programs could use an ephemeral port in the meantime.
    """
    return {name: free_port() for name in names}


def free_port():
    while True:
        port = random.randrange(10000, 32768)
        with socket.socket() as each:
            try:
                each.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in given:
            given.add(port)
            return port


def find_program(*names):
    """Returns the path of the first installed program."""
    for name in names:
        if path := shutil.which(name):
            return path
    raise Failure(f"{names[0]} is not installed; 'scripts/make/setup interop' installs it")


def unprivileged_user():
    """Returns the user and group for a server that root starts; None for another user."""
    if os.getuid() != 0:
        return None
    for name in ("www-data", "_www", "nobody"):
        try:
            user = pwd.getpwnam(name)
        except KeyError:
            continue
        return name, grp.getgrgid(user.pw_gid).gr_name
    return None


def nginx_account():
    """Returns nginx's directive that runs its workers as the current user."""
    if os.getuid() != 0:
        return ""
    return f"user {pwd.getpwuid(os.getuid()).pw_name} {grp.getgrgid(os.getgid()).gr_name};"


def run(*command, text=None, **options):
    """Returns the output of a command; raises an error if the command fails."""
    result = subprocess.run(command, input=text, capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise Failure(f"{' '.join(map(str, command[:2]))} failed: {result.stderr.strip()}")
    return result.stdout


class Authority:
    """A root certificate that is valid for a day, in ca.pem and ca.key of a folder, and the leaves that it signs in the same folder."""

    NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    NEW_RSA_KEY = ("-newkey", "rsa:2048", "-nodes")
    LEAF = ("basicConstraints=critical,CA:FALSE", "keyUsage=critical,digitalSignature")

    def __init__(self, folder, name="Interop root"):
        self.folder = pathlib.Path(folder)
        if not (self.folder / "ca.pem").exists():
            run("openssl", "req", "-x509", *self.NEW_KEY, "-days", "1", "-subj", f"/CN={name}", "-addext",
                "keyUsage=critical,keyCertSign,cRLSign", "-keyout", self.folder / "ca.key", "-out", self.folder / "ca.pem")

    def sign(self, name, extensions, new_key=NEW_KEY):
        """Writes NAME.pem and NAME.key."""
        place = self.folder / name
        run("openssl", "req", *new_key, "-subj", f"/CN={name}", "-keyout", f"{place}.key", "-out", f"{place}.csr")
        pathlib.Path(f"{place}.ext").write_text("\n".join(extensions) + "\n")
        run("openssl", "x509", "-req", "-in", f"{place}.csr", "-CA", self.folder / "ca.pem", "-CAkey",
            self.folder / "ca.key", "-CAcreateserial", "-days", "1", "-extfile", f"{place}.ext", "-out", f"{place}.pem")

    def sign_server(self):
        """Writes server.pem and server.key for localhost."""
        self.sign("server", (*self.LEAF, "extendedKeyUsage=serverAuth", "subjectAltName=DNS:localhost,IP:127.0.0.1"))

    def sign_client(self, name, identity):
        """Writes a client certificate and its key to one file."""
        self.sign(name, (*self.LEAF, "extendedKeyUsage=clientAuth"))
        identity.write_text("".join((self.folder / f"{name}.{end}").read_text() for end in ("pem", "key")))


class Servers:
    """Processes with output files in a folder, which are terminated at the end of the block."""

    PATIENCE = 30  # seconds

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.processes = []

    def __enter__(self):
        # The handler raises an exception, so that __exit__ runs.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda number, _: sys.exit(128 + number))
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            try:
                process.wait(self.PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def launch(self, name, port, *command, stdin=subprocess.DEVNULL):
        """Starts a server, waits until it accepts connections on the port, and returns its process."""
        with open(self.folder / f"{name}.output", "w") as output:
            process = subprocess.Popen(command, stdin=stdin, stdout=output, stderr=output)
        self.processes.append(process)
        deadline = time.monotonic() + self.PATIENCE
        while time.monotonic() < deadline and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return process
            except OSError:
                time.sleep(0.1)
        raise Failure(f"{name} did not start")

    def print_logs(self):
        """Prints the end of each server's output."""
        for path in sorted([*self.folder.glob("*.output"), *self.folder.glob("error.log"), *self.folder.glob("*/error.log")]):
            lines = path.read_text(errors="replace").splitlines()
            if lines:
                print(f"The end of {path.relative_to(self.folder)}:", *lines[-40:], sep="\n", file=sys.stderr)
